import CommandInterface

extension FilmComparison {
    /// What a person reads: a line, and where something differs one more for each thing.
    package var text: String {
        guard !isSame else { return "\(file): the same film as \(source)" + facts }
        var lines = ["\(file): NOT THE SAME FILM as \(source)" + facts]
        lines += differences.map { "  " + $0.text }
        return lines.joined(separator: "\n")
    }

    /// ": likeness 0.974, the least 0.951 at 0:02.40; sound 0.998"
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
    /// "from 0:01.40 on, track 1: …"
    package var text: String {
        var places: [String] = []
        if let from { places.append("from \(FilmText.place(from)) on") }
        if let track { places.append("track \(track)") }
        return (places.isEmpty ? "" : places.joined(separator: ", ") + ": ") + what
    }
}
