package import NIOCore
import RealTime

/// One page that watches. The recorders' tasks add messages without waiting. Another task takes the messages and writes
/// them to the page.
package final class Viewer: Sendable, Identifiable {
    private struct State {
        var queue: ViewerQueue
        var isOver = false
        var reader: CheckedContinuation<ByteBuffer?, Never>?
    }

    /// An id that cannot be guessed.
    package let id: String
    private let state: Locked<State>

    package init(id: String, limit: Int) {
        self.id = id
        state = Locked(State(queue: ViewerQueue(limit: limit)))
    }

    package func enqueue(_ message: ByteBuffer, of recorder: UInt16, _ rank: ViewerQueue.Rank) {
        change { $0.push(message, of: recorder, rank) }
    }

    /// Adds the beginning of a stream (`ViewerQueue.begin`).
    func begin(_ head: ByteBuffer, _ gop: [ByteBuffer], isWhole: Bool, of recorder: UInt16) {
        change { $0.begin(head, gop, isWhole: isWhole, of: recorder) }
    }

    private func change(_ body: (inout ViewerQueue) -> Void) {
        state.withLock { state in
            guard !state.isOver else { return }
            body(&state.queue)
            guard let reader = state.reader, !state.queue.isEmpty else { return }
            state.reader = nil
            reader.resume(returning: state.queue.popAll())
        }
    }

    package func forget(_ recorder: UInt16) { state.withLock { $0.queue.forget(recorder) } }

    /// Ends the viewer: no more messages are accepted.
    package func end() {
        state.withLock { state in
            state.isOver = true
            state.reader?.resume(returning: nil)
            state.reader = nil
        }
    }

    /// Waits for messages and returns all queued ones; nil at the end, or when the task is cancelled. Only one task may
    /// call it.
    package func next() async -> ByteBuffer? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    if state.isOver || Task.isCancelled {
                        continuation.resume(returning: nil)
                    } else if !state.queue.isEmpty {
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
