import Dispatch
import RealTime

/// Calls a client's block on the client's queue for as long as calls are due. Calls never overlap.
///
/// `isDue` is called on the queue right before every call. If the client ends the callback on that queue, no call
/// follows.
final class ClientCallback: Sendable {
    enum Due {
        /// No call is due now; the next `poke` checks again.
        case no
        case yes
        /// One more call is due, the last one.
        case lastTime
        case never
    }

    private struct State {
        var isScheduled = false
        var isOver = false
        var block: (@Sendable () -> Void)?
        /// True if a poke came while a call was in progress.
        var asksAgain = false
    }

    private let queue: DispatchQueue
    private let isDue: @Sendable () -> Due
    private let state: Locked<State>

    init(
        on queue: DispatchQueue, isDue: @escaping @Sendable () -> Due, block: @escaping @Sendable () -> Void
    ) {
        self.queue = queue
        self.isDue = isDue
        state = Locked(State(block: block))
    }

    /// Checks if a call is due. Thread-safe; never blocks.
    func poke() {
        let schedules = state.withLock { state in
            guard !state.isOver else { return false }
            state.asksAgain = true
            guard !state.isScheduled else { return false }
            state.isScheduled = true
            return true
        }
        if schedules { queue.async { self.run() } }
    }

    /// Prevents further calls. A call that is in progress on another thread still completes.
    func cancel() {
        // The block may hold the last reference to its client, so it is released outside the lock.
        _ = state.withLock { state in
            state.isOver = true
            return state.block.take()
        }
    }

    private func run() {
        let block = state.withLock { state in
            state.asksAgain = false
            return state.isOver ? nil : state.block
        }
        var calls = false
        if let block {
            switch isDue() {
            case .no: break
            case .yes:
                calls = true
                block()
            case .lastTime:
                cancel()
                block()
            case .never: cancel()
            }
        }
        // After a call the check is repeated through the queue, so that the client's other work gets its turn.
        let continues = state.withLock { state in
            let continues = !state.isOver && (calls || state.asksAgain)
            state.isScheduled = continues
            return continues
        }
        if continues { queue.async { self.run() } }
    }
}
