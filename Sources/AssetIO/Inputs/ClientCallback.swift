import Dispatch
import RealTime

/// Calls a client's block on the client's queue, never twice at the same time, for as long as it is due.
///
/// `isDue` is asked on the queue right before every call, so that nothing is called after the client itself, on that
/// queue, has ended it.
final class ClientCallback: Sendable {
    enum Due {
        /// Not now; the next `poke` asks again.
        case no
        case yes
        /// Once more, and never again.
        case lastTime
        case never
    }

    private struct State {
        var isScheduled = false
        var isOver = false
        var block: (@Sendable () -> Void)?
        /// A poke came while a call was on its way.
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

    /// It may be time for a call. Any thread; never blocks.
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

    /// No call begins after this, but for one that is on its way in another thread.
    func cancel() {
        // The block may hold the last reference to its client; that goes outside the lock.
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
        // After a call it is asked again, through the queue, so that the client's other work gets its turn.
        let goesOn = state.withLock { state in
            let goesOn = !state.isOver && (calls || state.asksAgain)
            state.isScheduled = goesOn
            return goesOn
        }
        if goesOn { queue.async { self.run() } }
    }
}
