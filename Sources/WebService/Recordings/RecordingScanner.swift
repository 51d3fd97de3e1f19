import Foundation
package import Logging
import RealTime
import RecorderService

/// Keeps the index as the directories are: looks through them, follows what changes, and reads movies when nothing else is to be
/// done. One thread of its own, which a slow disk holds up and nobody else.
package final class RecordingScanner: Sendable {
    private let stopSignal = WakeUp()
    private let thread: NamedThread?

    /// Begins at once.
    package init(_ index: RecordingIndex, _ sources: sending RecordingSources, log: Logger) {
        let stop = stopSignal
        let work = Locked(Optional(ScannerWork(index, sources, log: log)))
        thread = try? NamedThread("recordings") {
            // Handed over: it is the thread's alone.
            work.withLock { $0.take() }?.run(until: stop)
        }
    }

    /// Ends it, and waits until it has ended.
    package func stop() {
        stopSignal.fire()
        thread?.join()
    }

    deinit { stopSignal.fire() }
}
