import MediaTypes

/// Places the samples of one part in the composition, and leaves out those that do not belong to it.
protocol SamplePlacement {
    /// The time range to read from the part's own track.
    var sourceRange: TimeRange { get }

    /// Returns the sample with its time in the composition; nil if it is left out.
    ///
    /// - Throws: `unsupported` for stored samples that cannot be joined without encoding them again.
    mutating func place(_ sample: SampleBuffer) throws(MediaError) -> SampleBuffer?

    /// Returns the second sample if the last call of `place` has placed two. Otherwise returns nil, and the next sample
    /// must be read.
    mutating func takeWaiting() -> SampleBuffer?
}

extension SamplePlacement {
    func takeWaiting() -> SampleBuffer? { nil }
}

/// Places decoded frames. A frame belongs to a part if its time does.
struct VideoPlacement: SamplePlacement {
    let part: CompositionPart

    init(_ part: CompositionPart) { self.part = part }

    var sourceRange: TimeRange { part.sourceRange }

    func place(_ sample: SampleBuffer) -> SampleBuffer? {
        let time = part.isInPlace ? sample.presentationTime : part.segment.time(of: sample.presentationTime)
        // Frames that a file shows before its own time 0 cannot follow another segment.
        if part.followsSeam, time < part.target.start { return nil }
        let end = part.segment.timeRange.end
        guard let duration = sample.duration, time < end, time + duration > end else {
            return part.isInPlace ? sample : sample.at(time)
        }
        return SampleBuffer(
            format: sample.format, content: sample.content, presentationTime: time, duration: end - time,
            sampleCount: sample.sampleCount, isKeyframe: sample.isKeyframe)
    }
}

/// The part of one segment within one range that is read. A pure value.
struct CompositionPart: Sendable {
    let segment: Composition.Segment
    let source: Composition.Source
    /// The time range in the composition.
    let target: TimeRange
    /// True if another part of the same range comes before.
    var followsSeam = false
    var precedesSeam = false

    /// True if the part begins where its segment begins, not inside the segment.
    var beginsSegment: Bool { target.start == segment.timeRange.start }

    /// True if the part's samples have the same times in the composition as in their own asset.
    var isInPlace: Bool { source.map == nil && segment.timeRange.start == source.timeRange.start }

    /// The range of the segment's own asset that corresponds to `target`.
    var sourceRange: TimeRange {
        TimeRange(start: segment.sourceTime(of: target.start), end: segment.sourceTime(of: target.end))
    }

    /// Returns a stored sample with its time in the composition.
    func placed(_ sample: SampleBuffer) -> SampleBuffer {
        if isInPlace { return sample }
        let moved = sample.at(segment.time(of: sample.presentationTime))
        // The same increasing map converts decode times and presentation times, so the order of both is kept.
        return source.map == nil ? moved : moved.decoded(at: sample.decodeTime.map(segment.time(of:)))
    }

    /// Returns the parts to read for these ranges, in order. Gaps are left out.
    static func parts(of segments: [Composition.Segment], in ranges: [TimeRange]) -> [CompositionPart] {
        ranges.flatMap { range in
            var parts = segments.compactMap { segment -> CompositionPart? in
                let target = segment.timeRange.intersection(range)
                guard let source = segment.source, !target.isEmpty else { return nil }
                return CompositionPart(segment: segment, source: source, target: target)
            }
            for index in parts.indices {
                parts[index].followsSeam = index > 0
                parts[index].precedesSeam = index < parts.count - 1
            }
            return parts
        }
    }
}
