import Glibc

/// A source of time in nanoseconds. The one clock of the pipeline is `CLOCK_MONOTONIC`; tests inject their own.
package protocol HostClock: Sendable {
    /// Nanoseconds since an arbitrary start, never going back. Any thread; never blocks.
    var nanoseconds: Int64 { get }
}

/// `CLOCK_MONOTONIC` (clock_gettime(2)), the clock in which V4L2 and ALSA stamp their data.
package struct MonotonicClock: HostClock {
    package init() {}

    package var nanoseconds: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    /// Blocks the calling thread until the clock reads `nanoseconds` (clock_nanosleep(2), absolute, so it adds no drift).
    package func sleep(until nanoseconds: Int64) {
        guard nanoseconds > 0 else { return }
        var deadline = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nil) == EINTR {}
    }
}

/// A clock that moves only when told to. For tests.
package final class ManualClock: HostClock {
    private let time: Locked<Int64>

    package init(nanoseconds: Int64 = 0) { time = Locked(nanoseconds) }

    package var nanoseconds: Int64 { time.withLock { $0 } }

    package func advance(by nanoseconds: Int64) { time.withLock { $0 += nanoseconds } }
}
