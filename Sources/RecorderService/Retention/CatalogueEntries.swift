import Foundation
import Logging
import MediaTypes
import RealTime

/// Finished files on their way into the catalogue. What cannot be entered, because that disk is full or somebody has the database
/// for too long, waits here for the next time; until then it stands among the unfinished, where the next start finds it.
///
/// The calls touch the disk; any thread, one is inside at a time.
final class CatalogueEntries: Sendable {
    struct Entry: Sendable {
        let file: String
        let root: String?
        let account: FinishedRecording.Account
        let moment: Moment
        /// It is entered.
        let whenDone: @Sendable () -> Void
    }

    /// What waits beyond that is left to the next start: a disk is not full for so many files without its owner's notice.
    private static let most = 10_000

    private let catalogue: RecordingCatalogue
    private let log: Logger
    private let waiting = Locked<[Entry]>([])
    /// Held during I/O.
    private let entering = NSLock()

    init(_ catalogue: RecordingCatalogue, log: Logger) {
        self.catalogue = catalogue
        self.log = log
    }

    func enter(_ entry: Entry) {
        waiting.withLock { if $0.count < Self.most { $0.append(entry) } }
        enterMissing()
    }

    /// In the order in which they were finished.
    func enterMissing() {
        entering.withLock {
            while let entry = waiting.withLock({ $0.first }) {
                do throws(MediaError) {
                    try catalogue.add(entry.file, root: entry.root, entry.account, at: entry.moment)
                    entry.whenDone()
                } catch {
                    // Its owner took it away meanwhile.
                    if error.code == .notFound || error.code == .invalidState {
                        log.warning("neither retention nor copies know of a file: \(error)")
                        entry.whenDone()
                    } else {
                        return log.error("for now neither retention nor copies know of a file: \(error)")
                    }
                }
                waiting.withLock { if !$0.isEmpty { $0.removeFirst() } }
            }
        }
    }
}
