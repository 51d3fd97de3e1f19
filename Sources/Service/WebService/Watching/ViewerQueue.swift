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
        /// True for the media with which a stream begins for this page.
        var isBeginning = false
    }

    private var entries: Deque<Entry> = []
    private var mediaBytes = 0
    /// The size of the queued media with which streams begin. It is limited separately: the beginnings of many streams
    /// come at once, and must not drop each other.
    private var beginningBytes = 0
    /// The recorders whose next frame must be a keyframe.
    private var lagging: Set<UInt16> = []
    private let limit: Int
    /// The number of times that queued GOPs were dropped.
    package private(set) var losses = 0

    /// Creates an empty queue.
    ///
    /// - Parameter limit: The maximum size of queued media, in bytes; and also that of the beginnings of streams.
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

    /// Adds the beginning of a stream for a page that has just chosen it. If the page cannot get the entire GOP, it
    /// gets the keyframe, so that it shows a frame at once, and continues at the next keyframe.
    ///
    /// - Parameters:
    ///   - gop: The messages since the newest keyframe.
    ///   - isWhole: False if messages are missing after the keyframe.
    package mutating func begin(_ head: ByteBuffer, _ gop: [ByteBuffer], isWhole: Bool, of recorder: UInt16) {
        push(head, of: recorder, .head)
        guard let keyframe = gop.first else { return }
        let bytes = gop.reduce(0) { $0 + $1.readableBytes }
        // Half of the space is left for the keyframes of other streams.
        if isWhole, beginningBytes + bytes <= limit / 2 {
            for message in gop { append(beginning: message, of: recorder) }
            lagging.remove(recorder)
        } else if beginningBytes + keyframe.readableBytes <= limit {
            append(beginning: keyframe, of: recorder)
        }
    }

    private mutating func append(beginning message: ByteBuffer, of recorder: UInt16) {
        beginningBytes += message.readableBytes
        entries.append(
            Entry(recorder: recorder, rank: .media(isKey: false), message: message, isBeginning: true))
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
        (mediaBytes, beginningBytes) = (0, 0)
        return all
    }

    private mutating func drop(of recorder: UInt16) {
        entries.removeAll { entry in
            guard entry.recorder == recorder, entry.rank.isStream else { return false }
            let bytes = entry.message.readableBytes
            if entry.isBeginning { beginningBytes -= bytes } else { mediaBytes -= bytes }
            return true
        }
    }

    /// Drops all queued media. Headers and beginnings are kept, because later fragments need them.
    private mutating func dropAll() {
        losses += 1
        entries.removeAll { entry in
            guard case .media = entry.rank, !entry.isBeginning else { return false }
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
