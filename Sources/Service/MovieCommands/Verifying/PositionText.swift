import CommandInterface

/// Durations and positions in movies, as `recorder verify` writes them.
enum PositionText {
    /// Returns a duration such as "1:02:03" or "0:09".
    static func length(_ seconds: Double) -> String {
        let whole = Int64(clamping: max(0, seconds.isFinite ? seconds.rounded() : 0))
        return clock(whole)
    }

    /// Returns a position such as "1:02:03.40".
    static func place(_ seconds: Double) -> String {
        let hundredths = Int64(clamping: max(0, seconds.isFinite ? (seconds * 100).rounded() : 0))
        return clock(hundredths / 100) + "." + padded(hundredths % 100)
    }

    private static func clock(_ seconds: Int64) -> String {
        let minutes = seconds / 60 % 60
        return seconds >= 3600
            ? "\(seconds / 3600):\(padded(minutes)):\(padded(seconds % 60))" : "\(minutes):\(padded(seconds % 60))"
    }

    private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : String(number) }
}

extension MovieCheck {
    /// The report for the user: one line, and one more for each problem.
    package var text: String {
        var lines = ["\(file): \(headline)"]
        lines += problems.prefix(Self.mostLines).map { "  " + $0.text }
        if problems.count > Self.mostLines {
            lines.append("  and \(problems.count - Self.mostLines) more; --json lists all")
        }
        lines += notes.prefix(Self.mostLines).map { "  (\($0))" }
        return lines.joined(separator: "\n")
    }

    private static let mostLines = 20

    private var headline: String {
        let word =
            switch verdict {
            case .ok: "ok"
            case .recording: "being recorded"
            case .unfinished: "UNFINISHED"
            case .torn: "UNFINISHED, DAMAGED"
            case .cutOff: "TRUNCATED"
            case .damaged: "DAMAGED"
            case .notMovie: "NOT A MOVIE"
            }
        guard !tracks.isEmpty else { return word }
        var facts = [PositionText.length(duration)]
        if tracks.contains(where: { $0.type == "video" }) {
            facts.append("\(NumberText.grouped(frames)) frame\(frames == 1 ? "" : "s")")
        }
        if channels > 0 { facts.append("\(channels) channel\(channels == 1 ? "" : "s")") }
        return "\(word): " + facts.joined(separator: ", ")
    }
}

extension MovieCheck.Problem {
    /// A line such as "0:01.40 to 0:02.00, track 1: …; copy it again".
    package var text: String {
        var places: [String] = []
        if let from {
            let end = to.map { $0 > from ? " to \(PositionText.place($0))" : "" } ?? ""
            places.append(PositionText.place(from) + end)
        }
        if let track { places.append("track \(track)") }
        let place = places.isEmpty ? "" : places.joined(separator: ", ") + ": "
        return place + PlainText.line(what) + (wayOut.map { "; \($0)" } ?? "")
    }
}
