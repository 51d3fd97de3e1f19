import Glibc

/// Standard output without the C library's buffer: what was said is there, whoever reads, and however the process ends.
public enum StandardOutput {
    public static func line(_ text: String) { writeAll(text + "\n", to: 1) }

    public static var isTerminal: Bool { isatty(1) == 1 }
}

/// Standard error, likewise.
public enum StandardError {
    public static func line(_ text: String) { write(text + "\n") }
    /// As it is, for what is drawn over.
    public static func write(_ text: String) { writeAll(text, to: 2) }

    public static var isTerminal: Bool { isatty(2) == 1 }
}

/// A reader that has gone away is no reason to fail.
private func writeAll(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
    }
}
