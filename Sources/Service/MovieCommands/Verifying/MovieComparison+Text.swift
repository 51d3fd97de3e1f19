import CommandInterface

extension MovieComparison {
    /// The report for the user: one line, and one more for each difference.
    package var text: String {
        var lines = ["\(file): \(isSame ? "the same movie" : "NOT THE SAME MOVIE") as \(source)" + facts]
        lines += differences.map { "  " + $0.text }
        if abs(offset) >= 0.001 {
            let milliseconds = NumberText.fixed(abs(offset) * 1000, places: 0)
            lines.append("  (everything is \(milliseconds) ms \(offset < 0 ? "earlier" : "later") than in the source)")
        }
        lines += notes.map { "  (\($0))" }
        return lines.joined(separator: "\n")
    }

    /// A text such as `: SSIM 0.974, lowest 0.951 at 0:02.40; audio correlation 0.998`.
    private var facts: String {
        var facts: [String] = []
        for track in tracks {
            if let mean = track.ssim, let worst = track.worstSSIM, let place = track.worstAt {
                facts.append(
                    "SSIM \(NumberText.fixed(mean, places: 3)), lowest \(NumberText.fixed(worst, places: 3)) at "
                        + PositionText.place(place))
            }
            if let audio = track.audioCorrelation {
                facts.append("audio correlation \(NumberText.fixed(audio, places: 3))")
            }
        }
        return facts.isEmpty ? "" : ": " + facts.joined(separator: "; ")
    }
}

extension MovieComparison.Difference {
    /// A line such as "from 0:01.40 on, track 1: …".
    package var text: String {
        var places: [String] = []
        if let from { places.append("from \(PositionText.place(from)) on") }
        if let track { places.append("track \(track)") }
        return (places.isEmpty ? "" : places.joined(separator: ", ") + ": ") + what
    }
}
