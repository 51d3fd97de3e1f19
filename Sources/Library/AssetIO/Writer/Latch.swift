import RealTime

/// A latch that opens once and releases all waiters. For tasks and for threads of a program, never for capture or
/// encoder threads.
final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        state.broadcast()
        for waiter in waiters { waiter() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in whenOpen { continuation.resume() } }
    }

    /// Waits until the latch is open. Blocks the calling thread.
    func waitBlocking() { state.waiting { $0.isOpen ? () : nil } }

    /// Calls the closure once the latch is open: at once if it is already, else on the thread that opens it, so the
    /// closure must not block.
    func whenOpen(_ call: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiters.append(call) }
            return state.isOpen
        }
        if isOpen { call() }
    }
}
