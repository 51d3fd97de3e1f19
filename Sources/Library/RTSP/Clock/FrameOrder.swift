/// Assigns decode times to frames, because RTP does not carry any. A pure value.
///
/// Frames arrive in decode order with their presentation times. At a reorder depth of D, at most D frames come before a
/// frame and are shown after it. So the decode time of frame n is the (n − D)th of the presentation times so far, in
/// increasing order. This time is known at once, it increases, and it is never after the frame's own time. The first D
/// frames have no such time. They get times before the first frame, one frame duration apart.
///
/// The parameter sets state the depth (`declare`). If they do not, or if the stated depth is too small, a frame may
/// come too late for its decode time. Such a frame is refused, and the depth that it needs is used from the next
/// keyframe on.
package struct FrameOrder: Sendable {
    /// The maximum reorder depth of H.264 and H.265 (ITU-T H.264, A.3.1: `MaxDpbFrames`).
    private static let mostDepth = 16
    /// The time without frames after which the decode times begin again at a keyframe, in nanoseconds. Otherwise they
    /// would be times from before the gap.
    private static let longestGap: Int64 = 1_000_000_000

    /// The number of frames by which decode times lag behind presentation times.
    package private(set) var depth = 0
    /// The depth from the next keyframe on. It never decreases.
    private var nextDepth = 0
    /// The time between the latest two decode times, in nanoseconds.
    private var interval: Int64
    /// The presentation times that are not decode times yet, in increasing order.
    private var waiting: [Int64] = []
    /// The number of further decode times that are needed before the first waiting time.
    private var additional = 0
    /// The latest decode time; nil before the first frame.
    private var last: Int64?
    /// The latest decode time that is also a presentation time.
    private var lastShown: Int64?
    /// The presentation times of the latest frames, including refused ones, in decode order.
    private var recent: [Int64] = []
    private var newest = Int64.min
    private var beginsAgain = false

    /// - Parameter frameDuration: The expected time between frames in nanoseconds.
    package init(frameDuration: Int64 = 33_333_333) { interval = max(1, min(frameDuration, Self.longestGap)) }

    /// Sets the depth that the parameter sets state, from the next keyframe on.
    package mutating func declare(_ depth: Int) { nextDepth = max(nextDepth, min(depth, Self.mostDepth)) }

    /// Records that the next keyframe does not continue an earlier frame, as after a new connection.
    package mutating func restart() { beginsAgain = true }

    /// Returns the decode time of the next frame in decode order; nil if the frame comes too late, or if it has the
    /// time of another frame. Such a frame is not counted.
    ///
    /// - Parameter time: The frame's presentation time in nanoseconds.
    package mutating func place(_ time: Int64, isKeyframe: Bool) -> Int64? {
        if isKeyframe || last == nil { begin(at: time) }
        defer { remember(time) }
        guard let last, time > last else {
            learn(time)
            return nil
        }
        let index = waiting.firstIndex { $0 >= time } ?? waiting.endIndex
        guard index == waiting.endIndex || waiting[index] != time else { return nil }
        waiting.insert(time, at: index)
        newest = max(newest, time)
        let room = waiting[0] &- last
        guard additional > 0, room > Int64(additional) else {
            additional = 0
            return showNext()
        }
        // The additional decode times divide the time before the first waiting one evenly.
        let decodeTime = last &+ room / Int64(additional + 1)
        additional -= 1
        self.last = decodeTime
        return decodeTime
    }

    private mutating func showNext() -> Int64 {
        let time = waiting.removeFirst()
        if let lastShown, time > lastShown, time &- lastShown < Self.longestGap { interval = time &- lastShown }
        (last, lastShown) = (time, time)
        return time
    }

    /// Begins a GOP. The depth changes only here.
    private mutating func begin(at time: Int64) {
        let added = nextDepth - depth
        depth = nextDepth
        let lead = Int64(depth + 1) &* interval
        guard let last else {
            // There is nothing to begin again before the first frame.
            (self.last, additional, beginsAgain) = (time &- lead, depth, false)
            return
        }
        let isGap = beginsAgain || time > newest && time &- newest > Self.longestGap
        guard isGap, time > newest, time &- last > Int64(depth + 1) else {
            additional += added
            return
        }
        beginsAgain = false
        waiting.removeAll(keepingCapacity: true)
        (self.last, lastShown, additional) = (max(last, time &- lead), nil, depth)
    }

    private mutating func remember(_ time: Int64) {
        recent.append(time)
        if recent.count > Self.mostDepth { recent.removeFirst() }
    }

    private mutating func learn(_ time: Int64) { declare(recent.count { $0 > time }) }
}
