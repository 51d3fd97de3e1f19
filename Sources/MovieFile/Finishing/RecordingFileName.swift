/// The names that a movie has until it is whole: `NAME.recording.mov` while it grows, and a hidden one for the copy with its
/// header first.
package struct RecordingFileName: Equatable {
    /// `NAME.mov`
    package let final: String

    /// - Parameter path: `NAME.recording.EXTENSION`, or without the extension; nil for any other.
    package init?(recording path: String) {
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let parts = path[slash...].split(separator: ".", omittingEmptySubsequences: false)
        guard let place = parts.lastIndex(of: "recording"), place > 0, place >= parts.count - 2 else { return nil }
        final = path[..<slash] + (parts[..<place] + parts[(place + 1)...]).joined(separator: ".")
    }

    /// - Parameter path: the final one.
    package init(final path: String) { final = path }

    /// The path while it grows.
    package var recording: String { withSuffix(".recording") }

    /// The copy with the header first, while it is being made: hidden, and with the recording's own number in its name, so
    /// that nobody else's file is called that. What a crash leaves of it is worth nothing: the recording itself is as it
    /// was. Whoever holds the recording's lock may remove it.
    package func rewriting(of recording: DiskFile.Identity) -> String {
        let slash = final.lastIndex(of: "/").map { final.index(after: $0) } ?? final.startIndex
        // 255 bytes is the longest name (NAME_MAX).
        let name = final[slash...].utf8.count > 200 ? "" : final[slash...] + "."
        return "\(final[..<slash]).\(name)\(recording.text).rewriting"
    }

    /// The final name, or `NAME-2.mov` and so on where it is taken.
    package func numbered(_ number: Int) -> String { number == 1 ? final : withSuffix("-\(number)") }

    /// The final name with something in front of its extension.
    private func withSuffix(_ suffix: String) -> String {
        let slash = final.lastIndex(of: "/").map { final.index(after: $0) } ?? final.startIndex
        guard let dot = final[slash...].lastIndex(of: "."), dot > slash else { return final + suffix }
        return "\(final[..<dot])\(suffix)\(final[dot...])"
    }
}
