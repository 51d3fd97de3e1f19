import MovieFile

/// When samples are shown, by a track's edits.
struct ShownTimes {
    struct Sample {
        /// By its table, in ticks of that.
        var presentation: Int64
        /// Ticks to the last one of a stretch of PCM sound.
        var span: Int64
        /// When the signature says that it is shown, in ticks since the movie's beginning.
        var ticks: Int64
    }

    private let edits: [StoredTrack.Edit]
    /// Ticks of the track for one of the movie.
    private let ratio: Double
    /// Ticks of the track for a second.
    private let scale: Double
    /// The shortest time that is whole in both: by that an edit may end late.
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

    /// How many ticks a sample is from where it should be shown, beyond what rounding is the reason for; nil for what is not
    /// shown.
    ///
    /// - Parameter ticks: since the movie's beginning.
    mutating func error(of presentation: Int64, shownAt ticks: Int64) -> Double? {
        guard !edits.isEmpty else { return Double(presentation &- ticks) }
        for step in edits.indices {
            // Samples come in the order of their times, more or less.
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

    /// An edit that begins later does so on a tick of the movie.
    private func rounding(_ edit: StoredTrack.Edit) -> Double { edit.start == 0 ? 0 : 2 * ratio + 0.5 }

    /// Whether an edit shows something that is not due: again, or instead of something else. It may go on with what is shown already,
    /// as edits do that bridge a gap.
    ///
    /// - Parameter samples: those that are signed, in any order.
    /// - Returns: when that is, in ticks since the movie's beginning; nil where none does.
    func strayEdit(_ samples: [Sample]) -> Int64? {
        let line = samples.sorted { $0.presentation < $1.presentation }
        for edit in edits {
            let start = Double(edit.start) * ratio
            // The first that begins behind the edit's beginning.
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

    /// Whether what an edit begins with is what is shown then anyway.
    private func isDue(_ sample: Sample, before next: Sample?, in edit: StoredTrack.Edit) -> Bool {
        // It begins with, or within, what the sample holds.
        if edit.mediaTime &- sample.presentation <= sample.span {
            return error(of: sample.presentation, shownAt: sample.ticks, by: edit) == 0
        }
        let (start, rounding) = (Double(edit.start) * ratio, rounding(edit))
        return Double(sample.ticks) <= start + rounding && next.map { Double($0.ticks) >= start - rounding } ?? true
    }
}
