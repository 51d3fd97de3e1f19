import MediaTypes

/// Puts the samples of one part where they belong in the composition, and leaves out what is not of it.
protocol SamplePlacement {
    /// What is to be read of the part's own track.
    var sourceRange: TimeRange { get }

    /// The sample at its place; nil when it is left out.
    ///
    /// - Throws: `unsupported` for stored samples that cannot be joined without encoding them again.
    mutating func place(_ sample: SampleBuffer) throws(MediaError) -> SampleBuffer?
}

/// Decoded pictures belong to a part by their time.
struct PicturePlacement: SamplePlacement {
    let part: CompositionPart

    init(_ part: CompositionPart) { self.part = part }

    var sourceRange: TimeRange { part.sourceRange }

    func place(_ sample: SampleBuffer) -> SampleBuffer? {
        let time = part.isInPlace ? sample.presentationTime : part.segment.time(of: sample.presentationTime)
        // What a file shows before its own time 0 has no place behind another segment.
        if part.followsSeam, time < part.target.start { return nil }
        let end = part.segment.timeRange.end
        guard let duration = sample.duration, time < end, time + duration > end else {
            return part.isInPlace ? sample : sample.at(time)
        }
        return SampleBuffer(
            format: sample.format, content: sample.content, presentationTime: time, duration: end - time,
            sampleCount: sample.sampleCount, isKeyFrame: sample.isKeyFrame)
    }
}

/// What one segment contributes to one range that is read. A pure value.
struct CompositionPart: Sendable {
    let segment: Composition.Segment
    let source: Composition.Source
    /// In the composition.
    let target: TimeRange
    /// Another part of the same range comes before, or after.
    var followsSeam = false
    var precedesSeam = false

    /// Its samples are presented in the composition when they are in their own asset.
    var isInPlace: Bool { source.map == nil && segment.timeRange.start == source.timeRange.start }

    /// The target in the time of its own asset.
    var sourceRange: TimeRange {
        TimeRange(start: segment.sourceTime(of: target.start), end: segment.sourceTime(of: target.end))
    }

    /// A stored sample in its place.
    func placed(_ sample: SampleBuffer) -> SampleBuffer {
        if isInPlace { return sample }
        let moved = sample.at(segment.time(of: sample.presentationTime))
        // By the same map, which rises: what is decoded before it is shown still is, and in the same order.
        return source.map == nil ? moved : moved.decoded(at: sample.decodeTime.map(segment.time(of:)))
    }

    /// What is read for these ranges, in order; gaps are left out.
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
