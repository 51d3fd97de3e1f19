package import MediaTypes

/// Decides where one segment of a stream ends and the next begins. A pure value; a single caller passes it every packet
/// in order.
///
/// A segment ends before a keyframe of the reference track, so that a player can begin with any segment. The keyframe
/// is the first one that is at least an interval after the segment's start. If the reference is audio, a segment may
/// end before any packet. A keyframe after a `flush` time also ends the segment.
package struct SegmentPolicy: FragmentCutting {
    /// The tolerance: frame times are rounded, so a keyframe may be early by this much.
    private static let slack = MediaTime(value: 1, timescale: 25)

    private let interval: MediaTime
    private let reference: Int
    private var start: MediaTime?
    /// True if the reference track has a sample.
    private var hasBegun = false
    /// The times of requested ends. A segment ends before the first keyframe after each of them.
    private var flushTimes: [MediaTime] = []

    /// - Parameters:
    ///   - interval: the intended duration of a segment; if infinite, only `flush` ends one.
    ///   - start: the time from which the first segment's duration counts; if nil, the time of its first sample.
    ///   - reference: index of the track that determines the ends.
    package init(interval: MediaTime, start: MediaTime? = nil, reference: Int) {
        self.interval = interval
        self.start = start
        self.reference = reference
    }

    package var isStrict: Bool { true }

    package mutating func admit(_ sample: SampleBuffer, track index: Int) -> FragmentPolicy.Decision {
        guard index == reference else { return .append }
        let time = sample.presentationTime
        guard hasBegun, let start else {
            hasBegun = true
            start = start ?? time
            return .append
        }
        let isFlushed = flushTimes.contains { time > $0 }
        guard sample.isKeyframe, isFlushed || time - start + Self.slack >= interval else { return .append }
        self.start = time
        flushTimes.removeAll { time > $0 }
        return .endBefore
    }

    package mutating func begin() {}

    /// Requests that the open segment ends before the first keyframe after `time`.
    package mutating func flush(after time: MediaTime?) { flushTimes.append(time ?? .negativeInfinity) }
}
