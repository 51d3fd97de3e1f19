/// Counts frames of which no packet arrived, from the RTP times of the others. A pure value.
///
/// Frames may arrive out of order, so a gap is examined only once no further frame can fall into it. A gap counts only
/// if packets are missing too. It counts at most as many frames as packets are missing.
package struct FrameGaps: Sendable {
    private struct Frame: Sendable {
        var ticks: Int64
        /// The number of samples that were received and counted as lost already; 0 for a frame that arrived.
        var dropped: Int64
    }

    /// The number of frames, for each frame of reorder depth, after which missing packets no longer explain a gap. A
    /// pyramid of depth 2 needs 5 frames, and a pyramid of depth 3 needs 10.
    private static let longestReordering = 4

    /// A step back of the RTP time by these seconds is a new beginning. A smaller step back is a frame that is shown
    /// before an earlier one.
    package static let mostBack: Int64 = 2

    private let clockRate: Int64
    /// The latest frames, in the order of their RTP times. A frame that arrives later may still precede them.
    private var waiting: [Frame] = []
    /// The RTP time of the latest frame before the waiting ones.
    private var last: Int64?
    /// The distance between two frames in RTP time.
    package private(set) var interval: Int64 = 0
    /// The largest RTP time of a frame that arrived.
    package private(set) var newest: Int64?
    /// The number of frames after `last` that were already counted as lost.
    private var counted: Int64 = 0
    /// The missing packets that no gap explains so far.
    package private(set) var missing: Int64 = 0
    /// The number of frames since the latest missing packets.
    private var age = 0

    package init(clockRate: Int64) { self.clockRate = max(1, clockRate) }

    /// Adds a frame that arrived, even if it is damaged.
    ///
    /// - Parameters:
    ///   - lostPackets: The number of packets that are missing before the frame or within it.
    ///   - depth: The maximum number of frames that come before another frame and are shown after it.
    /// - Returns: The number of frames that are missing completely.
    package mutating func add(_ ticks: Int64, lostPackets: Int64, depth: Int) -> Int64 {
        if let newest = waiting.last?.ticks ?? last, newest &- ticks >= Self.mostBack &* clockRate { restart() }
        if lostPackets > 0 { (missing, age) = (missing &+ lostPackets, 0) }
        newest = max(newest ?? ticks, ticks)
        insert(Frame(ticks: ticks, dropped: 0))
        var frames: Int64 = 0
        while waiting.count > depth { frames += examine(waiting.removeFirst()) }
        // After a missing frame come the frames that are shown before it, and then those that are shown right after it.
        if age >= Self.longestReordering * depth { missing = 0 } else { age += 1 }
        return frames
    }

    /// Returns true if whole frames may be missing right before the frame that is to be added. This is the case if
    /// packets are missing and the frame is later than the next frame should be. Parameters are the same as for `add`.
    package func mayMissFrames(before ticks: Int64, lostPackets: Int64, depth: Int) -> Bool {
        // With reordered frames, leading frames of a missing keyframe may arrive between the missing packets and this
        // frame.
        guard let newest, lostPackets > 0 || depth > 0 && missing > 0 else { return false }
        return ticks &- newest > interval + interval / 2
    }

    /// Adds samples that were received but cannot be used. They are already counted as lost.
    package mutating func addDropped(_ ticks: Int64, count: Int64) { insert(Frame(ticks: ticks, dropped: count)) }

    /// Forgets all frames, because the next RTP time is not related to the earlier ones.
    package mutating func restart() {
        waiting.removeAll(keepingCapacity: true)
        (last, newest, counted, missing) = (nil, nil, 0, 0)
    }

    private mutating func insert(_ frame: Frame) {
        guard last.map({ frame.ticks > $0 }) ?? true else { return }
        let index = waiting.firstIndex { $0.ticks >= frame.ticks } ?? waiting.endIndex
        // The rest of a frame that arrived does not count as another frame.
        guard index == waiting.endIndex || waiting[index].ticks != frame.ticks else { return }
        waiting.insert(frame, at: index)
    }

    private mutating func examine(_ frame: Frame) -> Int64 {
        guard frame.dropped == 0 else {
            counted &+= frame.dropped
            return 0
        }
        defer { (self.last, counted) = (frame.ticks, 0) }
        guard let last else { return 0 }
        let step = frame.ticks &- last
        guard missing > 0 else {
            if counted == 0 { interval = step }
            return 0
        }
        guard interval > 0, step > interval else { return 0 }
        let frames = max(0, min(missing, (step &+ interval / 2) / interval &- 1 &- counted))
        missing -= frames
        return frames
    }
}
