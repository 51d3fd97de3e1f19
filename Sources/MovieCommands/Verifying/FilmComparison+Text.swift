import CommandInterface

extension FilmComparison {
    /// The report for the user: one line, and one more for each difference.
    package var text: String {
        var lines = ["\(file): \(isSame ? "the same film" : "NOT THE SAME FILM") as \(source)" + facts]
        lines += differences.map { "  " + $0.text }
        if abs(offset) >= 0.001 {
            let milliseconds = NumberText.fixed(abs(offset) * 1000, places: 0)
            lines.append("  (all of it is \(milliseconds) ms \(offset < 0 ? "earlier" : "later") than in its source)")
        }
        lines += notes.map { "  (\($0))" }
        return lines.joined(separator: "\n")
    }

    /// A text such as `: likeness 0.974, the least 0.951 at 0:02.40; sound 0.998`.
    private var facts: String {
        var facts: [String] = []
        for track in tracks {
            if let mean = track.likeness, let worst = track.worstLikeness, let place = track.worstAt {
                facts.append(
                    "likeness \(NumberText.fixed(mean, places: 3)), the least \(NumberText.fixed(worst, places: 3)) at "
                        + FilmText.place(place))
            }
            if let sound = track.soundLikeness { facts.append("sound \(NumberText.fixed(sound, places: 3))") }
        }
        return facts.isEmpty ? "" : ": " + facts.joined(separator: "; ")
    }
}

extension FilmComparison.Difference {
    /// A line such as "from 0:01.40 on, track 1: …".
    package var text: String {
        var places: [String] = []
        if let from { places.append("from \(FilmText.place(from)) on") }
        if let track { places.append("track \(track)") }
        return (places.isEmpty ? "" : places.joined(separator: ", ") + ": ") + what
    }
}
