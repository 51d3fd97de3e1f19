import FileSystem
import Glibc
package import MediaTypes

/// Standard output without the C library's buffer. A printed line reaches any reader at once, and is not lost however
/// the process ends.
///
/// Names come from devices, movies and other processes, so they may contain anything. A terminal gets plain text only,
/// with control characters replaced. A pipe or a file gets the text unchanged, because a script opens the files that
/// are named there.
package enum StandardOutput {
    package static func line(_ text: String) { write((isTerminal ? PlainText.lines(text) : text) + "\n") }
    /// Redraws a terminal from its first line, over the earlier text. Clears each line to its end (ECMA-48, EL), and
    /// then the rest of the screen (ED), so that nothing flickers.
    package static func redraw(_ text: String) {
        let lines = PlainText.lines(text).split(separator: "\n", omittingEmptySubsequences: false)
        write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J")
    }
    /// Writes the text unchanged and without a line feed, for output that is redrawn later.
    package static func write(_ text: String) { PathText.bytes(text).withUnsafeBytes { writeAll($0, to: 1) } }
    package static func write(_ data: MediaData) { writeAll(data.bytes, to: 1) }

    package static var isTerminal: Bool { isatty(1) == 1 }
}

/// Standard error, also unbuffered. A log is read on a terminal sooner or later, so `line` never writes more than plain
/// text.
package enum StandardError {
    package static func line(_ text: String) { write(PlainText.lines(text) + "\n") }
    /// Writes the text unchanged and without a line feed, for output that is redrawn later.
    package static func write(_ text: String) { Array(text.utf8).withUnsafeBytes { writeAll($0, to: 2) } }

    package static var isTerminal: Bool { isatty(2) == 1 }
}

/// Writes all bytes. Ignores errors: a reader that has closed the pipe must not make the command fail.
private func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
    }
}
