import Foundation
package import Logging
import RealTime

/// Keeps the index up to date: scans the directories, follows their changes, and reads movies when idle. It uses one
/// thread of its own, so a slow disk delays only the scanner.
package final class RecordingScanner: Sendable {
    private let stopSignal = WakeUp()
    private let thread: NamedThread?

    /// Creates a scanner, which starts at once.
    package init(_ index: RecordingIndex, _ sources: sending RecordingSources, log: Logger) {
        let stop = stopSignal
        let work = Locked(Optional(ScannerWork(index, sources, log: log)))
        thread = try? NamedThread("recordings") {
            // The work is taken over by this thread, and used by no other.
            work.withLock { $0.take() }?.run(until: stop)
        }
    }

    /// Ends the scanner and waits until it has ended.
    package func stop() {
        stopSignal.fire()
        thread?.join()
    }

    deinit { stopSignal.fire() }
}
