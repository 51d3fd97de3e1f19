package import MediaTypes

/// The drop count and the time of each frame, derived from the driver's sequence numbers and timestamps. A plain value.
///
/// Source: the Linux media API, struct v4l2_buffer, `sequence` and `timestamp`.
package struct FrameAccount: Sendable {
    /// The start of streaming, in nanoseconds of the monotonic clock.
    private let start: Int64
    /// Nanoseconds from one frame to the next; nil if the driver does not report it.
    private let interval: Int64?
    private var lastSequence: UInt32?
    private var framesSeen: Int64 = 0
    /// The time of the latest frame for which losses were counted.
    private var countedTime = MediaTime.invalid
    /// The time of the last frame, in microseconds.
    private var lastTime: Int64?
    /// The last accepted timestamp, in microseconds. After a replacement it is before `lastTime`.
    private var lastStamp: Int64?
    /// The shortest time from a frame's timestamp to its arrival, in microseconds; nil before the first good timestamp.
    private var delay: Int64?
    /// A timestamp that was rejected but may still be confirmed, in microseconds.
    private var unconfirmed: Int64?
    private var badStampsInARow = 0

    /// The longest exposure, in microseconds. The first frame's timestamp may be this much earlier than the start of
    /// streaming.
    private static let longestExposure: Int64 = 1_000_000
    /// The tolerance for drivers whose clock runs ahead, in microseconds.
    private static let futureTolerance: Int64 = 100_000
    /// The longest step between timestamps that is accepted without confirmation by a second one, in microseconds.
    private static let longestStep: Int64 = 10_000_000
    /// The maximum age, in microseconds, of a frame that needs no confirmation even after a longer step.
    private static let freshness: Int64 = 1_000_000
    /// The number of consecutive bad timestamps that are replaced by the last time plus one interval. Further ones are
    /// replaced by the time of arrival minus the usual delay.
    private static let fewBadStamps = 3
    /// The maximum ratio of a camera's real rate to the stated one.
    private static let mostRates: Int64 = 8
    /// The shortest interval between the frames of a camera without a stated rate, in nanoseconds.
    private static let shortestInterval: Int64 = 1_000_000
    /// The longest time, in microseconds, by which an accepted timestamp may be before the last frame's replaced time.
    private static let longestLag: Int64 = 1_000_000

    /// The number of frames whose timestamp was replaced, because it was not, or could not be, a time of the kernel's
    /// monotonic clock, or because the last replacement was later.
    package private(set) var replacedStamps: Int64 = 0

    package init(start: Int64, interval: Int64? = nil) {
        self.start = start
        self.interval = interval
    }

    /// Returns the number of frames that were captured between the last frame and this one but never delivered.
    ///
    /// The sequence number wraps at 2³². A driver whose number repeats or decreases does not count frames, so no loss
    /// can be detected. The loss is limited to the frames that the elapsed time allows:
    /// - Before the second frame at the stated rate, because the first buffer of some drivers is stale, and the second
    ///   number includes frames from before streaming began.
    /// - Before later frames at a much higher rate, because a number may be wrong, and so may the stated rate.
    ///
    /// - Parameter time: The frame's time.
    package mutating func framesLost(before sequence: UInt32, at time: MediaTime = .invalid) -> Int64 {
        defer {
            lastSequence = sequence
            countedTime = time
            framesSeen += 1
        }
        guard let lastSequence else { return 0 }
        let step = sequence &- lastSequence
        guard step > 1, step < 1 << 31 else { return 0 }
        guard time.isNumeric, countedTime.isNumeric else { return Int64(step) - 1 }
        let elapsed = max(0, (time - countedTime).nanoseconds)
        guard framesSeen == 1 else {
            return min(Int64(step) - 1, elapsed / max(1, interval.map { $0 / Self.mostRates } ?? Self.shortestInterval))
        }
        guard let interval, interval > 0 else { return Int64(step) - 1 }
        // Allows 5 % for a driver whose real rate differs from the reported one.
        let intervals = (elapsed + interval * 19 / 20) / interval
        return min(Int64(step) - 1, max(0, intervals - 1))
    }

    /// Returns the frame's time: the kernel's timestamp if it is plausible, else a replacement.
    ///
    /// Times must increase. Four rules keep bad timestamps from spoiling the later ones:
    /// - A timestamp that is before the last one, or in the future, is replaced.
    /// - A timestamp is doubtful if it is far after the last one and is not recent. It is accepted only if the next one
    ///   confirms it. If a wrong one were accepted, the timestamps of all frames that wait in the driver's ring would
    ///   be before it, and would be replaced.
    /// - The replacement is one interval after the last time, so that the next good timestamp is still later. A frame
    ///   gets the time of its arrival, minus the shortest delay so far, only if the driver repeatedly sends bad
    ///   timestamps, or has never sent a good one.
    /// - A good timestamp may be before such a replacement, because a frame can arrive several intervals after its
    ///   capture. The next times then advance by a quarter of an interval, until the timestamps are later again.
    ///
    /// A suspend causes no jump: CLOCK_MONOTONIC stops during it (clock_gettime(2)).
    ///
    /// - Parameters:
    ///   - stamp: Microseconds of the monotonic clock; nil if the driver does not use that clock.
    ///   - now: Nanoseconds of the monotonic clock.
    package mutating func time(stamp: Int64?, now: Int64) -> MediaTime {
        let now = now / 1_000
        let time: Int64
        if let stamp, isPossible(stamp, now: now), isBelieved(stamp, now: now) {
            time = following(stamp)
            if time != stamp { replacedStamps += 1 }
            lastStamp = stamp
            badStampsInARow = 0
            // A frame that waited for this thread says nothing about the camera's delay.
            if now - stamp < Self.freshness { delay = min(delay ?? .max, max(0, now - stamp)) }
        } else {
            replacedStamps += 1
            badStampsInARow += 1
            time = replacement(now: now)
        }
        lastTime = time
        return MediaTime(value: time, timescale: 1_000_000)
    }

    /// Returns an accepted timestamp, or a later time if the last frame's time is not before the timestamp. The step
    /// is much shorter than an interval, so that the timestamps overtake even if the driver reports a wrong rate.
    private func following(_ stamp: Int64) -> Int64 {
        guard let lastTime, stamp <= lastTime else { return stamp }
        return lastTime + max(1, (interval ?? 0) / 4_000)
    }

    private func isPossible(_ stamp: Int64, now: Int64) -> Bool {
        // A frame is captured after streaming began, or at most one long exposure earlier. It is dequeued after its
        // capture.
        stamp >= start / 1_000 - Self.longestExposure && stamp <= now + Self.futureTolerance
            && stamp > lastStamp ?? .min && stamp > (lastTime ?? stamp) - Self.longestLag
    }

    /// Returns true if a plausible timestamp is accepted without waiting for another frame to confirm it.
    private mutating func isBelieved(_ stamp: Int64, now: Int64) -> Bool {
        let witness = unconfirmed
        unconfirmed = nil
        guard let lastTime, stamp - lastTime > Self.longestStep, now - stamp > Self.freshness else { return true }
        if let witness, stamp > witness, stamp - witness <= Self.longestStep { return true }
        unconfirmed = stamp
        return false
    }

    private func replacement(now: Int64) -> Int64 {
        guard let lastTime else { return now }
        guard let interval, lastStamp != nil, badStampsInARow <= Self.fewBadStamps else {
            return max(now - (delay ?? 0), lastTime + 1)
        }
        return max(lastTime + 1, min(now, lastTime + interval / 1_000))
    }
}
