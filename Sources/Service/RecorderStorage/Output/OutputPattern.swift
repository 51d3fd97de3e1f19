package import CommandInterface
package import Foundation
import MediaTypes

/// A file name that contains the time: a strftime(3) pattern with `%{name}` for the recording's name.
package struct OutputPattern: Sendable, Hashable {
    /// The default pattern: one directory per day in the videos directory.
    package static let standard = "%Y-%m-%d/%H-%M-%S-%{name}.mov"

    package let text: String

    package init(parsing text: String) throws(OptionError) {
        guard !text.isEmpty, !text.contains("\0") else {
            throw OptionError("the output is empty: write take.mov")
        }
        guard let last = text.split(separator: "/", omittingEmptySubsequences: false).last, !last.isEmpty, last != ".",
            last != ".."
        else { throw OptionError("“\(text)” is a directory: write \(text.hasSuffix("/") ? text : text + "/")take.mov") }
        let parts = last.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, parts.dropLast().contains(where: { !$0.isEmpty }),
            FileType(fileExtension: String(parts[parts.count - 1])) != nil
        else {
            let types = FileType.writable.map { ".\($0.rawValue)" }.joined(separator: ", ")
            throw OptionError("unsupported file type “\(text)”: use one of \(types)")
        }
        self.text = text
        try checkFields()
    }

    /// The directories before the first field. They must exist, and only they may contain `..`.
    package var fixedDirectory: String {
        let fixed = text.split(separator: "/", omittingEmptySubsequences: false).dropLast().prefix {
            !Self.hasField($0)
        }
        let path = fixed.joined(separator: "/")
        return path.isEmpty && text.hasPrefix("/") ? "/" : path
    }

    /// True if directories contain fields, so that new ones are created over time.
    package var hasFieldsInDirectory: Bool { text.split(separator: "/").dropLast().contains(where: Self.hasField) }

    /// True if the path depends on the time.
    package var hasTimeFields: Bool { Self.hasField(text.replacing("%{name}", with: "")[...]) }

    private static func hasField(_ part: Substring) -> Bool { part.replacing("%%", with: "").contains("%") }

    /// Checks that the fields produce no `..`, no slash (`%D` is 11/21/26), and no control characters.
    private func checkFields() throws(OptionError) {
        // A Wednesday in September, which has the longest names.
        let sample = path(
            name: .standard, at: Date(timeIntervalSince1970: 1_790_769_600),
            timeZone: TimeZone(secondsFromGMT: 0) ?? .current)
        guard !sample.isEmpty else { throw OptionError("“\(text.prefix(80))” produces names that are too long") }
        let parts = text.split(separator: "/")
        let names = sample.split(separator: "/")
        guard parts.count == names.count else {
            throw OptionError(
                "“\(text.prefix(80))” has a field that produces slashes: write %Y-%m-%d instead of %D or %x")
        }
        guard !sample.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            throw OptionError("“\(text.prefix(80).filter { !$0.isNewline })” produces names with control characters")
        }
        // 255 is Linux' limit (NAME_MAX); `.recording`, the number and a longer recorder's name must fit too.
        guard names.allSatisfy({ $0.utf8.count <= 180 }) else {
            throw OptionError("“\(text.prefix(80))” produces names that are too long: at most 180 bytes")
        }
        let firstField = parts.firstIndex(where: Self.hasField) ?? parts.endIndex
        guard !parts[firstField...].contains(".."), !names[firstField...].contains("..") else {
            throw OptionError(
                "“\(text.prefix(80))” leaves its directory: remove the .. after the first field")
        }
    }

    /// Returns the path for a time.
    ///
    /// - Parameter timeZone: The time zone of the fields; nil for the time of localtime_r(3), which stamps and timecodes
    ///   have too.
    package func path(name: RecordingName, at date: Date, timeZone: TimeZone? = nil) -> String {
        // The name is inserted first; it contains no percent sign.
        let pattern = text.replacing("%{name}", with: name.description)
        guard let timeZone else {
            var parts = LocalTime.fields(of: date)
            return Self.expand(pattern, &parts)
        }
        let offset = timeZone.secondsFromGMT(for: date)
        var seconds = time_t(clamping: date.timeIntervalSince1970.rounded(.down)) &+ offset
        var parts = tm()
        gmtime_r(&seconds, &parts)
        parts.tm_gmtoff = offset
        parts.tm_isdst = timeZone.isDaylightSavingTime(for: date) ? 1 : 0
        return (timeZone.abbreviation(for: date) ?? "").withCString { zone in
            parts.tm_zone = zone
            return Self.expand(pattern, &parts)
        }
    }

    private static func expand(_ pattern: String, _ parts: inout tm) -> String {
        let capacity = pattern.utf8.count * 8 + 256
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
            let count = strftime(buffer.baseAddress!, capacity, pattern, &parts)
            return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
