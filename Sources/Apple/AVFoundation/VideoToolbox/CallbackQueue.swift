import Dispatch
import Foundation
import RealTime

/// Calls a session's callbacks one after another, while the session can continue its own work. Safe to call from any
/// thread.
final class CallbackQueue: Sendable {
    private struct State {
        /// The callbacks that have not returned yet.
        var count = 0
        /// The thread that is running a callback; nil if none is running.
        var runner: pthread_t?
        var isEnded = false
    }

    /// The maximum number of callbacks that have not returned. At this number, callers of the session wait.
    static let most = 16

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "recorder.VideoToolbox.callbacks")

    /// True if the caller is inside a callback of this queue.
    private var isCurrent: Bool {
        let caller = pthread_self()
        return state.withLock { $0.runner == caller }
    }

    /// Calls `body` on the queue, unless `end` is called before.
    func call(_ body: @escaping () -> Void) {
        // The closure is only passed on: it runs once, on the queue.
        nonisolated(unsafe) let body = body
        state.withLock { $0.count += 1 }
        queue.async { [self] in
            let caller = pthread_self()
            let isWanted = state.withLock { state in
                if !state.isEnded { state.runner = caller }
                return !state.isEnded
            }
            if isWanted { body() }
            state.withLock { state in
                state.runner = nil
                state.count -= 1
            }
            state.broadcast()
        }
    }

    /// Waits until fewer than `most` callbacks are unfinished. Inside a callback, returns immediately.
    func waitForRoom() {
        let caller = pthread_self()
        state.waiting { state -> Void? in
            state.count < Self.most || state.isEnded || state.runner == caller ? () : nil
        }
    }

    /// Waits until all callbacks of earlier calls have returned. Inside a callback, returns immediately.
    func waitForAll() {
        guard !isCurrent else { return }
        queue.sync {}
    }

    /// Ends the queue. No callback begins afterwards.
    func end() {
        state.withLock { $0.isEnded = true }
        state.broadcast()
    }
}
