import Foundation

/// The frame counts in a recorder's last message: `video 111,815 captured, 111,815 written, …`.
struct RecorderAccount {
    let line: String
    let captured: Int
    let written: Int
    let dropped: Int
    /// The total duration of the pauses in seconds; nil without any.
    let paused: Double?

    /// Returns true if every frame was written, dropped or paused.
    ///
    /// The message has the duration of the pauses, which is that of the audio, so their frames are known within one for
    /// each end of a pause.
    func isExact(frameRate: Int) -> Bool {
        let rest = captured - written - dropped
        guard let paused else { return rest == 0 }
        return abs(Double(rest) - paused * Double(frameRate)) <= 4
    }

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
        // "paused 4.03 s"; the lab pauses for less than a minute.
        paused =
            line.components(separatedBy: " · ").lazy.compactMap { part in
                part.hasPrefix("paused ") ? part.split(separator: " ").dropFirst().first.flatMap { Double($0) } : nil
            }.first
    }
}
