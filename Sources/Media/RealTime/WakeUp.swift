import CLinux
import Glibc

/// Wakes a thread that waits in poll(2), from any other thread. Uses an eventfd(2).
package final class WakeUp: Sendable {
    /// The descriptor for `pollfd.fd`, with `POLLIN`. This object owns the descriptor.
    package let fileDescriptor: Int32

    /// Never throws. If no descriptor is available (`EMFILE`), `fileDescriptor` is −1, which poll(2) ignores, and
    /// `isUsable` is false.
    package init() { fileDescriptor = clinux_eventfd() }

    package var isUsable: Bool { fileDescriptor >= 0 }

    /// Makes the descriptor readable until `clear()`. Never blocks; safe on any thread.
    package func fire() {
        var one: UInt64 = 1
        _ = write(fileDescriptor, &one, 8)
    }

    /// Makes the descriptor unreadable again. Called by the waiting thread.
    package func clear() {
        var count: UInt64 = 0
        _ = read(fileDescriptor, &count, 8)
    }

    /// Waits until `fire()` is called or the monotonic clock reads `nanoseconds`. Returns true if `fire()` was called,
    /// false if the time has passed. Does not call `clear()`.
    ///
    /// The wait has the clock's precision. Repeated calls with absolute times do not drift (ppoll(2)).
    package func isFired(before nanoseconds: Int64) -> Bool {
        let clock = MonotonicClock()
        while true {
            if clinux_poll_readable(fileDescriptor, max(0, nanoseconds - clock.nanoseconds)) > 0 { return true }
            if clock.nanoseconds >= nanoseconds { return false }
        }
    }

    deinit { if fileDescriptor >= 0 { close(fileDescriptor) } }
}
