import Dispatch
import Foundation
import RealTime

/// Calls a session's callbacks one after another, outside of the session's own work. Any thread may call.
final class CallbackQueue: Sendable {
    private struct State {
        /// The callbacks that have not returned yet.
        var count = 0
        /// The thread that runs a callback now.
        var runner: pthread_t?
        var isEnded = false
    }

    /// The largest number of unfinished callbacks. While there are as many, callers of the session wait.
    static let most = 16

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "recorder.VideoToolbox.callbacks")

    /// True inside a callback of this queue.
    private var isCurrent: Bool {
        let caller = pthread_self()
        return state.withLock { $0.runner == caller }
    }

    /// Calls `body` on the queue's thread; never after `end`.
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

    /// Waits until fewer than `most` callbacks are waiting. Inside a callback it returns at once.
    func waitForRoom() {
        let caller = pthread_self()
        state.waiting { state -> Void? in
            state.count < Self.most || state.isEnded || state.runner == caller ? () : nil
        }
    }

    /// Waits until the callbacks up to now have returned. Inside a callback it returns at once.
    func waitForAll() {
        guard !isCurrent else { return }
        queue.sync {}
    }

    /// Ends the queue: no other callback begins.
    func end() {
        state.withLock { $0.isEnded = true }
        state.broadcast()
    }
}
