/// The names of a movie until it is finalized: `NAME.recording.mov` while the file grows, and a hidden name for the
/// copy with the header first.
package struct RecordingFileName: Equatable {
    /// `NAME.mov`
    package let final: String

    /// Parses the name of an unfinished file. Returns nil for other names.
    ///
    /// - Parameter path: `NAME.recording.EXTENSION`, or without the extension.
    package init?(recording path: String) {
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let parts = path[slash...].split(separator: ".", omittingEmptySubsequences: false)
        guard let place = parts.lastIndex(of: "recording"), place > 0, place >= parts.count - 2,
            place > 1 || !parts[0].isEmpty
        else { return nil }
        final = path[..<slash] + (parts[..<place] + parts[(place + 1)...]).joined(separator: ".")
    }

    /// - Parameter path: the final path.
    package init(final path: String) { final = path }

    /// The path while the file grows.
    package var recording: String { withSuffix(".recording") }

    /// Returns the path of the copy with the header first, while it is being written. The name is hidden and contains
    /// the recording's inode number, so that no other program's file has that name. A crash leaves an incomplete copy,
    /// and the recording unchanged. Any process that holds the recording's lock may remove the copy.
    package func rewriting(of recording: DiskFile.Identity) -> String {
        let slash = final.lastIndex(of: "/").map { final.index(after: $0) } ?? final.startIndex
        // 255 bytes is the longest name (NAME_MAX).
        let name = final[slash...].utf8.count > 200 ? "" : final[slash...] + "."
        return "\(final[..<slash]).\(name)\(recording.text).rewriting"
    }

    /// Returns the final name, or `NAME-2.mov` and so on for higher numbers.
    package func numbered(_ number: Int) -> String { number == 1 ? final : withSuffix("-\(number)") }

    /// Returns the final name with a suffix before its extension.
    private func withSuffix(_ suffix: String) -> String {
        let slash = final.lastIndex(of: "/").map { final.index(after: $0) } ?? final.startIndex
        guard let dot = final[slash...].lastIndex(of: "."), dot > slash else { return final + suffix }
        return "\(final[..<dot])\(suffix)\(final[dot...])"
    }
}
