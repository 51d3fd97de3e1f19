package import CommandInterface

/// The destination, the speed and the hours for copies of finished recordings.
package struct CopySettings: Sendable, Hashable {
    /// The remote; nil if recordings are not copied.
    package var remote: CopyRemote?
    /// The maximum rate in bytes per second, or nil for no limit.
    package var limit: Int64?
    /// The hours in which files are copied, or nil to copy at any time.
    package var hours: CopyHours?
    /// True for `copy-to: none`: no copies are wanted, not even those for which a copier was once started with options.
    package var isDeclined = false

    package init(remote: CopyRemote? = nil, limit: Int64? = nil, hours: CopyHours? = nil) {
        self.remote = remote
        self.limit = limit
        self.hours = hours
    }
}

/// A remote in rclone's syntax: `nas:recordings/front`, `:local:/mnt/nas`, `/mnt/nas`.
///
/// Options (`:sftp,pass=…:`) are not allowed: the text appears in logs and in the status, and passwords belong in
/// rclone's own configuration.
package struct CopyRemote: Sendable, Hashable {
    package let text: String

    package init(parsing text: String) throws(OptionError) {
        func refuse(_ reason: String) -> OptionError {
            OptionError(
                "“\(text.prefix(80))” \(reason): write nas:recordings/front, with a remote that `rclone listremotes` shows"
            )
        }
        let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        guard !text.isEmpty, text.utf8.count <= 1024, isPlain else { throw refuse("is not a remote") }
        if !text.hasPrefix("/") {
            let name = text.dropFirst(text.hasPrefix(":") ? 1 : 0)
            guard let colon = name.firstIndex(of: ":"), colon > name.startIndex else {
                throw refuse("is not a remote")
            }
            guard !name[..<colon].contains(where: { ",=".contains($0) }) else {
                throw OptionError(
                    "a remote must not have options, because logs would show them: create one with `rclone config`, "
                        + "and write its name, such as nas:recordings/front")
            }
        }
        guard !text.split(whereSeparator: { "/:".contains($0) }).contains("..") else { throw refuse("contains ..") }
        var text = text
        while text.count > 1, text.hasSuffix("/") { text.removeLast() }
        self.text = text
    }

    /// Returns the path of a file on the remote.
    package func path(of name: String) -> String {
        text.hasSuffix(":") || text == "/" ? text + name : "\(text)/\(name)"
    }
}

/// A part of each day, by the local clock: `22:00-06:00`. It may include midnight.
package struct CopyHours: Sendable, Hashable {
    /// The beginning, in minutes after midnight. `end` is the first minute that no longer belongs to the hours.
    package let first: Int
    package let end: Int

    package init(parsing text: String) throws(OptionError) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minutes)
        guard parts.count == 2, let first = parts[0], let end = parts[1] else {
            throw OptionError(text, isNot: "a range of hours", write: "22:00-06:00")
        }
        guard first != end else { throw OptionError(text, isNot: "a range of hours", write: "22:00-06:00, or none") }
        (self.first, self.end) = (first, end)
    }

    private static func minutes(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ (1...2).contains($0.utf8.count) }),
            parts.allSatisfy({ $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }), parts[1].utf8.count == 2,
            let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60, hour < 24 || hour == 24 && minute == 0
        else { return nil }
        return hour * 60 + minute
    }

    /// Returns true if a time is within the hours.
    ///
    /// - Parameter minute: Minutes after midnight, by the local clock.
    package func contains(_ minute: Int) -> Bool {
        first < end ? first <= minute && minute < end : minute >= first || minute < end
    }

    package var text: String {
        func clock(_ minutes: Int) -> String {
            let minute = minutes % 60
            return "\(minutes / 60 < 10 ? "0" : "")\(minutes / 60):\(minute < 10 ? "0" : "")\(minute)"
        }
        return "\(clock(first))-\(clock(end))"
    }
}

/// Decides whether retention may delete a recording that has no copy. It applies once the other rules no longer keep
/// the recording.
package enum CopyHold: String, Sendable, Hashable, CaseIterable {
    /// Recordings without a copy are kept even if the disk fills up. Then the recording in progress ends when only the
    /// reserve is free.
    case always
    /// Recordings without a copy are kept until less than `keep-free` is free. Then they are deleted too, after all
    /// recordings that have a copy.
    case unlessFull = "unless-full"
}

/// Parses and formats these settings.
package enum CopyText {
    /// Parses a rate in bytes per second: `2M`, `2MB/s`, `2 MB/s`.
    package static func parseLimit(_ text: String) throws(OptionError) -> Int64 {
        var number = text.filter { $0 != " " }
        if number.hasSuffix("/s") { number.removeLast(2) }
        guard let limit = try? QuantityText.parseSizeWithUnit(number) else {
            throw OptionError(text, isNot: "a transfer rate", write: "2MB/s or 500kB/s")
        }
        guard limit >= 1000 else { throw OptionError("“\(text.prefix(80))” is too slow: at least 1kB/s") }
        return limit
    }

    package static func text(limit: Int64) -> String { QuantityText.text(limit) + "B/s" }

    /// Parses `--keep-until-copied`. Returns nil for `false`: recordings without a copy may be deleted.
    package static func parseHold(_ text: String) throws(OptionError) -> CopyHold? {
        if let hold = CopyHold(rawValue: text) { return hold }
        guard let flag = try? ServiceText.parseFlag(text) else {
            throw OptionError(text, isNot: "a policy for keeping files", write: "always, unless-full or false")
        }
        return flag ? .always : nil
    }
}
