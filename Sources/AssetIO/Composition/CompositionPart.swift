import MediaTypes

/// What one segment contributes to one range that is read. A pure value.
struct CompositionPart: Sendable {
    let segment: Composition.Segment
    let source: Composition.Source
    /// In the composition.
    let target: TimeRange
    /// Another part of the same range comes before, or after.
    var followsSeam = false
    var precedesSeam = false

    /// How much later its samples are presented in the composition than in their own asset.
    var shift: MediaTime { segment.timeRange.start - source.timeRange.start }

    /// The target in the time of its own asset.
    var sourceRange: TimeRange { TimeRange(start: target.start - shift, duration: target.duration) }

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
