import Glibc
public import MediaTypes

/// Standard output without the C library's buffer: what was said is there, whoever reads, and however the process ends.
public enum StandardOutput {
    public static func line(_ text: String) { write(text + "\n") }
    /// As it is, for what is drawn over.
    public static func write(_ text: String) { Array(text.utf8).withUnsafeBytes { writeAll($0, to: 1) } }
    public static func write(_ data: MediaData) { writeAll(data.bytes, to: 1) }

    public static var isTerminal: Bool { isatty(1) == 1 }
}

/// Standard error, likewise.
public enum StandardError {
    public static func line(_ text: String) { write(text + "\n") }
    /// As it is, for what is drawn over.
    public static func write(_ text: String) { Array(text.utf8).withUnsafeBytes { writeAll($0, to: 2) } }

    public static var isTerminal: Bool { isatty(2) == 1 }
}

/// A reader that has gone away is no reason to fail.
private func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
    }
}
