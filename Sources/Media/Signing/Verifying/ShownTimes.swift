import MovieFile

/// The times at which samples are shown, according to a track's edits.
struct ShownTimes {
    struct Sample {
        /// The time in the track's table, in ticks of the track.
        var presentation: Int64
        /// Ticks to the last sample of a run of PCM audio.
        var span: Int64
        /// The signed time, in ticks from the start of the movie.
        var ticks: Int64
    }

    private let edits: [StoredTrack.Edit]
    /// The track's ticks per tick of the movie.
    private let ratio: Double
    /// The track's ticks per second.
    private let scale: Double
    /// The shortest time, in ticks of the track, that is a whole number of ticks in both the track's and the movie's
    /// time scale. An edit may end late by this amount.
    private let unit: Double
    private var current = 0

    init(_ track: StoredTrack, movieScale: UInt32) {
        edits = track.edits
        scale = Double(max(1, track.description.timeScale))
        ratio = scale / Double(max(1, movieScale))
        var (a, b) = (max(1, track.description.timeScale), max(1, movieScale))
        while b != 0 { (a, b) = (b, a % b) }
        unit = scale / Double(a)
    }

    /// Returns how far the time of a sample is from its signed time, in ticks; nil if the sample is not shown. A
    /// difference that rounding explains counts as 0.
    ///
    /// - Parameter ticks: the signed time, from the start of the movie.
    mutating func error(of presentation: Int64, shownAt ticks: Int64) -> Double? {
        guard !edits.isEmpty else { return Double(presentation &- ticks) }
        for step in edits.indices {
            // Samples come roughly in the order of their times.
            let index = (current + step) % edits.count
            let edit = edits[index]
            let offset = Double(presentation &- edit.mediaTime)
            if offset > -0.0005 * scale, offset < Double(edit.duration) * ratio {
                current = index
                return error(of: presentation, shownAt: ticks, by: edit)
            }
        }
        return nil
    }

    private func error(of presentation: Int64, shownAt ticks: Int64, by edit: StoredTrack.Edit) -> Double {
        let error = abs(Double(presentation &- edit.mediaTime) + Double(edit.start) * ratio - Double(ticks))
        return error <= rounding(edit) ? 0 : error
    }

    /// Returns the permitted rounding error. An edit that does not begin at 0 begins on a tick of the movie, so its
    /// start was rounded.
    private func rounding(_ edit: StoredTrack.Edit) -> Double { edit.start == 0 ? 0 : 2 * ratio + 0.5 }

    /// Finds an edit that shows a sample at a wrong time: once more, or in place of another sample. An edit may show
    /// the current sample for longer, as edits that bridge a gap do.
    ///
    /// - Parameter samples: the signed samples, in any order.
    /// - Returns: the time, in ticks from the start of the movie; nil if there is no such edit.
    func strayEdit(_ samples: [Sample]) -> Int64? {
        let line = samples.sorted { $0.presentation < $1.presentation }
        for edit in edits {
            let start = Double(edit.start) * ratio
            // The first sample that begins after the start of the edit.
            var (next, end) = (0, line.count)
            while next < end {
                let middle = (next + end) / 2
                if line[middle].presentation > edit.mediaTime { end = middle } else { next = middle + 1 }
            }
            if next > 0, !isDue(line[next - 1], before: next < line.count ? line[next] : nil, in: edit) {
                return Int64(clamping: start)
            }
            let until = Double(edit.duration) * ratio - 2 * ratio - unit
            while next < line.count, Double(line[next].presentation &- edit.mediaTime) < until {
                let sample = line[next]
                if error(of: sample.presentation, shownAt: sample.ticks, by: edit) != 0 { return sample.ticks }
                next += 1
            }
        }
        return nil
    }

    /// Returns true if the first sample of an edit is the one that is due at that time.
    private func isDue(_ sample: Sample, before next: Sample?, in edit: StoredTrack.Edit) -> Bool {
        // The edit begins with the sample, or inside it.
        if edit.mediaTime &- sample.presentation <= sample.span {
            return error(of: sample.presentation, shownAt: sample.ticks, by: edit) == 0
        }
        let (start, rounding) = (Double(edit.start) * ratio, rounding(edit))
        return Double(sample.ticks) <= start + rounding && next.map { Double($0.ticks) >= start - rounding } ?? true
    }
}
