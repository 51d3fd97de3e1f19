import AssetIO
import MediaTypes

/// A recording on the common timeline, as time ranges between its pauses. A pure value; all times are seconds.
struct PlacedRecording {
    /// A time range without a pause.
    private struct Interval {
        /// The range's beginning in the movie. The last range has no end.
        var start: Double
        var end: Double
        /// The machine's clock at `start`.
        var moment: Double
    }

    private let intervals: [Interval]
    private let line: TimelineMap
    private let duration: Double

    init(_ clock: RecordingClock, duration: Double, line: TimelineMap) {
        self.line = line
        self.duration = max(0, duration)
        var intervals: [Interval] = []
        var (position, moment) = (0.0, clock.start)
        for pause in clock.pauses.sorted(by: { $0.time < $1.time }) {
            guard pause.time > 0, pause.time < duration, pause.duration > 0, pause.duration <= ClockAlignment.farthest
            else { continue }
            if pause.time > position {
                intervals.append(Interval(start: position, end: pause.time, moment: moment))
            }
            moment += pause.time - position + pause.duration
            position = pause.time
        }
        intervals.append(Interval(start: position, end: .infinity, moment: moment))
        self.intervals = intervals
    }

    var start: Double { line.time(at: intervals[0].moment) }
    var end: Double { line.time(at: lastMoment) }
    private var lastMoment: Double {
        let last = intervals[intervals.count - 1]
        return last.moment + max(0, duration - last.start)
    }

    /// The time ranges that were recorded, on the common timeline.
    var running: [ClosedRange<Double>] {
        intervals.map { interval in
            let start = line.time(at: interval.moment)
            let end = line.time(at: interval.moment + min(interval.end, max(interval.start, duration)) - interval.start)
            return start...max(start, end)
        }
    }

    /// Returns the map from the movie's time to the timeline; nil if the numbers are impossible.
    ///
    /// - Parameter place: Maps a time on the timeline to its final position.
    func map(_ place: (Double) -> Double) -> TimeMap? {
        var pieces: [TimeMap.Piece] = []
        for interval in intervals {
            let length = interval.end - interval.start
            var from = 0.0
            var bends = line.bends.map { $0 - interval.moment }.filter { $0 > 0 && $0 < length }
            if !length.isFinite, !bends.isEmpty {
                // Use no bends after the recording's end. The combined movie may leave out that time, so it cannot be
                // mapped piece by piece.
                let rest = duration - interval.start
                bends = bends.filter { $0 < rest } + (rest > 0 ? [rest] : [])
            }
            for to in bends + (length.isFinite ? [length] : []) {
                pieces.append(
                    piece(
                        interval.start + from..<interval.start + to, place(line.time(at: interval.moment + from)),
                        place(line.time(at: interval.moment + to))))
                from = to
            }
            guard !length.isFinite else { continue }
            // After the last reading, both clocks run at the same rate.
            pieces.append(
                TimeMap.Piece(
                    source: TimeRange(start: Self.time(interval.start + from), end: .positiveInfinity),
                    target: TimeRange(
                        start: Self.time(place(line.time(at: interval.moment + from))), end: .positiveInfinity)))
        }
        return TimeMap(Self.joined(pieces))
    }

    private func piece(_ source: Range<Double>, _ start: Double, _ end: Double) -> TimeMap.Piece {
        TimeMap.Piece(
            source: TimeRange(start: Self.time(source.lowerBound), end: Self.time(source.upperBound)),
            target: TimeRange(start: Self.time(start), end: Self.time(end)))
    }

    /// Removes pieces shorter than a nanosecond, and joins pieces that continue the previous one.
    private static func joined(_ pieces: [TimeMap.Piece]) -> [TimeMap.Piece] {
        var result: [TimeMap.Piece] = []
        for piece in pieces where !piece.source.isEmpty && !piece.target.isEmpty {
            if let last = result.last, last.isShift, piece.isShift, last.target.end == piece.target.start {
                result[result.count - 1] = TimeMap.Piece(
                    source: TimeRange(start: last.source.start, end: piece.source.end),
                    target: TimeRange(start: last.target.start, end: piece.target.end))
            } else {
                result.append(piece)
            }
        }
        return result
    }

    private static func time(_ seconds: Double) -> MediaTime { MediaTime(seconds: seconds, timescale: 1_000_000_000) }
}

/// The time ranges in which at least one recording was paused and no other was recording. The combined movie leaves
/// them out. A pure value; all times are seconds.
struct SharedPauses {
    /// The ranges in order, each with the total duration of those before it.
    private let gaps: [(range: ClosedRange<Double>, before: Double)]

    init(_ recordings: [PlacedRecording]) {
        let pauses = recordings.flatMap { recording -> [ClosedRange<Double>] in
            let running = recording.running
            return zip(running, running.dropFirst()).map { $0.upperBound...max($0.upperBound, $1.lowerBound) }
        }
        let running = recordings.flatMap(\.running).sorted { $0.lowerBound < $1.lowerBound }
        var gaps: [(range: ClosedRange<Double>, before: Double)] = []
        var total = 0.0
        var reached = running.first?.upperBound ?? 0
        for next in running.dropFirst() {
            if next.lowerBound > reached {
                // The time between recordings that do not overlap is not a pause, and is kept.
                for range in Self.united(pauses, within: reached...next.lowerBound) {
                    gaps.append((range, total))
                    total += range.upperBound - range.lowerBound
                }
            }
            reached = max(reached, next.upperBound)
        }
        self.gaps = gaps
    }

    var total: Double { gaps.last.map { $0.before + $0.range.upperBound - $0.range.lowerBound } ?? 0 }

    /// Returns the position of a time on the timeline after these ranges are left out.
    func moved(_ time: Double) -> Double {
        var (low, high) = (0, gaps.count)
        while low < high {
            let middle = (low + high) / 2
            if gaps[middle].range.lowerBound <= time { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return time }
        let (range, before) = gaps[low - 1]
        return time - before - (min(time, range.upperBound) - range.lowerBound)
    }

    private static func united(_ ranges: [ClosedRange<Double>], within limit: ClosedRange<Double>) -> [ClosedRange<
        Double
    >] {
        var result: [ClosedRange<Double>] = []
        for range in ranges.filter({ $0.overlaps(limit) }).map({ $0.clamped(to: limit) })
            .sorted(by: { $0.lowerBound < $1.lowerBound }) where range.upperBound > range.lowerBound
        {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }
}
