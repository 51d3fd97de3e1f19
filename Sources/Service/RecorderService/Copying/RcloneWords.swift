import CommandInterface
import Foundation
import MediaTypes

/// Parses rclone's standard error with `--use-json-log`: one JSON object per line, and sometimes plain text.
struct RcloneWords {
    /// The newest error messages, at most `most`, without control characters and passwords.
    private(set) var errors: [String] = []
    /// The number of transferred bytes that rclone has reported.
    private(set) var bytes: Int64 = 0
    private var rest: [UInt8] = []

    private struct Line: Decodable {
        struct Stats: Decodable {
            var bytes: Int64?
        }
        var level: String?
        var msg: String?
        var stats: Stats?
    }

    private static let longestLine = 65_536
    private static let most = 8

    mutating func take(_ part: ArraySlice<UInt8>) {
        rest += part
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            line(rest[..<end])
            rest.removeFirst(end + 1)
        }
        if rest.count > Self.longestLine { rest = [] }
    }

    /// Parses the text after the last line break.
    mutating func finish() {
        if !rest.isEmpty { line(rest[...]) }
        rest = []
    }

    private mutating func line(_ bytes: ArraySlice<UInt8>) {
        guard let line = try? JSONDecoder().decode(Line.self, from: Data(bytes)) else {
            return record(String(decoding: bytes, as: UTF8.self))
        }
        if let bytes = line.stats?.bytes { self.bytes = max(self.bytes, bytes) }
        guard let words = line.msg, ["error", "fatal", "critical", "panic"].contains(line.level ?? "") else { return }
        record(words)
    }

    private mutating func record(_ words: String) {
        let words = Self.withoutSecrets(PlainText.line(words.replacing("\n", with: " ")))
            .trimmingCharacters(in: .whitespaces)
        guard !words.isEmpty else { return }
        errors.append(String(words.prefix(400)))
        if errors.count > Self.most { errors.removeFirst() }
    }

    /// Removes passwords and other secrets, as in `https://user:secret@host` and `pass=secret`.
    static func withoutSecrets(_ words: String) -> String {
        words.replacing(/:\/\/[^\s\/@]*@/, with: "://…@")
            .replacing(
                /(?i)((?:pass|passwd|password|secret|token|signature|credential|authorization|access_key_id|secret_access_key|key)["']?\s?[=:]\s?["']?)[^\s"',&;]+/
            ) { "\($0.1)…" }
    }
}
