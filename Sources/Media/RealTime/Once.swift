/// A value that is set once and that any number of tasks wait for.
package final class Once<Value: Sendable>: Sendable {
    private enum State {
        case waiting([CheckedContinuation<Value, Never>])
        case set(Value)
    }

    private let state = Locked(State.waiting([]))

    package init() {}

    /// Sets the value and resumes every waiting task. Later calls change nothing.
    package func set(_ value: Value) {
        let waiters: [CheckedContinuation<Value, Never>] = state.withLock { state in
            guard case .waiting(let waiters) = state else { return [] }
            state = .set(value)
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }

    /// The value; nil if it is not set yet.
    package var current: Value? {
        state.withLock { if case .set(let value) = $0 { value } else { nil } }
    }

    /// Waits until the value is set. Cancellation does not end the wait: the value is always set eventually.
    package func value() async -> Value {
        await withCheckedContinuation { continuation in
            let value: Value? = state.withLock { state in
                switch state {
                case .set(let value): return value
                case .waiting(let waiters):
                    state = .waiting(waiters + [continuation])
                    return nil
                }
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
