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
    private var isFlushRequested = false

    /// - Parameters:
    ///   - interval: how long a segment is meant to be; infinite: only `flush` ends one.
    ///   - reference: index of the track that sets the rhythm.
    package init(interval: MediaTime, reference: Int) {
        self.interval = interval
        self.reference = reference
    }

    package var isStrict: Bool { true }

    package mutating func admit(_ sample: SampleBuffer, track index: Int) -> FragmentPolicy.Decision {
        guard index == reference else { return .goOn }
        let time = sample.presentationTime
        guard let start else {
            start = time
            return .goOn
        }
        guard sample.isKeyFrame, isFlushRequested || time - start + Self.slack >= interval else { return .goOn }
        self.start = time
        isFlushRequested = false
        return .endBefore
    }

    package mutating func begin() {}

    /// The segment that is open ends before the next key frame.
    package mutating func flush() { isFlushRequested = true }
}
