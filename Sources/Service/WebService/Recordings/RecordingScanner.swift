import Foundation
package import Logging
import RealTime

/// Keeps the index up to date: scans the directories, follows their changes, and reads movies when idle. It has its own
/// thread, so a slow disk delays only the scanner.
package final class RecordingScanner: Sendable {
    private let stopSignal = WakeUp()
    private let thread: NamedThread?

    /// Creates a scanner, which starts at once.
    package convenience init(_ index: RecordingIndex, _ sources: sending RecordingSources, log: Logger) {
        self.init(index, sources, rereadInterval: RereadSchedule.usualInterval, log: log)
    }

    /// Creates a scanner with another interval between two reads of a growing movie, in nanoseconds, for tests.
    init(_ index: RecordingIndex, _ sources: sending RecordingSources, rereadInterval: Int64, log: Logger) {
        let stop = stopSignal
        let work = Locked(Optional(ScannerWork(index, sources, rereadInterval: rereadInterval, log: log)))
        thread = try? NamedThread("recordings") {
            // Only this thread uses the work from now on.
            work.withLock { $0.take() }?.run(until: stop)
        }
    }

    /// Stops the scanner, and waits until its thread has ended.
    package func stop() {
        stopSignal.fire()
        thread?.join()
    }

    deinit { stopSignal.fire() }
}
