public import Foundation
import MediaTypes

/// A file name with the moment in it: a strftime(3) pattern in which `%{name}` stands for the recording's name.
public struct OutputPattern: Sendable, Hashable {
    /// The pattern of recordings that nobody gave a name: a directory a day, inside the videos directory.
    public static let standard = "%Y-%m-%d/%H-%M-%S-%{name}.mov"

    public let text: String

    public init(parsing text: String) throws(OptionError) {
        guard !text.isEmpty, !text.contains("\0") else {
            throw OptionError("an empty output is no file: write take.mov")
        }
        guard let last = text.split(separator: "/", omittingEmptySubsequences: false).last, !last.isEmpty, last != ".",
            last != ".."
        else { throw OptionError("“\(text)” is a directory: write \(text.hasSuffix("/") ? text : text + "/")take.mov") }
        let parts = last.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, parts.dropLast().contains(where: { !$0.isEmpty }),
            FileType(fileExtension: String(parts[parts.count - 1])) != nil
        else {
            let types = FileType.writable.map { ".\($0.rawValue)" }.joined(separator: ", ")
            throw OptionError("“\(text)” is no movie's file name: it must end in one of \(types)")
        }
        self.text = text
    }

    /// The path at a moment of local time.
    public func path(name: RecordingName, at date: Date, timeZone: TimeZone = .current) -> String {
        // The name goes in first; it holds no per cent sign.
        let pattern = text.replacing("%{name}", with: name.description)
        var seconds = time_t(date.timeIntervalSince1970.rounded(.down)) + timeZone.secondsFromGMT(for: date)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        parts.tm_gmtoff = timeZone.secondsFromGMT(for: date)
        parts.tm_isdst = timeZone.isDaylightSavingTime(for: date) ? 1 : 0
        let capacity = pattern.utf8.count * 8 + 256
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
            let count = strftime(buffer.baseAddress!, capacity, pattern, &parts)
            return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
