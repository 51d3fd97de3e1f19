import DequeModule
package import NIOCore

/// What waits for one page, bounded: a pure value.
///
/// Of states and levels the newest wait, of pictures and sound whole groups. Who is slower than that loses groups.
package struct ViewerQueue {
    package enum Rank: Sendable, Equatable {
        case head
        case media(isKey: Bool)
        /// Replaces what of its kind waits for this recorder.
        case state(WatchMessage.Kind)
    }

    private struct Entry {
        let recorder: UInt16
        let rank: Rank
        let message: ByteBuffer
    }

    private var entries: Deque<Entry> = []
    private var mediaBytes = 0
    /// Those whose next picture must be a key frame.
    private var lagging: Set<UInt16> = []
    private let limit: Int
    /// Groups of pictures that were left out.
    package private(set) var losses = 0

    /// - Parameter limit: bytes of pictures and sound.
    package init(limit: Int) { self.limit = limit }

    package var isEmpty: Bool { entries.isEmpty }

    package mutating func push(_ message: ByteBuffer, of recorder: UInt16, _ rank: Rank) {
        switch rank {
        case .state:
            entries.removeAll { $0.recorder == recorder && $0.rank == rank }
            entries.append(Entry(recorder: recorder, rank: rank, message: message))
            return
        case .head:
            // What waits in front of it is of another stream, and only the newest is worth seeing.
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

    /// This recorder's pictures are not wanted any more.
    package mutating func forget(_ recorder: UInt16) {
        drop(of: recorder)
        lagging.remove(recorder)
    }

    /// All that waits, as one.
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

    /// Heads stay: without them nothing behind can be shown.
    private mutating func dropAll() {
        losses += 1
        entries.removeAll { entry in
            guard case .media = entry.rank else { return false }
            lagging.insert(entry.recorder)
            mediaBytes -= entry.message.readableBytes
            return true
        }
        // Those of whom nothing waits go on where they are.
    }
}

extension ViewerQueue.Rank {
    fileprivate var isStream: Bool {
        if case .state = self { false } else { true }
    }
}
