import RealTime

/// A value whose changes tasks wait for and callbacks are told of.
///
/// Its lock is the innermost one: `set` may be called with another lock held. What it returns is run after that lock
/// was let go of, because it resumes tasks and calls foreign code.
final class Watched<Value: Sendable & Equatable>: Sendable {
    /// Those who are to be woken for a change.
    struct WakeUps {
        fileprivate var tasks: [CheckedContinuation<Void, Never>] = []
        fileprivate var observers: [@Sendable () -> Void] = []

        func run() {
            for task in tasks { task.resume() }
            for observer in observers { observer() }
        }
    }

    private struct State {
        var value: Value
        var tasks: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextTask: UInt64 = 0
        var observers: [@Sendable () -> Void] = []
    }

    private let state: Locked<State>

    init(_ value: Value) { state = Locked(State(value: value)) }

    var value: Value { state.withLock { $0.value } }

    /// Changes the value; the caller runs what it gets back. nil: it was that value already.
    func set(_ value: Value) -> WakeUps? {
        state.withLock { state in
            guard state.value != value else { return nil }
            state.value = value
            defer { state.tasks = [:] }
            return WakeUps(tasks: Array(state.tasks.values), observers: state.observers)
        }
    }

    /// Suspends until the value is another than `old`, or the task is cancelled.
    func change(from old: Value) async {
        let id = state.withLock { state in
            state.nextTask += 1
            return state.nextTask
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    // A task that is cancelled later finds itself in the list.
                    guard state.value == old, !Task.isCancelled else { return false }
                    state.tasks[id] = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.tasks.removeValue(forKey: id) }?.resume()
        }
    }

    /// Calls `observer` after every change, on the thread that made it, for as long as the value lives; it must not block.
    func observe(_ observer: @escaping @Sendable () -> Void) { state.withLock { $0.observers.append(observer) } }
}
