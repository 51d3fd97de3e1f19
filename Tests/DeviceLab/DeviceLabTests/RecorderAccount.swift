import Foundation

/// The frame counts in a recorder's last message: `video 111,815 captured, 111,815 written, …`.
struct RecorderAccount {
    let line: String
    let captured: Int
    let written: Int
    let dropped: Int

    var isExact: Bool { captured == written + dropped }

    /// Returns one value for each process that ended.
    static func all(in messages: String) -> [RecorderAccount] {
        messages.split(separator: "\n").compactMap { RecorderAccount(line: String($0)) }
    }

    private init?(line: String) {
        let video = line.components(separatedBy: " · ")[0]
        func number(before word: String) -> Int? {
            guard let range = video.range(of: word) else { return nil }
            return video[..<range.lowerBound].split(separator: " ").last.flatMap { Int($0.replacing(",", with: "")) }
        }
        guard let captured = number(before: " captured, "), let written = number(before: " written") else { return nil }
        self.line = line
        self.captured = captured
        self.written = written
        dropped = number(before: " dropped (") ?? 0
    }
}
