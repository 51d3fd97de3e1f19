import MediaTypes

/// The contiguous segments of a track, in order. Edits move later segments. A pure value.
struct SegmentList: Sendable {
    typealias Segment = Composition.Segment

    private(set) var segments: [Segment] = []

    var end: MediaTime { segments.last?.timeRange.end ?? .zero }

    /// Inserts media or gaps. If `time` is after the end of the list, a gap is inserted before them. The inserted
    /// segments' own times are ignored.
    mutating func insert(_ new: [Segment], at time: MediaTime) {
        if time > end { segments.append(Segment(timeRange: TimeRange(start: end, end: time))) }
        segments.insert(contentsOf: new, at: split(at: time))
        settle()
    }

    /// Removes a time range. Later segments move earlier to close the gap.
    mutating func remove(_ range: TimeRange) {
        let first = split(at: range.start)
        let last = split(at: range.end)
        segments.removeSubrange(first..<max(first, last))
        settle()
    }

    /// Changes the duration of a time range. Later segments move accordingly. Gaps in the range become longer or
    /// shorter like media.
    mutating func scale(_ range: TimeRange, to duration: MediaTime) {
        let first = split(at: range.start)
        let last = split(at: range.end)
        guard first < last else { return }
        func moved(_ time: MediaTime) -> MediaTime {
            MediaTime.scaled(time - range.start, from: range.duration, to: duration)
        }
        for index in first..<last {
            let segment = segments[index]
            let length = moved(segment.timeRange.end) - moved(segment.timeRange.start)
            segments[index] = segment.lasting(length)
        }
        settle()
    }

    /// Replaces all segments. The new ones are placed one after the other; their own times are ignored.
    mutating func replaceAll(with new: [Segment]) {
        segments = new
        settle()
    }

    /// Splits the segment at this time in two.
    ///
    /// - Returns: the index of the segment that begins at this time.
    private mutating func split(at time: MediaTime) -> Int {
        guard let index = segments.firstIndex(where: { $0.timeRange.end > time }) else { return segments.count }
        let segment = segments[index]
        let length = time - segment.timeRange.start
        guard length > .zero else { return index }
        var (head, tail) = (segment, segment)
        head.timeRange.duration = length
        tail.timeRange = TimeRange(start: time, end: segment.timeRange.end)
        if let source = segment.source {
            let cut = segment.sourceTime(of: time)
            head.source?.timeRange = TimeRange(start: source.timeRange.start, end: cut)
            tail.source?.timeRange = TimeRange(start: cut, end: source.timeRange.end)
        }
        segments.replaceSubrange(index...index, with: [head, tail])
        return index + 1
    }

    /// Recomputes the times, joins adjacent segments of the same media, and removes empty segments and a gap at the
    /// end.
    private mutating func settle() {
        var settled: [Segment] = []
        var time = MediaTime.zero
        for var segment in segments where !segment.timeRange.isEmpty {
            if let last = settled.last, let joined = last.joined(with: segment) {
                settled[settled.count - 1] = joined
            } else {
                segment.timeRange.start = time
                settled.append(segment)
            }
            time = settled.last?.timeRange.end ?? time
        }
        if settled.last?.source == nil { settled = settled.dropLast() }
        segments = settled
    }
}

extension Composition.Segment {
    static func gap(_ duration: MediaTime) -> Self { Self(timeRange: TimeRange(start: .zero, duration: duration)) }

    static func media(_ range: TimeRange, of track: AssetTrack, from asset: Asset) -> Self {
        Self(
            timeRange: TimeRange(start: .zero, duration: range.duration),
            source: Composition.Source(asset: asset, track: track, timeRange: range))
    }

    /// Returns the time in the composition for a time in the asset.
    func time(of moment: MediaTime) -> MediaTime {
        guard let source else { return moment }
        guard let map = source.map else { return moment + (timeRange.start - source.timeRange.start) }
        return map.target(of: moment) + (timeRange.start - map.target(of: source.timeRange.start))
    }

    /// Returns the time in the asset for a time in the composition.
    func sourceTime(of time: MediaTime) -> MediaTime {
        guard let source else { return time }
        guard let map = source.map else { return time + (source.timeRange.start - timeRange.start) }
        return map.source(of: time + (map.target(of: source.timeRange.start) - timeRange.start))
    }

    init(timeRange: TimeRange) { self.init(timeRange: timeRange, source: nil) }

    /// Returns both segments as one if `next` continues this segment's media in the same track, or if both are gaps;
    /// otherwise nil.
    fileprivate func joined(with next: Self) -> Self? {
        let duration = timeRange.duration + next.timeRange.duration
        var result = self
        result.timeRange.duration = duration
        switch (source, next.source) {
        case (nil, nil): return result
        case (let one?, let other?):
            guard one.asset.id == other.asset.id, one.track.id == other.track.id,
                one.timeRange.end == other.timeRange.start, one.map == nil, other.map == nil
            else { return nil }
            result.source?.timeRange.duration = duration
            return result
        default: return nil
        }
    }
}
