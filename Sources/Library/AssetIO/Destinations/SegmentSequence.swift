import DequeModule
import MediaTypes
import RealTime

/// The segments of a writer without a file, in order. Only one reader may iterate over them.
///
/// The writer can be at most a few segments ahead of the reader. After that it waits, as for a slow disk. The sequence
/// ends when the movie is finalized, and when the writer fails, is cancelled or is released. After a failure, the
/// writer's `error` is set.
public struct SegmentSequence: AsyncSequence, Sendable {
    let channel: SegmentChannel

    public struct Iterator: AsyncIteratorProtocol {
        let channel: SegmentChannel

        /// Returns the next segment; nil at the end, and when the task is cancelled.
        public mutating func next() async -> AssetSegment? { await channel.next() }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(channel: channel) }
}

/// Passes segments from the movie's thread, which may wait, to a task, which may not block.
final class SegmentChannel: SegmentConsumer {
    private struct State {
        var segments: Deque<AssetSegment> = []
        var isEnded = false
        var reader: CheckedContinuation<AssetSegment?, Never>?
    }

    private static let capacity = 4
    private let state = Locked(State())

    var name: String { "the movie's segments" }

    func open(_ configuration: MuxerConfiguration) {}

    func receive(_ segment: AssetSegment) throws(MediaError) {
        let isTaken: Bool = state.waiting { state in
            if state.isEnded { return false }
            if let reader = state.reader {
                state.reader = nil
                reader.resume(returning: segment)
                return true
            }
            guard state.segments.count < Self.capacity else { return nil }
            state.segments.append(segment)
            return true
        }
        guard isTaken else {
            throw MediaError(.cancelled, "cannot deliver a segment", reason: "segments are no longer read")
        }
    }

    func finish() { end(keepsSegments: true) }
    func discard() { end(keepsSegments: false) }
    func abandon() { end(keepsSegments: true) }

    private func end(keepsSegments: Bool) {
        state.withLock { state in
            state.isEnded = true
            if !keepsSegments { state.segments.removeAll() }
            state.reader?.resume(returning: nil)
            state.reader = nil
        }
        state.broadcast()
    }

    func next() async -> AssetSegment? {
        let segment = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<AssetSegment?, Never>) in
                state.withLock { state in
                    if let segment = state.segments.popFirst() {
                        continuation.resume(returning: segment)
                    } else if state.isEnded || Task.isCancelled {
                        continuation.resume(returning: nil)
                    } else {
                        // A second reader replaces the first, which then ends.
                        state.reader?.resume(returning: nil)
                        state.reader = continuation
                    }
                }
            }
        } onCancel: {
            state.withLock { state in
                state.reader?.resume(returning: nil)
                state.reader = nil
            }
        }
        state.broadcast()
        return segment
    }
}

/// Passes every segment to a delegate, on the movie's thread.
final class SegmentDelegation: SegmentConsumer {
    private let delegate: @Sendable (AssetSegment) throws -> Void

    init(_ delegate: @escaping @Sendable (AssetSegment) throws -> Void) { self.delegate = delegate }

    var name: String { "the movie's segments" }
    func open(_ configuration: MuxerConfiguration) {}

    func receive(_ segment: AssetSegment) throws(MediaError) {
        do { try delegate(segment) } catch let error as MediaError { throw error } catch {
            throw MediaError(.ioFailure, "cannot deliver a segment", reason: "\(error)")
        }
    }

    func finish() {}
    func discard() {}
}
