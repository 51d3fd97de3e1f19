import Glibc

/// A value protected by a lock. The project uses no other kind of lock.
///
/// The lock is a `pthread_mutex_t`. With a `Synchronization.Mutex`, the thread sanitizer would report races that do not
/// exist. Hold the lock only for work of constant duration, never during I/O or encoding, or while calling code that a
/// caller passed. Any thread may call. A thread that waits for the lock waits only for such short work of another
/// thread.
package final class Locked<Value>: @unchecked Sendable {
    // Unchecked: `value` is accessed only while `mutex` is held; `mutex` and `condition` never move.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var value: Value

    package init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with exclusive access to the value.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Blocks until `body` returns a result that is not nil. Calls `body` again after every `signal` or `broadcast`.
    ///
    /// For encoder and file threads. A capture thread must never call this.
    package func waiting<Result>(until body: (inout Value) -> Result?) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            pthread_cond_wait(condition, mutex)
        }
    }

    /// Waits like `waiting(until:)`, but returns `nil` once `nanoseconds` of the monotonic clock have passed.
    package func waiting<Result>(atMost nanoseconds: Int64, until body: (inout Value) -> Result?) -> Result? {
        // The time is limited to 73 years, so that the sum cannot overflow.
        let end = MonotonicClock().nanoseconds + min(max(0, nanoseconds), .max / 4)
        var deadline = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { return body(&value) }
        }
    }

    /// Wakes one thread inside `waiting`. May be called with or without the lock; never blocks.
    package func signal() { pthread_cond_signal(condition) }

    /// Wakes every thread inside `waiting`.
    package func broadcast() { pthread_cond_broadcast(condition) }
}
