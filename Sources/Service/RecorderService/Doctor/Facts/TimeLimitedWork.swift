import RealTime

/// Work that may block, such as a call on a disk that hangs, and therefore has its own thread. The thread is abandoned
/// if the work takes too long.
struct TimeLimitedWork<Value: Sendable>: Sendable {
    private let result = Locked<Value?>(nil)

    /// Starts the work.
    init(_ name: String, _ work: @escaping @Sendable () -> Value) {
        let result = result
        // If no thread can be created, there is never a result.
        _ = try? NamedThread(name) {
            let value = work()
            result.withLock { $0 = value }
            result.broadcast()
        }
    }

    /// Waits for the result.
    ///
    /// - Parameter deadline: A time of `MonotonicClock`, in nanoseconds.
    /// - Returns: nil if the work takes longer.
    func value(until deadline: Int64) -> Value? {
        result.waiting(atMost: deadline - MonotonicClock().nanoseconds, until: { $0 })
    }
}
