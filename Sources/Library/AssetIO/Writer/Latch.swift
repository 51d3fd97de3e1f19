import RealTime

/// A latch that opens once and releases all waiters. Tasks and threads of a program may wait for it. Capture threads
/// and encoder threads must not.
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

    /// Calls the closure once the latch is open. If the latch is open already, the closure is called immediately.
    /// Otherwise it is called on the thread that opens the latch, so it must not block.
    func whenOpen(_ call: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiters.append(call) }
            return state.isOpen
        }
        if isOpen { call() }
    }
}
