import FileSystem
import Foundation
import Glibc
import MediaTypes

/// Reads the text of a configuration file. The user may have named any file, even one that is not text.
enum ConfigurationText {
    /// The maximum size in bytes. A configuration has a few dozen lines.
    static let largest = 1_000_000

    /// Reads a file.
    ///
    /// - Returns: The text, and the reason why its commands must not be run, if any; nil if there is no such file.
    /// - Throws: `invalidSettings` if the file cannot be a configuration, with advice for the user.
    static func read(_ path: String) throws(MediaError) -> (text: String, doubt: ConfigurationDoubt?)? {
        // Nonblocking, so that a named pipe does not block.
        let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            guard errno != ENOENT, errno != ENOTDIR else { return nil }
            throw MediaError(errno: errno, "cannot read \(path)")
        }
        defer { close(file) }
        let bytes = try read(file, path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw refusal(
                "\(path):\(firstInvalidLine(bytes))", "it is not UTF-8", "save the file as UTF-8")
        }
        return (text, ConfigurationDoubt(of: file))
    }

    private static func read(_ file: Int32, _ path: String) throws(MediaError) -> [UInt8] {
        var kind = stat()
        guard fstat(file, &kind) == 0 else { throw MediaError(errno: errno, "cannot read \(path)") }
        guard kind.st_mode & S_IFMT == S_IFREG else {
            throw refusal("cannot use \(path)", "it is not a regular file", "use a YAML file")
        }
        guard kind.st_mode & S_IWOTH == 0 else {
            throw refusal(
                "cannot use \(path)", "all users can write it", "`chmod o-w \(path)`")
        }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= largest {
            let count = Glibc.read(file, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw MediaError(errno: errno, "cannot read \(path)") }
            guard count > 0 else { return bytes }
            bytes += part.prefix(count)
        }
        throw refusal("cannot use \(path)", "it is larger than a megabyte", "a configuration has a few dozen lines")
    }

    static func refusal(_ action: String, _ reason: String, _ wayOut: String = "") -> MediaError {
        MediaError(.invalidSettings, action, reason: reason, wayOut: wayOut)
    }

    private static func firstInvalidLine(_ bytes: [UInt8]) -> Int {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return 1 + (lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0)
    }

    /// Finds the first YAML anchor. With anchors, a few lines can expand to gigabytes.
    ///
    /// An anchor is `&name` at the beginning of a node: at the start of a line, after an indicator, or after a tag
    /// (YAML 1.2.2, 6.9.2). The `&` of a shell command is elsewhere.
    ///
    /// - Returns: The line of the first anchor; nil if the text certainly has none.
    static func firstAnchor(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "&") && index + 1 < bytes.count {
            guard isName(bytes[index + 1]) else { continue }
            guard index == 0 || !isPlain(bytes, before: index) else { continue }
            var before = index
            while before > 0, bytes[before - 1] == 0x20 || bytes[before - 1] == 0x09 { before -= 1 }
            let isNodeStart = before == 0 || "\r\n[{,:?-".utf8.contains(bytes[before - 1])
            let word = bytes[..<before].reversed().prefix { $0 > 0x20 }
            guard isNodeStart || word.last == UInt8(ascii: "!") else { continue }
            return 1 + bytes[..<index].count { $0 == UInt8(ascii: "\n") }
        }
        return nil
    }

    /// Returns true if the byte before an `&` belongs to a word, as in `foo -&bar` or `rtsp://camera/?&channel=1`: `-`
    /// and `?` are indicators only before a space (YAML 1.2.2, 5.3).
    private static func isPlain(_ bytes: [UInt8], before index: Int) -> Bool {
        switch bytes[index - 1] {
        case UInt8(ascii: "-"): return true
        // In brackets, libyaml also accepts `?` without a space.
        case UInt8(ascii: "?"): return index > 1 && bytes[index - 2] > 0x20 && !"[{,:?-".utf8.contains(bytes[index - 2])
        default: return false
        }
    }

    private static func isName(_ byte: UInt8) -> Bool {
        byte == 0x2D || byte == 0x5F || 0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
    }
}
