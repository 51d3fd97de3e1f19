import FileSystem
import Foundation
import MediaTypes
import RecorderStorage

/// The SQL statements of the index. Each of them finds its rows by an SQLite index.
enum IndexRows {
    private static let columns = """
        id, recorder, path, inode, size, modified, begin, "end", duration, width, height, picture, sound, marks, ledger, \
        ending, problem, pauses, codec
        """

    // MARK: Searching

    static func page(
        _ question: RecordingIndex.Question, _ generation: String, _ database: Database
    ) throws(Database.Failure) -> (rows: [IndexedRecording], hasMore: Bool) {
        var (words, values) = condition(question)
        if let after = question.after {
            words += " AND (begin, id) < (?, ?)"
            values += [.real(after.begin), .integer(after.number)]
        }
        var rows: [IndexedRecording] = []
        try database.run(
            "SELECT \(columns) FROM recording WHERE \(words) ORDER BY begin DESC, id DESC LIMIT ?",
            values + [.integer(Int64(question.limit) + 1)]
        ) { row in
            rows.append(IndexedRecording(row, generation))
            return true
        }
        return (Array(rows.prefix(question.limit)), rows.count > question.limit)
    }

    static func recordings(
        of recorder: String, _ range: ClosedRange<Double>, most: Int, _ generation: String, _ database: Database
    ) throws(Database.Failure) -> [IndexedRecording] {
        var rows: [IndexedRecording] = []
        try database.run(
            """
            SELECT \(columns) FROM recording WHERE shown = 1 AND recorder = ? AND begin < ? AND "end" > ?
            ORDER BY begin, id LIMIT ?
            """,
            [.text(recorder), .real(range.upperBound), .real(range.lowerBound), .integer(Int64(most))]
        ) { row in
            rows.append(IndexedRecording(row, generation))
            return true
        }
        return rows
    }

    static func total(
        _ question: RecordingIndex.Question, _ database: Database
    ) throws(Database.Failure) -> Int64 {
        let (words, values) = condition(question)
        return try database.number("SELECT count(*) FROM recording WHERE \(words)", values) ?? 0
    }

    private static func condition(_ question: RecordingIndex.Question) -> (String, [Database.Value]) {
        var words = "shown = 1"
        var values: [Database.Value] = []
        if let recorder = question.recorder {
            words += " AND recorder = ?"
            values.append(.text(recorder))
        }
        if let from = question.from {
            words += " AND \"end\" > ?"
            values.append(.real(from))
        }
        if let to = question.to {
            words += " AND begin < ?"
            values.append(.real(to))
        }
        return (words, values)
    }

    static func recording(
        _ number: Int64, _ generation: String, _ database: Database
    ) throws(Database.Failure) -> IndexedRecording? {
        var found: IndexedRecording?
        try database.run("SELECT \(columns) FROM recording WHERE id = ? AND shown = 1", [.integer(number)]) { row in
            found = IndexedRecording(row, generation)
            return false
        }
        return found
    }

    static func count(_ database: Database) throws(Database.Failure) -> Int64 {
        try database.number("SELECT count(*) FROM recording") ?? 0
    }

    static func unreadCount(_ database: Database) throws(Database.Failure) -> Int64 {
        try database.number("SELECT count(*) FROM recording WHERE facts = 0") ?? 0
    }

    // MARK: Filling

    /// A file that a scan found, or that a recorder's list contains.
    struct Seen: Sendable {
        let path: String
        let recorder: String
        let identity: FinishedRecording.Identity
        /// The entry in the recorder's own list; nil if the list does not contain the file.
        var account: FinishedRecording.Account?
    }

    /// A row that exists already, used to check its file again.
    struct Entry: Sendable {
        let number: Int64
        let path: String
        let recorder: String
        var identity: FinishedRecording.Identity
        let claim: RecordingClaim
    }

    /// Inserts or updates a file. A file that was renamed keeps its row.
    static func record(_ seen: Seen, in database: Database) throws(Database.Failure) {
        var row = try entry("path = ?", [.text(seen.path)], database)
        if row == nil { row = try renamed(seen, database) }
        let isSame = row?.path == seen.path && row?.identity == seen.identity
        if isSame, seen.account == nil { return }
        var before: RecordingClaims.Extent?
        if let row {
            before = try RecordingClaims.extent("id = ?", .integer(row.number), in: database)
            if !isSame { try change(row.number, seen, in: database) }
        } else {
            try insert(seen, in: database)
        }
        let number = row?.number ?? database.lastID
        if let account = seen.account { try record(account, seen.recorder, of: number, in: database) }
        try RecordingClaims.settle(number, since: before, in: database)
    }

