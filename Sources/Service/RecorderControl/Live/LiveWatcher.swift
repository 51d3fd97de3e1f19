import DequeModule
package import MediaTypes
import RealTime

/// A viewer of a recorder: receives packets on the encoders' threads without blocking them, and passes them to one
/// task.
package final class LiveWatcher: Sendable {
    private struct State {
        var queue: LiveQueue
        var isOver = false
        var reader: CheckedContinuation<Deque<SampleBuffer>?, Never>?
    }

    private let state: Locked<State>
    /// Converts a time of the recording to seconds since 1970; returns nil if the wall clock time is unknown.
    let wallClock: @Sendable (MediaTime) -> Double?

    /// Creates a viewer.
    ///
    /// - Parameters:
    ///   - limit: Maximum bytes that may wait for the viewer.
    ///   - hasVideo: True if the viewer must begin with a keyframe.
    ///   - start: The earliest time of that keyframe; nil for any time.
    package init(
        limit: Int, hasVideo: Bool, from start: MediaTime? = nil,
        wallClock: @escaping @Sendable (MediaTime) -> Double? = { _ in nil }
    ) {
        state = Locked(State(queue: LiveQueue(limit: limit, hasVideo: hasVideo, from: start)))
        self.wallClock = wallClock
    }

    /// Queues a packet. Takes constant time unless the viewer lags, and never blocks. Thread-safe.
    package func accept(_ packet: SampleBuffer) {
        state.withLock { state in
            guard !state.isOver else { return }
            state.queue.push(packet)
            guard let reader = state.reader, !state.queue.packets.isEmpty else { return }
            state.reader = nil
            reader.resume(returning: state.queue.popAll())
        }
    }

    /// Wakes a waiting reader with an empty queue.
    func nudge() {
        state.withLock { state in
            state.reader?.resume(returning: [])
            state.reader = nil
        }
    }

    /// Ends the stream.
    func end() {
        state.withLock { state in
            state.isOver = true
            state.reader?.resume(returning: nil)
            state.reader = nil
        }
    }

    /// Waits for packets, and returns all new ones. Returns an empty queue after `nudge`, and nil at the end or if the
    /// task is cancelled. Only one task may call it.
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
