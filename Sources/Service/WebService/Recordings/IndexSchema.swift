import RecorderStorage

/// The schema of the index file. A file of another version is replaced, because everything in it can be read from the
/// disks again.
enum IndexSchema {
    /// The version of the tables below, and of the facts that are read for them.
    private static let version: Int64 = 4

    /// The tables. `growing` and `lost` are derived from `path`, `ledger` and `problem` for the timeline. `facts` is 0
    /// if the movie itself has not been read yet. `claim` is a `RecordingClaim`. `shown` is 0 for a file that may be
    /// another program's movie, or a copy. A row's number is never reused. `generation` distinguishes the numbers of
    /// this index from those of an earlier index.
    private static let tables = """
        CREATE TABLE note (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE recording (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            recorder TEXT NOT NULL,
            path TEXT NOT NULL UNIQUE,
            inode INTEGER NOT NULL,
            size INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            begin REAL NOT NULL,
            "end" REAL NOT NULL,
            duration REAL,
            width INTEGER,
            height INTEGER,
            codec TEXT,
            picture INTEGER NOT NULL DEFAULT 0,
            sound INTEGER NOT NULL DEFAULT 0,
            pauses TEXT NOT NULL DEFAULT '[]',
            marks TEXT NOT NULL DEFAULT '[]',
            ledger TEXT,
            ending TEXT,
            problem TEXT,
            growing INTEGER NOT NULL DEFAULT 0,
            lost INTEGER NOT NULL DEFAULT 0,
            claim INTEGER NOT NULL DEFAULT 0,
            shown INTEGER NOT NULL DEFAULT 0,
            facts INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX recording_all ON recording (begin, id, "end") WHERE shown = 1;
        CREATE INDEX recording_line ON recording (recorder, begin, id, "end", growing, lost, shown) WHERE shown = 1;
        CREATE INDEX recording_marked ON recording (recorder, begin) WHERE shown = 1 AND (marks != '[]' OR pauses != '[]');
        CREATE INDEX recording_unread ON recording (id) WHERE facts = 0;
        CREATE INDEX recording_inode ON recording (inode);
        CREATE INDEX recording_claim ON recording (recorder, claim, begin, "end");
        CREATE INDEX recording_length ON recording (recorder, claim, "end" - begin);
        """

    /// Opens or creates the index.
    ///
    /// - Returns: The database; its generation, which distinguishes it from earlier databases at this path; and true if
    ///   it is new.
    static func open(_ path: String) throws(Database.Failure) -> (database: Database, generation: String, isNew: Bool) {
        Database.createFile(path)
        let database = try Database(path)
        // A power loss may destroy the index. The only cost is another scan of the disks.
        try database.execute("PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF; PRAGMA cache_size = -4096;")
        if try database.number("PRAGMA user_version") == version {
            return (database, try generation(database), false)
        }
        let generation = String(UInt32.random(in: 0x1000_0000...UInt32.max), radix: 36)
        try database.change { () throws(Database.Failure) in
            guard try database.number("SELECT count(*) FROM sqlite_schema") == 0 else {
                throw Database.Failure(damage: "it has another version")
            }
            try database.execute(tables + "PRAGMA user_version = \(version);")
            try database.run("INSERT INTO note VALUES ('generation', ?)", [.text(generation)])
        }
        return (database, generation, true)
    }

    private static func generation(_ database: Database) throws(Database.Failure) -> String {
        var text = ""
        try database.run("SELECT value FROM note WHERE key = 'generation'") { row in
            text = row.text(0)
            return false
        }
        guard !text.isEmpty else { throw Database.Failure(damage: "its generation is missing") }
        return text
    }
}
