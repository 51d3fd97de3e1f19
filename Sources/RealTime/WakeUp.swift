import CLinux
import Glibc

/// Wakes a thread that waits in poll(2), from any other thread: an eventfd(2).
package final class WakeUp: Sendable {
    /// For `pollfd.fd` with `POLLIN`. Owned by this object.
    package let fileDescriptor: Int32

    /// Throws nothing: without a descriptor (`EMFILE`) it holds −1, which poll(2) ignores, and `isUsable` says so.
    package init() { fileDescriptor = clinux_eventfd() }

    package var isUsable: Bool { fileDescriptor >= 0 }

    /// Makes the descriptor readable until `clear()`. Never blocks; safe in any thread.
    package func fire() {
        var one: UInt64 = 1
        _ = write(fileDescriptor, &one, 8)
    }

    /// Makes the descriptor unreadable again; called by the thread that waits.
    package func clear() {
        var count: UInt64 = 0
        _ = read(fileDescriptor, &count, 8)
    }

    /// Waits until it is fired (true; it stays so), or until the monotonic clock reads `nanoseconds` (false).
    ///
    /// To the clock's own precision, and without drift when used again and again with absolute times (ppoll(2)).
    package func isFired(before nanoseconds: Int64) -> Bool {
        let clock = MonotonicClock()
        while true {
            if clinux_poll_readable(fileDescriptor, max(0, nanoseconds - clock.nanoseconds)) > 0 { return true }
            if clock.nanoseconds >= nanoseconds { return false }
        }
    }

    deinit { if fileDescriptor >= 0 { close(fileDescriptor) } }
}
