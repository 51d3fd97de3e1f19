import Foundation
import Logging
import MediaTypes
import RealTime

/// Finished files that are not in the catalogue yet. A file cannot be entered if the disk is full, or if another
/// program locks the database too long. Such a file waits here for the next attempt. Until then it is listed as
/// unfinished, so that the next start finds it.
///
/// Thread-safe: only one call runs at a time. The calls access the disk.
final class CatalogueEntries: Sendable {
    struct Entry: Sendable {
        let file: String
        let root: String?
        let account: FinishedRecording.Account
        let moment: Moment
        /// Called when the file has been entered.
        let whenDone: @Sendable () -> Void
    }

    /// The maximum number of waiting files. The user notices a full disk long before this limit is reached. Any further
    /// file is entered at the next start.
    private static let most = 10_000

    private let catalogue: RecordingCatalogue
    private let log: Logger
    private let waiting = Locked<[Entry]>([])
    private let lastError = Locked<MediaError?>(nil)
    /// Held during I/O.
    private let entering = NSLock()

    init(_ catalogue: RecordingCatalogue, log: Logger) {
        self.catalogue = catalogue
        self.log = log
    }

    /// The error for which files wait; nil if none waits.
    var problem: MediaError? { lastError.withLock { $0 } }

    func enter(_ entry: Entry) {
        waiting.withLock { if $0.count < Self.most { $0.append(entry) } }
        enterMissing()
    }

    /// Enters the waiting files in the order in which they were finished.
    func enterMissing() {
        entering.withLock {
            while let entry = waiting.withLock({ $0.first }) {
                do throws(MediaError) {
                    try catalogue.add(entry.file, root: entry.root, entry.account, at: entry.moment)
                    entry.whenDone()
                } catch {
                    // The user moved or deleted the file in the meantime.
                    if error.code == .notFound || error.code == .invalidState {
                        log.warning("retention and `recorder copy` ignore a finished file: \(error)")
                        entry.whenDone()
                    } else {
                        lastError.withLock { $0 = error }
                        return log.error("retention and `recorder copy` ignore a finished file for now: \(error)")
                    }
                }
                waiting.withLock { if !$0.isEmpty { $0.removeFirst() } }
            }
            lastError.withLock { $0 = nil }
        }
    }
}
