package import MediaTypes
import RealTime
import Synchronization

/// Passes every encoded packet to the viewers. Without viewers, a packet costs the encoder's thread one atomic read.
package final class LiveFeed: Sendable {
    private let watchers = Locked([LiveWatcher]())
    private let hasWatchers = Atomic(false)

    package init() {}

    /// Passes a packet to all viewers. Called on the encoders' threads; never blocks.
    package func accept(_ packet: SampleBuffer) {
        guard hasWatchers.load(ordering: .acquiring) else { return }
        for watcher in watchers.withLock({ $0 }) { watcher.accept(packet) }
    }

    package func add(_ watcher: LiveWatcher) {
        watchers.withLock { watchers in
            watchers.append(watcher)
            hasWatchers.store(true, ordering: .releasing)
        }
    }

    func remove(_ watcher: LiveWatcher) {
        watchers.withLock { watchers in
            watchers.removeAll { $0 === watcher }
            hasWatchers.store(!watchers.isEmpty, ordering: .releasing)
        }
        watcher.end()
    }

    /// Ends all viewers.
    package func end() { for watcher in watchers.withLock({ $0 }) { remove(watcher) } }

    /// True if there are viewers. Takes no lock.
    package var isWatched: Bool { hasWatchers.load(ordering: .acquiring) }
    package var watcherCount: Int { watchers.withLock { $0.count } }
}

/// A viewer's registration. It ends with the last reference to this object, even after an error.
package final class LiveWatch: Sendable {
    let watcher: LiveWatcher
    private let feed: LiveFeed

    package init(_ watcher: LiveWatcher, of feed: LiveFeed) {
        self.watcher = watcher
        self.feed = feed
    }

    deinit { feed.remove(watcher) }

    /// Waits for the viewer's next keyframe. A new viewer gets the newest keyframe first. The viewer gets nothing after
    /// this call.
    ///
    /// - Returns: nil if no keyframe came within the time limit, or if the feed ended.
    package func keyframe(within limit: Duration) async -> SampleBuffer? {
        // This task ends the wait at the time limit. It is cancelled when the wait ends.
        let patience = Task { [watcher] in
            try await Task.sleep(for: limit)
            watcher.end()
        }
        defer {
            patience.cancel()
            watcher.end()
        }
        while let packets = await watcher.next() {
            if let frame = packets.first(where: { $0.format.mediaType == .video && $0.isKeyframe }) { return frame }
        }
        return nil
    }
}
