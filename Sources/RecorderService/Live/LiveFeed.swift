import MediaTypes
import RealTime
import Synchronization

/// Hands every packet behind the encoders to those who watch. Without any it costs the encoders' threads one look.
final class LiveFeed: Sendable {
    private let watchers = Locked([LiveWatcher]())
    private let isWatched = Atomic(false)

    /// On the encoders' threads; never waits.
    func take(_ packet: SampleBuffer) {
        guard isWatched.load(ordering: .acquiring) else { return }
        for watcher in watchers.withLock({ $0 }) { watcher.take(packet) }
    }

    func add(_ watcher: LiveWatcher) {
        watchers.withLock { watchers in
            watchers.append(watcher)
            isWatched.store(true, ordering: .releasing)
        }
    }

    func remove(_ watcher: LiveWatcher) {
        watchers.withLock { watchers in
            watchers.removeAll { $0 === watcher }
            isWatched.store(!watchers.isEmpty, ordering: .releasing)
        }
        watcher.end()
    }

    /// Nothing more comes for anybody.
    func end() { for watcher in watchers.withLock({ $0 }) { remove(watcher) } }

    var watcherCount: Int { watchers.withLock { $0.count } }
}

/// A place among those who watch, given up when the last reference to it goes, however its user ends.
package final class LiveWatch: Sendable {
    let watcher: LiveWatcher
    private let feed: LiveFeed

    init(_ watcher: LiveWatcher, of feed: LiveFeed) {
        self.watcher = watcher
        self.feed = feed
    }

    deinit { feed.remove(watcher) }
}
