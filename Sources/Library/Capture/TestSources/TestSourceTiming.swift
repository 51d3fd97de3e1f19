import MediaTypes

/// The times of a test source's frames or blocks: number k is at a full second of the monotonic clock plus k intervals,
/// exactly and without drift. A plain value, without a clock of its own.
struct TestSourceTiming: Sendable {
    let rate: FrameRate
    /// The time of frame or block 0: a full second of the monotonic clock, in nanoseconds.
    let origin: Int64

    /// Creates the timing.
    ///
    /// - Parameter now: Nanoseconds of the monotonic clock; the full second at or before it becomes the origin.
    init(rate: FrameRate, now: Int64) {
        self.rate = rate
        origin = now - now % 1_000_000_000
    }

    /// Returns the time of the frame or block with this index, to the nearest nanosecond.
    func nanoseconds(of index: Int64) -> Int64 { origin + offset(of: index, ticksPerSecond: 1_000_000_000) }

    /// Returns the time of the frame with this index to the nearest microsecond, as a camera's driver stamps it.
    func time(of index: Int64) -> MediaTime {
        MediaTime(value: origin / 1_000 + offset(of: index, ticksPerSecond: 1_000_000), timescale: 1_000_000)
    }

    /// Returns the last number whose time is not after `now`.
    func index(atOrBefore now: Int64) -> Int64 {
        let product = Int128(now - origin) * Int128(rate.frames)
        // in range: integers
        var index = Int64(product / (Int128(rate.seconds) * 1_000_000_000))
        while nanoseconds(of: index) > now { index -= 1 }
        while nanoseconds(of: index + 1) <= now { index += 1 }
        return index
    }

    /// Returns the first number whose time is not before `now`.
    func index(atOrAfter now: Int64) -> Int64 {
        let before = index(atOrBefore: now)
        return nanoseconds(of: before) == now ? before : before + 1
    }

    /// Returns true if a full second of the monotonic clock falls into the interval that begins with this number.
    func containsFullSecond(_ index: Int64) -> Bool {
        // In units of 1/frames of a second: an interval is `seconds` long, a full second is a multiple of `frames`.
        let begin = Int128(index) * Int128(rate.seconds)
        let remainder = begin % Int128(rate.frames)
        let untilNext = remainder <= 0 ? -remainder : Int128(rate.frames) - remainder
        return untilNext < Int128(rate.seconds)
    }

    /// Returns the number that follows `last` at time `now`: the next one, even if it is late. If more than `patience`
    /// intervals have passed, the numbers in between are skipped, so that late ones never arrive in a burst.
    ///
    /// - Parameter patience: The number of intervals that a number may be late before any is skipped; 1 or more.
    func next(after last: Int64, now: Int64, patience: Int64 = 1) -> (index: Int64, skipped: Int64) {
        let next = last + 1
        let newest = index(atOrBefore: now)
        return newest >= next + patience ? (newest, newest - next) : (next, 0)
    }

    private func offset(of index: Int64, ticksPerSecond: Int64) -> Int64 {
        let product = Int128(index) * Int128(rate.seconds) * Int128(ticksPerSecond)
        let half = Int128(rate.frames) / 2
        let rounded = product >= 0 ? product + half : product - half
        return Int64(rounded / Int128(rate.frames))
    }
}
