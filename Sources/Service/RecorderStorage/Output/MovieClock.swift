package import MediaTypes

/// The mapping between the times of a recording and wall clock times. A pure value; all times are seconds, and wall
/// clock times are seconds since 1970.
package struct MovieClock: Sendable, Equatable {
    package let begin: Double
    /// The playing time.
    package let duration: Double
    /// The pauses, in time order.
    package let pauses: [RecordingClock.Pause]

    package init(begin: Double, duration: Double, pauses: [RecordingClock.Pause]) {
        (self.begin, self.duration, self.pauses) = (begin, duration, pauses)
    }

    /// The wall clock time of the last frame.
    package var end: Double { moment(of: duration) }

    /// Returns the movie time at a wall clock time. Times before or after the recording map to its beginning or end; a
    /// time within a pause maps to the pause's position.
    package func time(at moment: Double) -> Double {
        var paused = 0.0
        for pause in pauses {
            let start = begin + pause.time + paused
            guard moment > start else { break }
            guard moment >= start + pause.duration else { return min(duration, pause.time) }
            paused += pause.duration
        }
        return min(max(0, moment - begin - paused), duration)
    }

    /// Returns the wall clock time of a movie time; at a pause, the time at which the recording resumed.
    package func moment(of time: Double) -> Double {
        begin + time + pauses.reduce(0) { $1.time <= time ? $0 + $1.duration : $0 }
    }

    /// The wall clock times that were recorded: those between the pauses.
    package var ranges: [ClosedRange<Double>] {
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
