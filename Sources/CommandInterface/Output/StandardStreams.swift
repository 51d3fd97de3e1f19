import FileSystem
import Glibc
package import MediaTypes

/// Standard output without the C library's buffer: what was said is there, whoever reads, and however the process ends.
///
/// What names come from, devices, films, other processes, anybody can have written: a terminal is given text alone, whatever
/// it says. A pipe or a file gets it as it is, because a script opens what is named there.
package enum StandardOutput {
    package static func line(_ text: String) { write((isTerminal ? PlainText.lines(text) : text) + "\n") }
    /// On a terminal: over what was there, from its first line on. Each line is cleared to its end (ECMA-48, EL), and the rest
    /// of the screen (ED), so that nothing flickers.
    package static func redraw(_ text: String) {
        let lines = PlainText.lines(text).split(separator: "\n", omittingEmptySubsequences: false)
        write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J")
    }
    /// As it is, for what is drawn over.
    package static func write(_ text: String) { PathText.bytes(text).withUnsafeBytes { writeAll($0, to: 1) } }
    package static func write(_ data: MediaData) { writeAll(data.bytes, to: 1) }

    package static var isTerminal: Bool { isatty(1) == 1 }
}

/// Standard error, likewise; but a log is read on a terminal sooner or later, so that it never gets more than text.
package enum StandardError {
    package static func line(_ text: String) { write(PlainText.lines(text) + "\n") }
    /// As it is, for what is drawn over.
    package static func write(_ text: String) { Array(text.utf8).withUnsafeBytes { writeAll($0, to: 2) } }

    package static var isTerminal: Bool { isatty(2) == 1 }
}

/// A reader that has gone away is no reason to fail.
private func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
    }
}
