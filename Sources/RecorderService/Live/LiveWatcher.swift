import DequeModule
import MediaTypes
import RealTime

/// Somebody who watches a recorder: takes packets from the encoders' threads, which never wait for it, and gives them to one
/// task.
final class LiveWatcher: Sendable {
    private struct State {
        var queue: LiveQueue
        var isOver = false
        var reader: CheckedContinuation<Deque<SampleBuffer>?, Never>?
    }

    private let state: Locked<State>
    /// Seconds since 1970 at which something of that time was captured.
    let wallClock: @Sendable (MediaTime) -> Double?

    init(limit: Int, hasVideo: Bool, wallClock: @escaping @Sendable (MediaTime) -> Double? = { _ in nil }) {
        state = Locked(State(queue: LiveQueue(limit: limit, hasVideo: hasVideo)))
        self.wallClock = wallClock
    }

    /// Constant work, but for one who lags; never waits. Any thread.
    func take(_ packet: SampleBuffer) {
        state.withLock { state in
            guard !state.isOver else { return }
            state.queue.push(packet)
            guard let reader = state.reader, !state.queue.packets.isEmpty else { return }
            state.reader = nil
            reader.resume(returning: state.queue.popAll())
        }
    }

    /// Lets who waits go on with nothing.
    func nudge() {
        state.withLock { state in
            state.reader?.resume(returning: [])
            state.reader = nil
        }
    }

    /// Nothing more comes.
    func end() {
        state.withLock { state in
            state.isOver = true
            state.reader?.resume(returning: nil)
            state.reader = nil
        }
    }

    /// All that has come since, once something has; nothing after a nudge; nil at the end, and when the task is cancelled. For one
    /// task.
    func next() async -> Deque<SampleBuffer>? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    if state.isOver || Task.isCancelled {
                        continuation.resume(returning: nil)
                    } else if !state.queue.packets.isEmpty {
                        continuation.resume(returning: state.queue.popAll())
                    } else {
                        state.reader = continuation
                    }
                }
            }
        } onCancel: {
            end()
        }
    }
}