    private static func insert(_ seen: Seen, in database: Database) throws(Database.Failure) {
        let end = PlausibleTime.clamped(Double(seen.identity.modified) / 1e9)
        let isGrowing = OutputLocation.finalPath(of: seen.path) != nil
        let claim: RecordingClaim = isGrowing ? .certain : .none
        try database.run(
            """
            INSERT INTO recording (recorder, path, inode, size, modified, begin, "end", shown, growing, claim)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7, ?7, ?8)
            """,
            [.text(seen.recorder), .text(seen.path)] + values(seen.identity)
                + [.real(end), .integer(isGrowing ? 1 : 0), .integer(claim.rawValue)])
    }

    /// Stores what the recorder's own list records about a file.
    private static func record(
        _ account: FinishedRecording.Account, _ recorder: String, of number: Int64, in database: Database
    ) throws(Database.Failure) {
        let started = account.started.map(PlausibleTime.clamped)
        try database.run(
            """
            UPDATE recording SET recorder = ?2, shown = 1, claim = ?6, ending = ?3,
                begin = CASE WHEN facts = 0 AND ?4 IS NOT NULL THEN ?4 ELSE begin END,
                "end" = CASE WHEN facts = 0 AND ?4 IS NOT NULL THEN max("end", ?4) ELSE "end" END,
                duration = CASE WHEN facts = 0 AND ?5 IS NOT NULL THEN ?5 ELSE duration END
            WHERE id = ?1 AND (ending IS NULL OR ending != ?3 OR shown = 0 OR claim != ?6 OR recorder != ?2 OR facts = 0)
            """,
            [
                .integer(number), .text(recorder), .text(account.ending.rawValue), .init(started),
                .init(account.duration), .integer(RecordingClaim.certain.rawValue),
            ])
    }

    private static func values(_ identity: FinishedRecording.Identity) -> [Database.Value] {
        [.integer(Int64(bitPattern: identity.inode)), .integer(identity.size), .integer(identity.modified)]
    }

    private static func change(
        _ number: Int64, _ seen: Seen, in database: Database
    ) throws(Database.Failure) {
        try database.run(
            """
            UPDATE recording SET path = ?2, inode = ?3, size = ?4, modified = ?5, "end" = max(begin, ?6), growing = ?7,
                shown = max(shown, ?7), claim = CASE WHEN ?7 THEN ?8 ELSE min(claim, ?9) END, facts = 0
            WHERE id = ?1
            """,
            [.integer(number), .text(seen.path)] + values(seen.identity)
                + [
                    .real(PlausibleTime.clamped(Double(seen.identity.modified) / 1e9)),
                    .integer(OutputLocation.finalPath(of: seen.path) == nil ? 0 : 1),
                    // The list may contain this file, but not in its current state.
                    .integer(RecordingClaim.certain.rawValue), .integer(RecordingClaim.own.rawValue),
                ])
    }

    /// Finds the row of the same file under its previous name.
    private static func renamed(_ seen: Seen, _ database: Database) throws(Database.Failure) -> Entry? {
        let inode = Database.Value.integer(Int64(bitPattern: seen.identity.inode))
        var candidates: [Entry] = []
        try database.run("SELECT \(entryColumns) FROM recording WHERE inode = ? LIMIT 16", [inode]) { row in
            candidates.append(Entry(row))
            return true
        }
        return candidates.first { row in
            if OutputLocation.finalPath(of: row.path) == seen.path { return true }
            // The inode number of a deleted file may be reused, so the inode number alone is no proof.
            var kind = stat()
            return row.identity.modified == seen.identity.modified && lstat(row.path, &kind) != 0
        }
    }

    /// Stores the facts that were read from a movie.
    static func record(
        _ info: IndexedRecording.Info, of entry: Entry, in database: Database
    ) throws(Database.Failure) {
        let end = PlausibleTime.clamped(Double(entry.identity.modified) / 1e9)
        let isGrowing = OutputLocation.finalPath(of: entry.path) != nil
        // The name of a movie that cannot be read indicates its recorder.
        let isOwn = info.recorder != nil || isGrowing || info.problem != nil && entry.isNamed
        let begin = info.begin ?? info.duration.map { max(0, end - $0) }
        let before = try RecordingClaims.extent("id = ?", .integer(entry.number), in: database)
        try database.run(
            """
            UPDATE recording SET facts = 1, begin = coalesce(?2, begin), duration = coalesce(?3, duration), width = ?4, height = ?5,
                "end" = CASE WHEN ?2 IS NULL OR ?3 IS NULL OR ?13 THEN max(coalesce(?2, begin), ?12) ELSE min(?2 + ?3 + ?15, ?18) END,
                picture = ?6, sound = ?7, marks = ?8, ledger = ?9, problem = ?10, claim = max(claim, ?11),
                recorder = coalesce(?14, recorder), pauses = ?16, lost = ?17, codec = ?19
            WHERE id = ?1
            """,
            [
                .integer(entry.number), .init(begin), .init(isGrowing ? nil : info.duration),
                info.width.map { .integer(Int64($0)) } ?? .null, info.height.map { .integer(Int64($0)) } ?? .null,
                .integer(info.hasVideo ? 1 : 0), .integer(info.hasAudio ? 1 : 0), .text(json(info.marks) ?? "[]"),
                .init(info.ledger.flatMap(json)), .init(info.problem),
                .integer((isOwn ? RecordingClaim.own : .none).rawValue), .real(end),
                .integer(isGrowing ? 1 : 0), .init(info.recorder),
                .real(info.pauses.reduce(0) { $0 + $1.duration }), .text(json(info.pauses) ?? "[]"),
                .integer(info.hasLosses ? 1 : 0), .real(PlausibleTime.range.upperBound),
                .init(info.codec),
            ])
        try RecordingClaims.settle(entry.number, since: before, in: database)
    }

