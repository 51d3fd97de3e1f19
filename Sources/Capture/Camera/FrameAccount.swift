import MediaTypes

/// What a driver's sequence numbers and time stamps say about each frame. A plain value.
///
/// Source: the Linux media API, struct v4l2_buffer, `sequence` and `timestamp`.
struct FrameAccount {
    /// When streaming began, nanoseconds of the monotonic clock.
    private let start: Int64
    /// Nanoseconds from one frame to the next; nil when the driver does not say.
    private let interval: Int64?
    private var lastSequence: UInt32?
    private var framesSeen: Int64 = 0
    /// The first frame's time, until the second has come.
    private var firstTime: MediaTime?
    /// Microseconds.
    private var lastTime: Int64?
    /// A stamp that was not believed and may yet be confirmed, microseconds.
    private var unconfirmed: Int64?
    private var hasGoodStamp = false
    private var badStampsInARow = 0

    /// Microseconds: a frame may have been exposed for so long when streaming began …
    private static let longestExposure: Int64 = 1_000_000
    /// … some drivers' own clocks run ahead by so much …
    private static let futureTolerance: Int64 = 100_000
    /// … a longer step than this needs a second witness …
    private static let longestStep: Int64 = 10_000_000
    /// … but for a frame that is not older than this.
    private static let freshness: Int64 = 1_000_000
    /// So many bad stamps in a row are stepped over.
    private static let fewBadStamps = 3

    /// Stamps that were not the kernel's monotonic time, or could not be, so that the moment of taking was used.
    private(set) var replacedStamps: Int64 = 0

    init(start: Int64, interval: Int64? = nil) {
        self.start = start
        self.interval = interval
    }

    /// Frames that were captured between the last one and this one, and never delivered.
    ///
    /// The number wraps at 2³². A number that repeats or goes back is a driver that does not count: nothing is lost then,
    /// as far as anybody knows. Before the second frame no more can be lost than there was time for: the first buffer of
    /// some drivers is an old one, and the number of the second counts what happened before streaming began.
    ///
    /// - Parameter time: the frame's.
    mutating func framesLost(before sequence: UInt32, at time: MediaTime = .invalid) -> Int64 {
        defer {
            lastSequence = sequence
            firstTime = framesSeen == 0 ? time : nil
            framesSeen += 1
        }
        guard let lastSequence else { return 0 }
        let step = sequence &- lastSequence
        guard step > 1, step < 1 << 31 else { return 0 }
        guard let firstTime, let interval, interval > 0, time.isNumeric, firstTime.isNumeric else {
            return Int64(step) - 1
        }
        // One part in twenty for the driver's own idea of its rate.
        let intervals = ((time - firstTime).nanoseconds + interval * 19 / 20) / interval
        return min(Int64(step) - 1, max(0, intervals - 1))
    }

    /// The frame's time: the kernel's stamp where that can be true, else a time that can.
    ///
    /// Three rules keep one bad stamp from spoiling the times after it, which must rise:
    /// - A stamp that lies before the last one, or in the future, is replaced.
    /// - A stamp far after the last one, but not of just now, is believed only when the next one follows upon it: otherwise all
    ///   frames that wait in the driver's ring would lie before it.
    /// - The replacement is one interval after the last time, so that the next good stamp is still after it. Only a driver
    ///   that stamps badly again and again, or always did, has its frames timed when they are taken.
    ///
    /// A machine that was suspended makes no jump: CLOCK_MONOTONIC stood still (clock_gettime(2)).
    ///
    /// - Parameters:
    ///   - stamp: microseconds of the monotonic clock; nil when the driver does not use that clock.
    ///   - now: nanoseconds of the monotonic clock.
    mutating func time(stamp: Int64?, now: Int64) -> MediaTime {
        let now = now / 1_000
        let time: Int64
        if let stamp, isPossible(stamp, now: now), isBelieved(stamp, now: now) {
            time = stamp
            hasGoodStamp = true
            badStampsInARow = 0
        } else {
            replacedStamps += 1
            badStampsInARow += 1
            time = replacement(now: now)
        }
        lastTime = time
        return MediaTime(value: time, timescale: 1_000_000)
    }

    private func isPossible(_ stamp: Int64, now: Int64) -> Bool {
        // A frame is taken after it was captured; and not captured before streaming began, but for one long exposure.
        stamp >= start / 1_000 - Self.longestExposure && stamp <= now + Self.futureTolerance
            && stamp > lastTime ?? .min
    }

    /// Whether a stamp that could be true is to be taken for it.
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
        guard let interval, hasGoodStamp, badStampsInARow <= Self.fewBadStamps else {
            return max(now, lastTime + 1)
        }
        return max(lastTime + 1, min(now, lastTime + interval / 1_000))
    }
}
