/// Decides when the service manager's watchdog is fed: only while samples arrive.
///
/// A camera that hangs, a driver that sleeps, a process that is stuck all look the same from outside: no sample since the
/// last feed, so no further feed, and the manager ends the process and starts it anew. One living device is enough: a
/// fault of one track never ends the other. Times are nanoseconds of the monotonic clock.
struct Watchdog {
    private let period: Int64
    private var fedAt: Int64

    /// - Parameter timeout: of the manager, which began to wait at `now`. It is fed twice in that time.
    init(timeout: Int64, now: Int64) {
        period = timeout / 2
        fedAt = now
    }

    /// Whether to feed it now.
    ///
    /// - Parameter lastSample: when any of the devices last delivered something.
    mutating func isFed(at now: Int64, lastSample: Int64?) -> Bool {
        guard let lastSample, lastSample > fedAt, now - fedAt >= period else { return false }
        fedAt = now
        return true
    }
}
