package import MediaTypes

/// Durations as users write them: `90`, `1m30s`, `00:01:30.5`, `250ms`.
package enum DurationText {
    private static let examples = "90, 1m30s or 00:01:30.5"
    private static let nanosecondsPerSecond: Int64 = 1_000_000_000
    /// The maximum duration: far beyond any recording, and far below the limit of 64 bits of nanoseconds.
    private static let longest = 365 * 86_400 * nanosecondsPerSecond

    /// Parses a duration, exact to the nanosecond. It must be greater than zero and at most a year.
    package static func parse(_ text: String) throws(OptionError) -> MediaTime {
        let time = try parseMoment(text)
        guard time > .zero else { throw OptionError("“\(text)” must be greater than zero: write \(examples)") }
        return time
    }

    /// Parses a duration in which each number must have a unit. Used for options that delete: a forgotten `d` must not
    /// turn days into seconds.
    package static func parseWithUnits(_ text: String) throws(OptionError) -> MediaTime {
        guard DecimalText(text) == nil, !text.contains(":") else {
            throw OptionError(
                "“\(text.prefix(80))” needs a unit, because it decides what is deleted: write 30d, 12h or 1h30m")
        }
        guard let nanoseconds = units(text), nanoseconds > 0 else {
            throw OptionError(text, isNot: "an age with a unit", write: "30d, 12h or 1h30m")
        }
        return try parse(text)
    }

    /// Parses a position in a movie. Unlike a duration it may be 0, the start.
    package static func parseMoment(_ text: String) throws(OptionError) -> MediaTime {
        guard let nanoseconds = text.contains(":") ? clock(text) : units(text) else {
            throw OptionError(text, isNot: "a duration", write: examples)
        }
        guard nanoseconds <= longest else { throw OptionError("“\(text)” is longer than a year, the maximum") }
        return MediaTime(nanoseconds: nanoseconds)
    }

    /// Returns the shortest text that `parse` turns into the same time: `1m30s`, `2s`, `1.5s`.
    package static func text(_ time: MediaTime) -> String {
        var rest = time.nanoseconds
        guard rest > 0 else { return "0" }
        var text = ""
        for (unit, scale) in scales.prefix(3) where rest >= scale {
            text += "\(rest / scale)\(unit)"
            rest %= scale
        }
        guard rest > 0 else { return text }
        var fraction = String(rest % nanosecondsPerSecond + nanosecondsPerSecond).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return text + "\(rest / nanosecondsPerSecond)\(fraction.isEmpty ? "" : "." + fraction)s"
    }

    /// Parses `HH:MM:SS.f` or `MM:SS.f`. Minutes and seconds must be below 60 if a larger unit precedes them.
    private static func clock(_ text: String) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count) else { return nil }
        var total: Int64 = 0
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            guard let number = DecimalText(part), isLast || number.places == 0,
                let value = number.scaled(by: nanosecondsPerSecond), value <= longest,
                index == 0 || value < 60 * nanosecondsPerSecond
            else { return nil }
            total = total * 60 + value
            guard total <= longest else { return longest + 1 }
        }
        return total
    }

    private static let scales: [(unit: String, nanoseconds: Int64)] = [
        ("d", 86_400 * nanosecondsPerSecond), ("h", 3600 * nanosecondsPerSecond), ("m", 60 * nanosecondsPerSecond),
        ("s", nanosecondsPerSecond), ("ms", 1_000_000),
    ]

    /// Parses `1h2m3.5s`: each unit at most once, from large to small. A bare number means seconds.
    private static func units(_ text: String) -> Int64? {
        if let number = DecimalText(text) { return number.scaled(by: nanosecondsPerSecond) ?? longest + 1 }
        var rest = text[...]
        var total: Int64 = 0
        var nextScale = 0
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
            rest = rest.dropFirst(digits.count)
            let unit = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(unit.count)
            guard let number = DecimalText(digits),
                let index = scales.indices.first(where: { $0 >= nextScale && scales[$0].unit == unit })
            else { return nil }
            nextScale = index + 1
            guard let value = number.scaled(by: scales[index].nanoseconds), value <= longest, total <= longest else {
                return longest + 1
            }
            total += value
        }
        return nextScale == 0 ? nil : total
    }
}
