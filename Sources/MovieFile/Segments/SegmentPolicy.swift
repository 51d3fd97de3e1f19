package import MediaTypes

/// Decides where one segment of a stream ends and the next begins. A pure value; one place feeds it every packet in order.
///
/// A segment ends before the first key frame of the reference track that comes an interval or more after its start, so
/// that a player can begin with any segment; where the reference is sound, before any packet. Nothing else ends it.
package struct SegmentPolicy: FragmentCutting {
    /// Frame times are rounded: a key frame that comes this much early is in time.
    private static let slack = MediaTime(value: 1, timescale: 25)

    private let interval: MediaTime
    private let reference: Int
    private var start: MediaTime?
    /// The reference track has a sample.
    private var hasBegun = false
    /// A segment is to end at the first key frame behind each of these.
    private var flushTimes: [MediaTime] = []

    /// - Parameters:
    ///   - interval: how long a segment is meant to be; infinite: only `flush` ends one.
    ///   - start: what the first segment's length is counted from; nil: its first sample.
    ///   - reference: index of the track that sets the rhythm.
    package init(interval: MediaTime, start: MediaTime? = nil, reference: Int) {
        self.interval = interval
        self.start = start
        self.reference = reference
    }

    package var isStrict: Bool { true }

    package mutating func admit(_ sample: SampleBuffer, track index: Int) -> FragmentPolicy.Decision {
        guard index == reference else { return .goOn }
        let time = sample.presentationTime
        guard hasBegun, let start else {
            hasBegun = true
            start = start ?? time
            return .goOn
        }
        let isFlushed = flushTimes.contains { time > $0 }
        guard sample.isKeyFrame, isFlushed || time - start + Self.slack >= interval else { return .goOn }
        self.start = time
        flushTimes.removeAll { time > $0 }
        return .endBefore
    }

    package mutating func begin() {}

    /// The segment that is open ends before the next key frame behind that moment.
    package mutating func flush(after time: MediaTime?) { flushTimes.append(time ?? .negativeInfinity) }
}
