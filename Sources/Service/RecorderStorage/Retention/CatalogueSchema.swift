import FileSystem
import Foundation

/// Opens or creates a catalogue's database with all its tables, and sets a damaged file aside.
enum CatalogueSchema {
    /// "rcdr" identifies files of this program (SQLite, "Application ID").
    private static let applicationID: Int64 = 0x7263_6472
    private static let version: Int64 = 1

    /// The tables. Triggers update the sums with every change of a row.
    private static let tables = """
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        CREATE TABLE place (
            id INTEGER PRIMARY KEY,
            directory TEXT NOT NULL,
            mount TEXT NOT NULL,
            files INTEGER NOT NULL DEFAULT 0,
            bytes INTEGER NOT NULL DEFAULT 0,
            UNIQUE (directory, mount));
        CREATE TABLE boot (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE note (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE recording (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            place INTEGER NOT NULL,
            boot INTEGER NOT NULL,
            path TEXT NOT NULL UNIQUE,
            inode INTEGER NOT NULL,
            size INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            wall REAL NOT NULL,
            uptime REAL NOT NULL,
            root TEXT,
            started REAL,
            duration REAL,
            ending TEXT NOT NULL,
            away INTEGER NOT NULL DEFAULT 0,
            remote INTEGER,
            kept REAL,
            note TEXT,
            peak INTEGER,
            disk INTEGER);
        CREATE INDEX recording_place ON recording (place, id);
        CREATE INDEX recording_present ON recording (place, id) WHERE away = 0;
        CREATE INDEX recording_boot ON recording (boot, id);
        CREATE INDEX recording_dated ON recording (id, wall) WHERE wall >= \(RetentionAges.firstPlausibleDate);
        CREATE TRIGGER recording_added AFTER INSERT ON recording WHEN NEW.away = 0 BEGIN
            UPDATE place SET files = files + 1, bytes = bytes + NEW.size WHERE id = NEW.place;
        END;
        CREATE TRIGGER recording_removed AFTER DELETE ON recording WHEN OLD.away = 0 BEGIN
            UPDATE place SET files = files - 1, bytes = bytes - OLD.size WHERE id = OLD.place;
        END;
        CREATE TRIGGER recording_changed AFTER UPDATE OF place, away ON recording BEGIN
            UPDATE place SET files = files - 1, bytes = bytes - OLD.size WHERE id = OLD.place AND OLD.away = 0;
            UPDATE place SET files = files + 1, bytes = bytes + NEW.size WHERE id = NEW.place AND NEW.away = 0;
        END;
        """

    /// The column with the remote that has a verified copy of the recording, or NULL for no copy. Older programs do not
    /// write this column, so their rows have no copy. The schema's version does not change, so that older programs can
    /// still use the file.
    private static let copies = """
        CREATE TABLE remote (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE INDEX recording_uncopied ON recording (id, size, wall) WHERE remote IS NULL;
        """

    /// The columns with the time at which a recording was first kept, in seconds since 1970, and with the owner's note.
    /// NULL means that the entry does not keep the recording. Older programs do not write these columns; for their
    /// rows, the sidecars decide.
    private static let pins = """
        CREATE INDEX recording_kept ON recording (id, place, size) WHERE kept IS NOT NULL;
        """

    /// The column with a recording's largest activity, and a separate table with the activity of each second, because
    /// few readers need it. The trigger works for older programs too.
    private static let activity = """
        CREATE TABLE activity (recording INTEGER PRIMARY KEY, step INTEGER NOT NULL, series TEXT NOT NULL);
        CREATE TRIGGER recording_forgotten AFTER DELETE ON recording BEGIN
            DELETE FROM activity WHERE recording = OLD.id;
        END;
        """

    /// The mount point of each remote that is a directory of this machine.
    private static let remoteMounts = """
        CREATE TABLE remote_mount (remote INTEGER PRIMARY KEY, path TEXT NOT NULL);
        """

    /// Finds the entry of a file that has another path, for example below a bind mount.
    private static let inodes = """
        CREATE INDEX recording_inode ON recording (inode);
        """

    /// The column with the disk of a recording; NULL if it is unknown.
    private static let disks = """
        CREATE TABLE disk (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        """

    /// Opens a catalogue, or creates it.
    ///
    /// - Parameter isRecreated: True after damage: the new catalogue is marked so that the disks are searched.
    static func open(
        _ path: String, isRecreated: Bool = false, patience: Int32 = 5000
    ) throws(Database.Failure) -> Database {
        let isNew = Database.createFile(path)
        let database = try Database(path, patience: patience)
        try database.execute("PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL; PRAGMA cache_size = -512;")
        let (application, version) = (try pragma("application_id", database), try pragma("user_version", database))
        if version == self.version, application == applicationID {
            try add(copies, "recording_uncopied", columns: ["remote INTEGER"], to: database)
            try add(pins, "recording_kept", columns: ["kept REAL", "note TEXT"], to: database)
            try add(activity, "activity", columns: ["peak INTEGER"], to: database)
            try add(remoteMounts, "remote_mount", columns: [], to: database)
            try add(inodes, "recording_inode", columns: [], to: database)
            try add(disks, "disk", columns: ["disk INTEGER"], to: database)
            return database
        }
        guard application == 0 || application == applicationID else {
            throw Database.Failure(code: Database.Failure.damage, description: "it belongs to another program")
        }
        guard version <= self.version else {
            throw Database.Failure(code: 1, description: "a newer version of recorder created it")
        }
        try database.change { () throws(Database.Failure) in
            // Another process may have created the tables first.
            guard try pragma("user_version", database) == 0 else { return }
            try database.execute(tables + copies + pins + activity + remoteMounts + inodes + disks)
            // A file that already existed but is empty has lost its contents.
            if isRecreated || !isNew { try record(recreated: true, in: database) }
        }
        return database
    }

    /// Adds columns and tables to a file from an older version, with the index or table `index` that belongs to them.
    private static func add(
        _ tables: String, _ index: String, columns: [String], to database: Database
    ) throws(Database.Failure) {
        func isThere() throws(Database.Failure) -> Bool {
            try database.number("SELECT 1 FROM sqlite_schema WHERE name = ?", [.text(index)]) != nil
        }
        guard try !isThere() else { return }
        try database.change { () throws(Database.Failure) in
            guard try !isThere() else { return }
            let changes = columns.map { "ALTER TABLE recording ADD COLUMN \($0);" }.joined()
            try database.execute(changes + tables)
        }
    }

    static func isRecreated(_ database: Database) throws(Database.Failure) -> Bool {
        try database.number("SELECT value FROM note WHERE key = 'anew'") == 1
    }

    static func record(recreated: Bool, in database: Database) throws(Database.Failure) {
        try database.run("INSERT OR REPLACE INTO note VALUES ('anew', ?)", [.integer(recreated ? 1 : 0)])
    }

    private static func pragma(_ name: String, _ database: Database) throws(Database.Failure) -> Int64 {
        try database.number("PRAGMA \(name)") ?? 0
    }

    /// Renames a damaged file and its journal. Removes nothing.
    ///
    /// - Returns: The new name; nil if renaming failed.
    static func setAside(_ path: String) -> String? {
        for number in 1...1000 {
            let aside = "\(path).damaged-\(number)"
            // Reserves the name, so that no other file is replaced.
            let taken = FileSystem.open(aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard taken >= 0 else {
                if errno == EEXIST { continue }
                return nil
            }
            close(taken)
            guard rename(path, aside) == 0 else {
                unlink(aside)
                return nil
            }
            rename(path + "-journal", aside + "-journal")
            return aside
        }
        return nil
    }
}
