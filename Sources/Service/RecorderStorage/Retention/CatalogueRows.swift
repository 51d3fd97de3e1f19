/// The SQL statements of a catalogue. Each of them finds its rows by an index, except `recordings(in:from:)`.
enum CatalogueRows {
    private static let columns =
        "r.id, r.path, r.inode, r.size, r.modified, r.wall, r.uptime, b.name, r.root, r.started, r.duration, r.ending, r.away, r.remote, r.kept, r.note, r.peak, d.name"
    // CROSS: the names of boots are looked up, never scanned (SQLite, "Manual Control Of Query Plans").
    private static let from =
        "FROM recording AS r CROSS JOIN boot AS b ON b.id = r.boot LEFT JOIN disk AS d ON d.id = r.disk"
    private static let present = from.replacing("AS r", with: "AS r INDEXED BY recording_present")
    private static let uncopied = from.replacing("AS r", with: "AS r INDEXED BY recording_uncopied")
    private static let kept = from.replacing("AS r", with: "AS r INDEXED BY recording_kept")
    private static let inodes = from.replacing("AS r", with: "AS r INDEXED BY recording_inode")
    private static let dated = from.replacing("AS r", with: "AS r INDEXED BY recording_dated")

    static func insert(
        _ entry: FinishedRecording, directory: String, mount: String, into database: Database
    ) throws(Database.Failure) {
        let place = try place(directory, mount, in: database)
        let boot = try boot(entry.moment.boot, in: database)
        let disk = try entry.disk.map { disk throws(Database.Failure) in try self.disk(disk, in: database) }
        let inode = Database.Value.integer(Int64(bitPattern: entry.identity.inode))
        // If a path is entered again, the new entry replaces the old one. If the file is still the same, its pin is
        // kept.
        var pin = entry.pin
        if pin == nil { pin = try earlierPin([.text(entry.path), inode], database) }
        try database.run("DELETE FROM recording WHERE path = ?", [.text(entry.path)])
        try database.run(
            """
            INSERT INTO recording
                (place, boot, path, inode, size, modified, wall, uptime, root, started, duration, ending, kept, note,
                 peak, disk)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(place), .integer(boot), .text(entry.path), inode,
                .integer(entry.identity.size), .integer(entry.identity.modified), .real(entry.moment.wall),
                .real(entry.moment.uptime), .init(entry.root), .init(entry.account.started),
                .init(entry.account.duration), .text(entry.account.ending.rawValue), .init(pin?.since),
                .init(pin?.note), .init(entry.account.activity?.peak),
                disk.map(Database.Value.integer) ?? .null,
            ])
        guard let activity = entry.account.activity else { return }
        try database.run(
            "INSERT OR REPLACE INTO activity (recording, step, series) VALUES (?, ?, ?)",
            [.integer(database.lastID), .integer(Int64(activity.step)), .text(activity.text)])
    }

    /// Returns the pin of the entry with a path and an inode number; nil if it has none. `values` has the path, then
    /// the number.
    private static func earlierPin(
        _ values: [Database.Value], _ database: Database
    ) throws(Database.Failure) -> RecordingPin? {
        var pin: RecordingPin?
        try database.run(
            "SELECT kept, note FROM recording WHERE path = ? AND inode = ? AND kept IS NOT NULL", values
        ) { row in
            pin = RecordingPin(since: row.real(0), note: row.optionalText(1))
            return false
        }
        return pin
    }

    static func place(
        _ directory: String, _ mount: String, in database: Database
    ) throws(Database.Failure) -> Int64 {
        let values = [Database.Value.text(directory), .text(mount)]
        if let id = try id("place WHERE directory = ? AND mount = ?", values, database) { return id }
        return try add("place (directory, mount) VALUES (?, ?)", values, database)
    }

    static func disk(_ name: String, in database: Database) throws(Database.Failure) -> Int64 {
        if let id = try id("disk WHERE name = ?", [.text(name)], database) { return id }
        return try add("disk (name) VALUES (?)", [.text(name)], database)
    }

    private static func boot(_ name: String, in database: Database) throws(Database.Failure) -> Int64 {
        if let id = try id("boot WHERE name = ?", [.text(name)], database) { return id }
        return try add("boot (name) VALUES (?)", [.text(name)], database)
    }

    private static func id(
        _ words: String, _ values: [Database.Value], _ database: Database
    ) throws(Database.Failure) -> Int64? {
        try database.number("SELECT id FROM " + words, values)
    }

    private static func add(
        _ words: String, _ values: [Database.Value], _ database: Database
    ) throws(Database.Failure) -> Int64 {
        try database.run("INSERT INTO " + words, values)
        return database.lastID
    }

    // MARK: Reading

    static func page(
        after number: Int64, in place: Int64?, count: Int, from database: Database
    ) throws(Database.Failure) -> [FinishedRecording] {
        let limit = Database.Value.integer(Int64(count))
        guard let place else {
            return try entries("WHERE r.id > ? ORDER BY r.id LIMIT ?", [.integer(number), limit], database)
        }
        return try entries(
            "WHERE r.place = ? AND r.id > ? ORDER BY r.id LIMIT ?", [.integer(place), .integer(number), limit], database
        )
    }

    /// Returns the entries whose files exist.
    static func candidates(
        after number: Int64, in place: Int64, count: Int, from database: Database
    ) throws(Database.Failure) -> [FinishedRecording] {
        try entries(
            "WHERE r.place = ? AND r.away = 0 AND r.id > ? ORDER BY r.id LIMIT ?",
            [.integer(place), .integer(number), .integer(Int64(count))], database, from: present)
    }

    static func candidates(
        before number: Int64, in place: Int64, count: Int, from database: Database
    ) throws(Database.Failure) -> [FinishedRecording] {
        try entries(
            "WHERE r.place = ? AND r.away = 0 AND r.id < ? ORDER BY r.id DESC LIMIT ?",
            [.integer(place), .integer(number), .integer(Int64(count))], database, from: present)
    }

    /// Returns the entries without a copy, in all places.
    static func uncopied(
        after number: Int64, count: Int, from database: Database
    ) throws(Database.Failure) -> [FinishedRecording] {
        try entries(
            "WHERE r.remote IS NULL AND r.id > ? ORDER BY r.id LIMIT ?", [.integer(number), .integer(Int64(count))],
            database, from: uncopied)
    }

    static func entry(_ path: String, in database: Database) throws(Database.Failure) -> FinishedRecording? {
        try entries("WHERE r.path = ?", [.text(path)], database).first
    }

    static func entries(
        of identity: FinishedRecording.Identity, in database: Database
    ) throws(Database.Failure) -> [FinishedRecording] {
        try entries(
            "WHERE r.inode = ? AND r.size = ? AND r.modified = ?",
            [.integer(Int64(bitPattern: identity.inode)), .integer(identity.size), .integer(identity.modified)],
            database, from: inodes)
    }

    /// Returns the kept entries, in all places.
    static func kept(
        after number: Int64, count: Int, from database: Database
    ) throws(Database.Failure) -> [FinishedRecording] {
        try entries(
            "WHERE r.kept IS NOT NULL AND r.id > ? ORDER BY r.id LIMIT ?",
            [.integer(number), .integer(Int64(count))], database, from: kept)
    }

    /// Returns the entries that overlap a time range. No index helps, because a recording may have any length, and its
    /// duration does not include pauses. The time at which it was finished is the upper limit of its end.
    static func recordings(
        in range: ClosedRange<Double>, from database: Database
    ) throws(Database.Failure) -> [FinishedRecording] {
        try entries(
            "WHERE r.wall >= ? AND coalesce(r.started, r.wall - coalesce(r.duration, 0)) <= ? ORDER BY r.id",
            [.real(range.lowerBound), .real(range.upperBound)], database)
    }

    static func nextDated(
        after number: Int64, boot: String, until now: Double, in database: Database
    ) throws(Database.Failure) -> RetentionAges.Dated? {
        var found: [FinishedRecording] = []
        if let boot = try id("boot WHERE name = ?", [.text(boot)], database) {
            found += try entries(
                "WHERE r.boot = ? AND r.id > ? ORDER BY r.id LIMIT 1", [.integer(boot), .integer(number)], database)
        }
        // The index skips recordings without a plausible date, of which there may be years.
        let first = RetentionAges.firstPlausibleDate
        if now >= first {
            found += try entries(
                "WHERE r.wall >= \(first) AND r.wall <= ? AND r.id > ? ORDER BY r.id LIMIT 1",
                [.real(now), .integer(number)], database,
                from: dated)
        }
        return found.min { $0.number < $1.number }.map { ($0.number, $0.moment) }
    }

    static func places(in database: Database) throws(Database.Failure) -> [RecordingCatalogue.Place] {
        var places: [RecordingCatalogue.Place] = []
        try database.run("SELECT id, directory, mount, files, bytes FROM place") { row in
            places.append(
                .init(
                    id: row.integer(0), directory: row.text(1), mount: row.text(2), files: row.integer(3),
                    bytes: row.integer(4)))
            return true
        }
        return places
    }

    private static func entries(
        _ words: String, _ values: [Database.Value], _ database: Database, from: String = from
    ) throws(Database.Failure) -> [FinishedRecording] {
        var entries: [FinishedRecording] = []
        try database.run("SELECT \(columns) \(from) \(words)", values) { row in
            entries.append(entry(row))
            return true
        }
        return entries
    }

    private static func entry(_ row: Database.Row) -> FinishedRecording {
        FinishedRecording(
            number: row.integer(0), path: row.text(1),
            identity: .init(
                inode: UInt64(bitPattern: row.integer(2)), size: row.integer(3), modified: row.integer(4)),
            moment: Moment(wall: row.real(5), uptime: row.real(6), boot: row.text(7)), root: row.optionalText(8),
            account: .init(
                started: row.optionalReal(9), duration: row.optionalReal(10),
                ending: RecordingEnding(rawValue: row.text(11)) ?? .unknown,
                peak: row.optionalInteger(16).map { Int(clamping: $0) }), isAway: row.integer(12) != 0,
            copiedTo: row.optionalInteger(13),
            pin: row.optionalReal(14).map { RecordingPin(since: $0, note: row.optionalText(15)) },
            disk: row.optionalText(17))
    }
}
