import RealTime

/// A value that lets tasks wait for its changes. It calls its observers after every change.
///
/// Its lock is the innermost one: `set` may be called with another lock held. The wake-ups that `set` returns must be
/// run after that other lock was released, because they resume tasks and call the client's code.
final class Watched<Value: Sendable & Equatable>: Sendable {
    /// The tasks and observers to wake for a change.
    struct WakeUps {
        fileprivate var tasks: [CheckedContinuation<Void, Never>] = []
        fileprivate var observers: [@Sendable () -> Void] = []

        func run() {
            for task in tasks { task.resume() }
            for observer in observers { observer() }
        }
    }

    /// A value and how often it has changed, so that a change and a change back are noticed.
    struct Reading: Sendable {
        var value: Value
        fileprivate var version: UInt64
    }

    private struct State {
        var reading: Reading
        var tasks: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextTask: UInt64 = 0
        var observers: [@Sendable () -> Void] = []
    }

    private let state: Locked<State>

    init(_ value: Value) { state = Locked(State(reading: Reading(value: value, version: 0))) }

    var reading: Reading { state.withLock { $0.reading } }
    var value: Value { reading.value }

    /// Changes the value. Returns the wake-ups, which the caller runs, or nil if the value was the same already.
    func set(_ value: Value) -> WakeUps? {
        state.withLock { state in
            guard state.reading.value != value else { return nil }
            state.reading = Reading(value: value, version: state.reading.version + 1)
            defer { state.tasks = [:] }
            return WakeUps(tasks: Array(state.tasks.values), observers: state.observers)
        }
    }

    /// Suspends until the value has changed since `old` was read, or the task is cancelled.
    func change(since old: Reading) async {
        let id = state.withLock { state in
            state.nextTask += 1
            return state.nextTask
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    // A task that is cancelled later is already in the list.
                    guard state.reading.version == old.version, !Task.isCancelled else { return false }
                    state.tasks[id] = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.tasks.removeValue(forKey: id) }?.resume()
        }
    }

    /// Calls `observer` after every change, on the thread that made it, for as long as the value lives. The observer
    /// must not block.
    func observe(_ observer: @escaping @Sendable () -> Void) { state.withLock { $0.observers.append(observer) } }
}
