import Glibc

/// A source of time in nanoseconds. The pipeline has one clock, `CLOCK_MONOTONIC`; tests inject their own.
package protocol HostClock: Sendable {
    /// Nanoseconds since an arbitrary start. Never decreases. May be read on any thread; never blocks.
    var nanoseconds: Int64 { get }
}

/// `CLOCK_MONOTONIC` (clock_gettime(2)), the clock that V4L2 and ALSA use for their timestamps.
package struct MonotonicClock: HostClock {
    package init() {}

    package var nanoseconds: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    /// Blocks the calling thread until the clock reads `nanoseconds`.
    ///
    /// Uses clock_nanosleep(2) with an absolute time, so repeated calls do not drift.
    package func sleep(until nanoseconds: Int64) {
        guard nanoseconds > 0 else { return }
        var deadline = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nil) == EINTR {}
    }
}

/// A clock for tests. Only `advance(by:)` moves the clock.
package final class ManualClock: HostClock {
    private let time: Locked<Int64>

    package init(nanoseconds: Int64 = 0) { time = Locked(nanoseconds) }

    package var nanoseconds: Int64 { time.withLock { $0 } }

    package func advance(by nanoseconds: Int64) { time.withLock { $0 += nanoseconds } }
}
