import MediaTypes

/// Which moment of the day each moment of a recording is of. A pure value; all times are seconds, moments those since 1970.
struct FilmClock: Sendable, Equatable {
    let begin: Double
    /// That it plays.
    let duration: Double
    /// In the order of their times.
    let pauses: [RecordingClock.Pause]

    /// When its last picture was taken.
    var end: Double { moment(of: duration) }

    /// Where the film is at a moment: at its begin or end for one before or behind it, behind a pause for one within.
    func time(at moment: Double) -> Double {
        var paused = 0.0
        for pause in pauses {
            let start = begin + pause.time + paused
            guard moment > start else { break }
            guard moment >= start + pause.duration else { return min(duration, pause.time) }
            paused += pause.duration
        }
        return min(max(0, moment - begin - paused), duration)
    }

    /// The moment of a time of the film; where it was paused, when it went on.
    func moment(of time: Double) -> Double {
        begin + time + pauses.reduce(0) { $1.time <= time ? $0 + $1.duration : $0 }
    }

    /// When it recorded in fact: the moments between its pauses.
    var stretches: [ClosedRange<Double>] {
        var result: [ClosedRange<Double>] = []
        var (start, paused) = (begin, 0.0)
        for pause in pauses where pause.time < duration {
            let stop = begin + pause.time + paused
            if stop > start { result.append(start...stop) }
            paused += pause.duration
            start = stop + pause.duration
        }
        let last = begin + duration + paused
        if last >= start { result.append(start...last) }
        return result
    }
}
