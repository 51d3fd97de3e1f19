package import CommandInterface
package import MediaTypes

/// Parses the settings for running a recorder as a service: limits, a group, flags.
package enum ServiceText {
    /// Parses `true`, `yes`, `on` and `1`, and their opposites.
    package static func parseFlag(_ text: String) throws(OptionError) -> Bool {
        switch text.lowercased() {
        case "true", "yes", "on", "1": return true
        case "false", "no", "off", "0": return false
        default: throw OptionError(text, isNot: "yes or no", write: "true or false")
        }
    }

    package static func parsePolicy(_ text: String) throws(OptionError) -> OverloadPolicy {
        guard let policy = OverloadPolicy(rawValue: text) else {
            throw OptionError(
                text, isNot: "an overload policy",
                write: OverloadPolicy.allCases.map(\.rawValue).joined(separator: " or "))
        }
        return policy
    }

    /// Parses a group name with the rules of useradd(8).
    package static func parseGroup(_ text: String) throws(OptionError) -> String {
        func isWord(_ byte: UInt8) -> Bool { byte == 0x5F || 0x61...0x7A ~= byte || 0x41...0x5A ~= byte }
        func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
        guard let first = text.utf8.first, isWord(first), text.utf8.count <= 32,
            text.utf8.allSatisfy({ isWord($0) || isDigit($0) || $0 == 0x2D || $0 == 0x2E })
        else { throw OptionError(text, isNot: "the name of a user group", write: "a name such as video") }
        return text
    }

    /// Parses the time limit of a hook, or the value of `activity-hold`: from a second to an hour.
    package static func parseHookLimit(_ text: String) throws(OptionError) -> MediaTime {
        try parse(text, atLeast: 1, atMost: 3600)
    }

    /// Parses an activity threshold, 1 to 100. A threshold of 0 is refused, because every second would reach it.
    package static func parseActivity(_ text: String) throws(OptionError) -> Int {
        guard let value = Int(text), 1...100 ~= value else {
            throw OptionError(text, isNot: "a value of activity", write: "a number from 1 to 100")
        }
        return value
    }

    /// Parses the duration of a file, 1 s to 1 day. The minimum leaves room for complete audio packets and the index.
    package static func parseSegment(_ text: String) throws(OptionError) -> MediaTime {
        try parse(text, atLeast: 1, atMost: 86_400)
    }

    /// Parses the size of a file, at least 1 MB. A smaller file is little more than its index.
    package static func parseSegmentSize(_ text: String) throws(OptionError) -> Int64 {
        let size = try QuantityText.parseSize(text)
        guard size >= 1_000_000 else { throw OptionError("“\(text)” is too small for a file: at least 1M") }
        return size
    }

    /// Parses the size of the queue in bytes. The minimum has room for at least some frames.
    package static func parseQueueMemory(_ text: String) throws(OptionError) -> Int64 {
        let size = try QuantityText.parseSize(text)
        guard size >= 8_000_000 else { throw OptionError("“\(text)” is too small for a queue: at least 8M") }
        return size
    }

    /// Parses the length of the pre-roll: at most an hour, which fits in memory.
    package static func parsePreRoll(_ text: String) throws(OptionError) -> MediaTime {
        try parse(text, atLeast: 0, atMost: 3600)
    }

    private static func parse(
        _ text: String, atLeast least: Int64, atMost most: Int64
    ) throws(OptionError) -> MediaTime {
        let time = try DurationText.parse(text)
        let (shortest, longest) = (MediaTime(value: least, timescale: 1), MediaTime(value: most, timescale: 1))
        guard time >= shortest else {
            throw OptionError("“\(text)” is too short: at least \(DurationText.text(shortest))")
        }
        guard time <= longest else { throw OptionError("“\(text)” is too long: at most \(DurationText.text(longest))") }
        return time
    }
}
