import DequeModule
package import NIOCore

/// The bounded queue of one page. A pure value.
///
/// It contains complete GOPs. For each recorder, it also contains the newest message of each kind, such as the state or
/// the levels. If a page is too slow, GOPs are dropped.
package struct ViewerQueue {
    package enum Rank: Sendable, Equatable {
        case head
        case media(isKey: Bool)
        /// A state, which replaces the queued message of the same kind and recorder.
        case state(WatchMessage.Kind)
    }

    private struct Entry {
        let recorder: UInt16
        let rank: Rank
        let message: ByteBuffer
    }

    private var entries: Deque<Entry> = []
    private var mediaBytes = 0
    /// The recorders whose next frame must be a keyframe.
    private var lagging: Set<UInt16> = []
    private let limit: Int
    /// The number of times that queued GOPs were dropped.
    package private(set) var losses = 0

    /// Creates an empty queue.
    ///
    /// - Parameter limit: The maximum size of queued media, in bytes.
    package init(limit: Int) { self.limit = limit }

    package var isEmpty: Bool { entries.isEmpty }

    package mutating func push(_ message: ByteBuffer, of recorder: UInt16, _ rank: Rank) {
        switch rank {
        case .state:
            entries.removeAll { $0.recorder == recorder && $0.rank == rank }
            entries.append(Entry(recorder: recorder, rank: rank, message: message))
            return
        case .head:
            // The queued media belong to the stream before this header. Only the newest stream is worth showing.
            drop(of: recorder)
            lagging.insert(recorder)
        case .media(let isKey):
            if mediaBytes + message.readableBytes > limit { dropAll() }
            if lagging.contains(recorder) {
                guard isKey else { return }
                lagging.remove(recorder)
            }
        }
        mediaBytes += message.readableBytes
        entries.append(Entry(recorder: recorder, rank: rank, message: message))
    }

    /// Drops the queued media of a recorder that is no longer watched.
    package mutating func forget(_ recorder: UInt16) {
        drop(of: recorder)
        lagging.remove(recorder)
    }

    /// Returns all queued messages as one buffer.
    package mutating func popAll() -> ByteBuffer {
        var all = entries.popFirst()?.message ?? ByteBuffer()
        all.reserveCapacity(entries.reduce(all.readableBytes) { $0 + $1.message.readableBytes })
        for entry in entries { all.writeImmutableBuffer(entry.message) }
        entries.removeAll(keepingCapacity: true)
        mediaBytes = 0
        return all
    }

    private mutating func drop(of recorder: UInt16) {
        entries.removeAll { entry in
            guard entry.recorder == recorder, entry.rank.isStream else { return false }
            mediaBytes -= entry.message.readableBytes
            return true
        }
    }

    /// Drops all queued media. Headers are kept, because later fragments need them.
    private mutating func dropAll() {
        losses += 1
        entries.removeAll { entry in
            guard case .media = entry.rank else { return false }
            lagging.insert(entry.recorder)
            mediaBytes -= entry.message.readableBytes
            return true
        }
        // Recorders without queued media continue unchanged.
    }
}

extension ViewerQueue.Rank {
    fileprivate var isStream: Bool {
        if case .state = self { false } else { true }
    }
}
