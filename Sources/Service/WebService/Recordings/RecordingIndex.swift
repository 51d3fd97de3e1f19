import FileSystem
import Foundation
import MediaTypes
import RealTime
import RecorderStorage

/// The index of all recordings that the page shows. It is an SQLite database that `RecordingScanner` fills, and a
/// search takes milliseconds.
///
/// The index is a cache: if it is deleted or damaged, it is created again, and the disks are scanned again.
/// Thread-safe. The calls read and write the disk, and may wait for each other.
package final class RecordingIndex: Sendable {
    private struct Opened {
        let database: Database
        let generation: String
        let inode: UInt64
    }

    /// Fires when a new index was created. The scanner then has to fill it.
    let news = WakeUp()
    private let path: String
    /// Returns true if the recorder with that name runs. Its unfinished file is then still being written.
    private let isRunning: @Sendable (String) -> Bool
    /// Held during I/O.
    private let lock = NSLock()
    /// The open index. This property and the next two are only accessed while the lock is held.
    nonisolated(unsafe) private var opened: Opened?
    /// True if the index is new, and no scan has filled it yet.
    nonisolated(unsafe) private var isEmpty = true
    nonisolated(unsafe) private var isScanning = true

    /// Creates an index without opening it.
    ///
    /// - Parameter isRunning: Returns true if the recorder with that name runs; otherwise its unfinished file is
    ///   interrupted.
    package init(_ path: String, isRunning: @escaping @Sendable (String) -> Bool = { _ in true }) {
        self.path = path
        self.isRunning = isRunning
    }

    /// Marks an unfinished recording as interrupted if its recorder no longer runs.
    private func judged(_ recording: IndexedRecording) -> IndexedRecording {
        guard recording.isUnfinished, !isRunning(recording.recorder) else { return recording }
        var recording = recording
        recording.isInterrupted = true
        return recording
    }

    // MARK: Searching

    /// A search.
    struct Question: Sendable {
        var recorder: String?
        /// Finds only recordings that end after this time, in seconds since 1970; nil for no limit.
        var from: Double?
        /// Finds only recordings that begin before this time, in seconds since 1970; nil for no limit.
        var to: Double?
        var after: Mark?
        var limit = 50

        /// A position in the list: the last recording of the previous page.
        struct Mark: Sendable, Equatable {
            let begin: Double
            let number: Int64

            var text: String { String(begin.bitPattern, radix: 16) + "-" + String(number) }

            init(begin: Double, number: Int64) { (self.begin, self.number) = (begin, number) }

            /// Parses the text of a mark; nil for any string that the property `text` does not return.
            init?(_ text: String) {
                let parts = text.split(separator: "-", omittingEmptySubsequences: false)
                guard parts.count == 2, let bits = UInt64(parts[0], radix: 16), let number = Int64(parts[1]),
                    PlausibleTime.isTime(Double(bitPattern: bits))
                else { return nil }
                self.init(begin: Double(bitPattern: bits), number: number)
            }
        }
    }

    /// The progress of a scan: the number of files that were read, and the number of all files that were found.
    struct Progress: Codable, Sendable, Equatable {
        let done: Int64
        let total: Int64
    }

    struct Page: Encodable, Sendable {
        var recordings: [IndexedRecording]
        @OrNull var next: String?
        let total: Int64
        @OrNull var indexing: Progress?
    }

    /// Returns one page, the newest recordings first.
    func page(_ question: Question) throws(MediaError) -> Page {
        try using { database, generation throws(Database.Failure) in
            let found = try IndexRows.page(question, generation, database)
            return Page(
                recordings: found.rows.map(self.judged),
                next: found.hasMore
                    ? found.rows.last.map { Question.Mark(begin: $0.begin, number: $0.number).text } : nil,
                total: try IndexRows.total(question, database), indexing: try self.progress(database))
        }
    }

    /// Returns the progress; nil if all files that were found have been read. Call it with the lock held.
    private func progress(_ database: Database) throws(Database.Failure) -> Progress? {
        let unread = try IndexRows.unreadCount(database)
        guard isScanning || isEmpty || unread > 0 else { return nil }
        let all = try IndexRows.count(database)
        return Progress(done: all - unread, total: all)
    }

    /// Returns a recording; nil if there is none.
    func recording(_ id: String) throws(MediaError) -> IndexedRecording? {
        let parts = id.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[1]), String(number) == parts[1] else { return nil }
        return try using { database, generation throws(Database.Failure) in
            guard generation == parts[0] else { return nil }
            return try IndexRows.recording(number, generation, database).map(self.judged)
        }
    }

    /// Returns the timeline of a range: the times at which the recorders recorded. Also returns the first and the last
    /// time of all recordings.
    ///
    /// - Parameter kept: The paths of the finished recordings that their owner keeps.
    func timeline(_ question: TimelineQuestion, kept: [String] = []) throws(MediaError) -> TimelineAnswer {
        try using { database, generation throws(Database.Failure) in
            let ends = try TimelineRows.ends(database)
            return TimelineAnswer(
                first: ends?.lowerBound, last: ends?.upperBound,
                lines: try TimelineRows.lines(
                    question, generation, database, kept: try TimelineRows.numbers(of: kept, database),
                    isRunning: self.isRunning),
                indexing: try self.progress(database))
        }
    }

    /// Returns at most the first `most` recordings of a recorder in a time range, ordered by their beginnings.
    func recordings(
        of recorder: String, _ range: ClosedRange<Double>, most: Int
    ) throws(MediaError) -> [IndexedRecording] {
        try using { database, generation throws(Database.Failure) in
            try IndexRows.recordings(of: recorder, range, most: most, generation, database).map(self.judged)
        }
    }

    // MARK: Filling

    /// Makes several changes in one transaction.
    func change<Result>(_ body: (Database) throws(Database.Failure) -> Result) throws(MediaError) -> Result {
        try using { database, _ throws(Database.Failure) in
            try database.change { () throws(Database.Failure) in try body(database) }
        }
    }

    func read<Result>(_ body: (Database) throws(Database.Failure) -> Result) throws(MediaError) -> Result {
        try using { database, _ throws(Database.Failure) in try body(database) }
    }

    /// Returns true if the index has to be filled from the beginning, and resets that state.
    func takeIsEmpty() throws(MediaError) -> Bool {
        try using { _, _ in
            defer { self.isEmpty = false }
            return self.isEmpty
        }
    }

    /// Sets whether directories are being scanned.
    func record(isScanning: Bool) { lock.withLock { self.isScanning = isScanning } }

    // MARK: -

    private func using<Result>(
        _ body: (Database, String) throws(Database.Failure) -> Result
    ) throws(MediaError) -> Result {
        lock.lock()
        defer { lock.unlock() }
        var failure = Database.Failure(damage: "")
        // A damaged index is created again, once.
        for _ in 0..<2 {
            do throws(Database.Failure) {
                let opened = try open()
                return try body(opened.database, opened.generation)
            } catch {
                failure = error
                opened = nil
                guard error.isDamage else { break }
                for name in [path, path + "-journal"] { unlink(name) }
            }
        }
        throw failure.mediaError("cannot read the index of recordings", path.lastComponent)
    }

    private func open() throws(Database.Failure) -> Opened {
        var kind = stat()
        // The file may have been deleted in the meantime. Data that is written to a deleted file would be lost.
        if let opened, lstat(path, &kind) == 0, UInt64(kind.st_ino) == opened.inode { return opened }
        opened = nil
        let (database, generation, isNew) = try IndexSchema.open(path)
        if isNew {
            isEmpty = true
            news.fire()
        }
        guard lstat(path, &kind) == 0 else { throw Database.Failure(code: 14, description: "it was deleted") }
        let opened = Opened(database: database, generation: generation, inode: UInt64(kind.st_ino))
        self.opened = opened
        return opened
    }
}
