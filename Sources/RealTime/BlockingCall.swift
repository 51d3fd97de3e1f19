import Dispatch

/// Runs a call that blocks, as opening a device or joining its thread does, on a thread of its own, so that Swift's few
/// cooperative threads stay free.
package func blockingCall<Result: Sendable>(
    _ name: String, _ body: @escaping @Sendable () -> Result
) async -> Result {
    await handedOver { deliver in
        do {
            _ = try NamedThread(name) { deliver(body()) }
        } catch {
            // Out of threads: better to block one than to fail.
            deliver(body())
        }
    }
}

/// Waits for a result that another thread makes.
///
/// The result goes through a lock of ours. Swift's own hand-over through a continuation is ordered too, by an atomic word of its
/// run-time library; but the thread sanitizer does not see into that library, and reports a race at whatever the other
/// thread wrote last. What is under a lock it sees.
///
/// - Parameter start: sets the work going and returns at once; the work calls what it is given exactly once, on any thread.
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
        preconditionFailure("a continuation was resumed before its result was there")
    }
    return value
}

extension DispatchQueue {
    /// Runs work that may block on this queue, and waits for what it gives without blocking a thread of Swift's pool.
    package func result<Value: Sendable>(of work: @escaping @Sendable () -> Value) async -> Value {
        await handedOver { deliver in async { deliver(work()) } }
    }
}