    /// Updates a growing file between two reads of its movie.
    static func record(
        _ identity: FinishedRecording.Identity, ofGrowing entry: Entry, in database: Database
    ) throws(Database.Failure) {
        // If the tracks of a movie are not known yet, it will be read again.
        try database.run(
            """
            UPDATE recording SET inode = ?, size = ?, modified = ?, "end" = max(begin, ?), facts = picture OR sound
            WHERE id = ?
            """,
            values(identity)
                + [.real(PlausibleTime.clamped(Double(identity.modified) / 1e9)), .integer(entry.number)])
    }

    static func remove(_ path: String, from database: Database) throws(Database.Failure) {
        guard let before = try RecordingClaims.extent("path = ?", .text(path), in: database) else { return }
        try database.run("DELETE FROM recording WHERE id = ?", [.integer(before.number)])
        try RecordingClaims.settle(before.number, since: before, in: database)
    }

    /// Returns the newest rows that have not been read.
    static func unread(_ count: Int, in database: Database) throws(Database.Failure) -> [Entry] {
        try entries("facts = 0 ORDER BY id DESC LIMIT ?", [.integer(Int64(count))], database)
    }

    static func page(after number: Int64, count: Int, in database: Database) throws(Database.Failure) -> [Entry] {
        try entries("id > ? ORDER BY id LIMIT ?", [.integer(number), .integer(Int64(count))], database)
    }

    private static let entryColumns = "id, path, recorder, inode, size, modified, claim"

    private static func entries(
        _ words: String, _ values: [Database.Value], _ database: Database
    ) throws(Database.Failure) -> [Entry] {
        var entries: [Entry] = []
        try database.run("SELECT \(entryColumns) FROM recording WHERE \(words)", values) { row in
            entries.append(Entry(row))
            return true
        }
        return entries
    }

    private static func entry(
        _ words: String, _ values: [Database.Value], _ database: Database
    ) throws(Database.Failure) -> Entry? { try entries(words + " LIMIT 1", values, database).first }

    private static func json(_ value: some Encodable) -> String? {
        (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension IndexRows.Entry {
    fileprivate init(_ row: Database.Row) {
        (number, path, recorder) = (row.integer(0), row.text(1), row.text(2))
        identity = .init(inode: UInt64(bitPattern: row.integer(3)), size: row.integer(4), modified: row.integer(5))
        claim = RecordingClaim(rawValue: row.integer(6)) ?? .none
    }

    /// True if the file's name contains the recorder's name.
    fileprivate var isNamed: Bool { path.lastComponent.contains(recorder) }
}

extension IndexedRecording {
    fileprivate init(_ row: Database.Row, _ generation: String) {
        func decoded<Value: Decodable>(_ column: Int32) -> Value? {
            row.optionalText(column).flatMap { try? JSONDecoder().decode(Value.self, from: Data($0.utf8)) }
        }
        number = row.integer(0)
        id = "\(generation)-\(number)"
        (recorder, path) = (row.text(1), row.text(2))
        identity = .init(inode: UInt64(bitPattern: row.integer(3)), size: row.integer(4), modified: row.integer(5))
        (begin, end) = (row.real(6), row.real(7))
        var info = Info(
            begin: begin, duration: row.optionalReal(8), width: row.optionalInteger(9).map { Int($0) },
            height: row.optionalInteger(10).map { Int($0) }, hasVideo: row.integer(11) != 0,
            hasAudio: row.integer(12) != 0, marks: decoded(13) ?? [], ledger: decoded(14),
            problem: row.optionalText(16), recorder: recorder)
        info.pauses = decoded(17) ?? []
        info.codec = row.optionalText(18)
        self.info = info
        ending = row.optionalText(15).flatMap(RecordingEnding.init(rawValue:))
    }
}
