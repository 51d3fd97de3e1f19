import FileSystem
import Glibc
package import MediaTypes
import RealTime

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
    package static func write(_ text: String) { PathText.bytes(text).withUnsafeBytes { write($0) } }
    package static func write(_ data: MediaData) { write(data.bytes) }

    private static func write(_ bytes: UnsafeRawBufferPointer) {
        let number = writeAll(bytes, to: 1)
        if number != 0 { firstError.withLock { $0 = $0 == 0 ? number : $0 } }
    }

    private static let firstError = Locked<Int32>(0)

    /// The first error of writing, such as a full disk; nil if everything was written. A reader that has closed the
    /// pipe is no error, nor is a descriptor that the program was started without.
    package static var failure: MediaError? {
        let number = firstError.withLock { $0 }
        return [0, EPIPE, EBADF].contains(number) ? nil : MediaError(errno: number, "cannot write to standard output")
    }

    package static var isTerminal: Bool { isatty(1) == 1 }
}

/// Standard error, also unbuffered. A log is read on a terminal sooner or later, so `line` never writes more than plain
/// text.
package enum StandardError {
    package static func line(_ text: String) { write(PlainText.lines(text) + "\n") }
    /// Writes the text unchanged and without a line feed, for output that is redrawn later.
    package static func write(_ text: String) { _ = Array(text.utf8).withUnsafeBytes { writeAll($0, to: 2) } }

    package static var isTerminal: Bool { isatty(2) == 1 }
}

/// Writes all bytes, even to a pipe whose other end does not block: the parent process may have made it so.
///
/// - Returns: 0, or the errno that ended the writing.
private func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 {
            rest = rest.dropFirst(count)
            continue
        }
        let number = count < 0 ? errno : ENOSPC
        switch number {
        case EINTR: continue
        case EAGAIN:
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&request, 1, -1)
        default: return number
        }
    }
    return 0
}
