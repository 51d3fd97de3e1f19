import FileSystem
import Foundation
import MediaTypes
import RealTime
import RecorderService

/// All recordings that the page shows, found in milliseconds: a database of SQLite, filled by `RecordingScanner`.
///
/// A cache: deleted or damaged, it is made anew, and what is on the disks is looked through again. Any thread may call; the calls
/// touch the disk and may wait for each other.
package final class RecordingIndex: Sendable {
    private struct Opened {
        let database: Database
        let generation: String
        let inode: UInt64
    }

    /// Fired when there is a new file to be filled.
    let news = WakeUp()
    private let path: String
    /// Whether the recorder of that name is there to write its unfinished file.
    private let isRunning: @Sendable (String) -> Bool
    /// Held during I/O.
    private let lock = NSLock()
    /// Only touched while the lock is held, as the two below.
    nonisolated(unsafe) private var opened: Opened?
    /// There is a new file, and nobody has filled it.
    nonisolated(unsafe) private var isEmpty = true
    nonisolated(unsafe) private var isScanning = true

    /// Touches nothing.
    ///
    /// - Parameter isRunning: whether the recorder of that name is there: an unfinished file of another one is interrupted.
    package init(_ path: String, isRunning: @escaping @Sendable (String) -> Bool = { _ in true }) {
        self.path = path
        self.isRunning = isRunning
    }

    /// Tells files that are being recorded from those whose recorder is gone.
    private func judged(_ recording: IndexedRecording) -> IndexedRecording {
        guard recording.isUnfinished, !isRunning(recording.recorder) else { return recording }
        var recording = recording
        recording.isInterrupted = true
        return recording
    }

    // MARK: Asking

    /// What is looked for.
    struct Question: Sendable {
        var recorder: String?
        /// Ends after it.
        var from: Double?
        /// Begins before it.
        var to: Double?
        var after: Mark?
        var limit = 50

        /// The last one of the page before.
        struct Mark: Sendable, Equatable {
            let begin: Double
            let number: Int64

            var text: String { String(begin.bitPattern, radix: 16) + "-" + String(number) }

            init(begin: Double, number: Int64) { (self.begin, self.number) = (begin, number) }

            /// nil for what no page ended with.
            init?(_ text: String) {
                let parts = text.split(separator: "-", omittingEmptySubsequences: false)
                guard parts.count == 2, let bits = UInt64(parts[0], radix: 16), let number = Int64(parts[1]),
                    PlausibleTime.isTime(Double(bitPattern: bits))
                else { return nil }
                self.init(begin: Double(bitPattern: bits), number: number)
            }
        }
    }

    /// Files that have been read, of all that were found.
    struct Progress: Codable, Sendable, Equatable {
        let done: Int64
        let total: Int64
    }

    struct Page: Encodable, Sendable {
        let recordings: [IndexedRecording]
        let next: String?
        let total: Int64
        let indexing: Progress?

        private enum Keys: CodingKey { case recordings, next, total, indexing }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(recordings, forKey: .recordings)
            try container.encode(next, forKey: .next)
            try container.encode(total, forKey: .total)
            try container.encode(indexing, forKey: .indexing)
        }
    }

    /// The newest first.
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

    /// nil when all files that were found have been read. Called while the lock is held.
    private func progress(_ database: Database) throws(Database.Failure) -> Progress? {
        let unread = try IndexRows.unreadCount(database)
        guard isScanning || isEmpty || unread > 0 else { return nil }
        let all = try IndexRows.count(database)
        return Progress(done: all - unread, total: all)
    }

    /// nil when there is none.
    func recording(_ id: String) throws(MediaError) -> IndexedRecording? {
        let parts = id.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[1]), String(number) == parts[1] else { return nil }
        return try using { database, generation throws(Database.Failure) in
            guard generation == parts[0] else { return nil }
            return try IndexRows.recording(number, generation, database).map(self.judged)
        }
    }

    /// When recorders recorded something between two moments, and when the first and the last of all recordings were.
    func timeline(_ question: TimelineQuestion) throws(MediaError) -> TimelineAnswer {
        try using { database, generation throws(Database.Failure) in
            let ends = try TimelineRows.ends(database)
            return TimelineAnswer(
                first: ends?.lowerBound, last: ends?.upperBound,
                lines: try TimelineRows.lines(question, generation, database, isRunning: self.isRunning),
                indexing: try self.progress(database))
        }
    }

    /// What a recorder recorded between two moments, in the order of the beginnings; the first ones.
    func recordings(
        of recorder: String, _ range: ClosedRange<Double>, most: Int
    ) throws(MediaError) -> [IndexedRecording] {
        try using { database, generation throws(Database.Failure) in
            try IndexRows.recordings(of: recorder, range, most: most, generation, database).map(self.judged)
        }
    }

    // MARK: Filling

    /// Several changes at once.
    func change<Result>(_ body: (Database) throws(Database.Failure) -> Result) throws(MediaError) -> Result {
        try using { database, _ throws(Database.Failure) in
            try database.change { () throws(Database.Failure) in try body(database) }
        }
    }

    func read<Result>(_ body: (Database) throws(Database.Failure) -> Result) throws(MediaError) -> Result {
        try using { database, _ throws(Database.Failure) in try body(database) }
    }

    /// Whether it has to be filled from the beginning; the next time it has not.
    func takeIsEmpty() throws(MediaError) -> Bool {
        try using { _, _ in
            defer { self.isEmpty = false }
            return self.isEmpty
        }
    }

    /// Tells whether directories are being looked through.
    func note(isScanning: Bool) { lock.withLock { self.isScanning = isScanning } }

    // MARK: -

    private func using<Result>(
        _ body: (Database, String) throws(Database.Failure) -> Result
    ) throws(MediaError) -> Result {
        lock.lock()
        defer { lock.unlock() }
        var failure = Database.Failure(damage: "")
        // What is damaged is made anew, once.
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
        throw failure.mediaError("cannot look for recordings", (path as NSString).lastPathComponent)
    }

    private func open() throws(Database.Failure) -> Opened {
        var kind = stat()
        // Somebody may have deleted it, and what is written to a file without a name nobody finds again.
        if let opened, lstat(path, &kind) == 0, UInt64(kind.st_ino) == opened.inode { return opened }
        opened = nil
        let (database, generation, isNew) = try IndexSchema.open(path)
        if isNew {
            isEmpty = true
            news.fire()
        }
        guard lstat(path, &kind) == 0 else { throw Database.Failure(code: 14, description: "it is gone again") }
        let opened = Opened(database: database, generation: generation, inode: UInt64(kind.st_ino))
        self.opened = opened
        return opened
    }
}
