import Dispatch

/// Runs a blocking call on a separate thread, so that Swift's few cooperative threads stay free. Examples are
/// opening a device and joining the device's thread.
package func blockingCall<Result: Sendable>(
    _ name: String, _ body: @escaping @Sendable () -> Result
) async -> Result {
    await handedOver { deliver in
        do {
            _ = try NamedThread(name) { deliver(body()) }
        } catch {
            // The system is out of threads. Blocking this thread is better than failing.
            deliver(body())
        }
    }
}

/// Waits for a result that another thread produces.
///
/// The result passes through a `Locked`. A Swift continuation orders memory too, with an atomic word in Swift's runtime
/// library. But the thread sanitizer does not see into that library, and would report a race on the result. The thread
/// sanitizer does see a lock.
///
/// - Parameter start: starts the work and returns at once. The work calls `deliver` exactly once, on any thread.
package func handedOver<Value: Sendable>(
    _ start: (_ deliver: @escaping @Sendable (Value) -> Void) -> Void
) async -> Value {
    let result = Locked<Value?>(nil)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        start { value in
            result.withLock { $0 = value }
            continuation.resume()
        }
    }
    guard let value = result.withLock({ $0.take() }) else {
        preconditionFailure("a continuation was resumed before its result was set")
    }
    return value
}

extension DispatchQueue {
    /// Runs work that may block on this queue, and waits for its result without blocking a thread of Swift's pool.
    package func result<Value: Sendable>(of work: @escaping @Sendable () -> Value) async -> Value {
        await handedOver { deliver in async { deliver(work()) } }
    }

    /// Variant of `result` for work that ends early when the waiting task is cancelled.
    ///
    /// - Parameter work: receives a closure that returns true once the waiting task is cancelled.
    package func cancellableResult<Value: Sendable>(
        of work: @escaping @Sendable (_ isCancelled: @Sendable () -> Bool) -> Value
    ) async -> Value {
        let isCancelled = Locked(false)
        return await withTaskCancellationHandler {
            await result { work { isCancelled.withLock { $0 } } }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }
}
