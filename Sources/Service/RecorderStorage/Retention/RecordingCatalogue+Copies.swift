import Foundation
package import MediaTypes

/// Stores in each recording's row whether the recording has a verified copy, or waits for one. This state therefore
/// survives restarts.
extension RecordingCatalogue {
    /// The recordings that wait for a copy.
    package struct Backlog: Sendable, Equatable {
        package var files: Int64 = 0
        package var bytes: Int64 = 0
        /// The time at which the oldest of them was finished, in seconds since 1970.
        package var oldest: Double?
    }

    private static let note = "remote"

    /// Sets the remote for copies. A recording that has a copy only on another remote then waits for a copy on this
    /// remote.
    ///
    /// A change of the remote updates a few thousand rows per transaction, so that a recorder never waits long.
    ///
    /// - Returns: The number of the remote.
    package func beginCopies(to remote: String) throws(MediaError) -> Int64 {
        let action = "cannot store the remote in the catalogue"
        let (number, isNew, last) = try using(action) { database throws(Database.Failure) in
            try database.change { () throws(Database.Failure) -> (Int64, Bool, Int64) in
                try database.run("INSERT OR IGNORE INTO remote (name) VALUES (?)", [.text(remote)])
                let number = try CatalogueRows.remote(remote, in: database) ?? 0
                let noted = try database.number("SELECT value FROM note WHERE key = ?", [.text(Self.note)])
                let last = try database.number("SELECT max(id) FROM recording") ?? 0
                return (number, noted != number, last)
            }
        }
        guard isNew else { return number }
        for first in stride(from: Int64(0), through: last, by: 2000) {
            try using(action) { database throws(Database.Failure) in
                try database.run(
                    "UPDATE recording SET remote = NULL WHERE id >= ?1 AND id < ?1 + 2000 AND remote != ?2",
                    [.integer(first), .integer(number)])
            }
        }
        try using(action) { database throws(Database.Failure) in
            try database.run(
                "INSERT OR REPLACE INTO note VALUES (?, ?)", [.text(Self.note), .integer(number)])
        }
        return number
    }

    /// Returns the number of a remote; nil if no recording was ever copied there.
    package func remote(_ name: String) throws(MediaError) -> Int64? {
        try read { database throws(Database.Failure) in try CatalogueRows.remote(name, in: database) } ?? nil
    }

    /// Returns the remote to which this recorder's recordings were copied most recently; nil if there is none.
    package var lastRemote: String? {
        get throws(MediaError) {
            try read { database throws(Database.Failure) in
                var name: String?
                try database.run(
                    "SELECT name FROM remote JOIN note ON note.value = remote.id WHERE note.key = ?",
                    [.text(Self.note)]
                ) { row in
                    name = row.text(0)
                    return false
                }
                return name
            } ?? nil
        }
    }

    /// Returns the mount point of a remote that is a directory of this machine; nil if it is unknown.
    package func mountPoint(ofRemote number: Int64) throws(MediaError) -> String? {
        try read { database throws(Database.Failure) in
            var path: String?
            try database.run("SELECT path FROM remote_mount WHERE remote = ?", [.integer(number)]) { row in
                path = row.text(0)
                return false
            }
            return path
        } ?? nil
    }

    /// Stores the mount point of a remote that is a directory of this machine.
    package func record(mountPoint path: String, ofRemote number: Int64) throws(MediaError) {
        try using("cannot store the mount point of the remote in the catalogue") {
            database throws(Database.Failure) in
            try database.run(
                "INSERT OR REPLACE INTO remote_mount VALUES (?, ?)", [.integer(number), .text(path)])
        }
    }

    /// Returns at most `count` recordings without a copy, the oldest first, with numbers greater than `number`.
    package func uncopied(after number: Int64, count: Int) throws(MediaError) -> [FinishedRecording] {
        try read { database throws(Database.Failure) in
            try CatalogueRows.uncopied(after: number, count: count, from: database)
        } ?? []
    }

    /// Records that a copy of the entry's file was verified. If the file was entered again since, the new entry still
    /// counts as uncopied.
    package func recordCopied(_ entry: FinishedRecording, to remote: Int64) throws(MediaError) {
        try using("cannot mark \(entry.path) as copied") { database throws(Database.Failure) in
            try database.run(
                "UPDATE recording SET remote = ? WHERE id = ?", [.integer(remote), .integer(entry.number)])
        }
    }

    /// Returns true if the disk of an entry is present, and no other disk is mounted in its place. Without the disk, the
    /// state of the file is unknown.
    package func isMounted(_ entry: FinishedRecording) throws(MediaError) -> Bool {
        try isMounted(entry, disk: MountPoint.disk(of:))
    }

    func isMounted(
        _ entry: FinishedRecording, disk: (String) -> String?
    ) throws(MediaError) -> Bool {
        let mount: String? =
            try read { database throws(Database.Failure) in
                var mount: String?
                try database.run(
                    "SELECT p.mount FROM recording AS r JOIN place AS p ON p.id = r.place WHERE r.id = ?",
                    [.integer(entry.number)]
                ) { row in
                    mount = row.text(0)
                    return false
                }
                return mount
            } ?? nil
        guard let mount else { return true }
        return MountPoint.mounted(mount) != nil && !entry.isElsewhere(than: disk(mount))
    }

    /// Returns the recordings without a copy on this remote.
    package func backlog(of remote: String) throws(MediaError) -> Backlog {
        try read { database throws(Database.Failure) in
            let number = try CatalogueRows.remote(remote, in: database)
            let noted = try database.number("SELECT value FROM note WHERE key = ?", [.text(Self.note)])
            // A new remote has no copies until the copier has begun to use it.
            let isCurrent = number != nil && number == noted
            let sums =
                isCurrent
                ? "SELECT count(*), sum(size) FROM recording INDEXED BY recording_uncopied WHERE remote IS NULL"
                : "SELECT sum(files), sum(bytes) FROM place"
            var backlog = Backlog()
            try database.run(sums) { row in
                backlog = Backlog(files: row.integer(0), bytes: row.integer(1))
                return false
            }
            let first = isCurrent ? "INDEXED BY recording_uncopied WHERE remote IS NULL" : ""
            try database.run("SELECT wall FROM recording \(first) ORDER BY id LIMIT 1") { row in
                let wall = row.real(0)
                if wall >= RetentionAges.firstPlausibleDate { backlog.oldest = wall }
                return false
            }
            return backlog
        } ?? Backlog()
    }
}

extension CatalogueRows {
    static func remote(_ name: String, in database: Database) throws(Database.Failure) -> Int64? {
        try database.number("SELECT id FROM remote WHERE name = ?", [.text(name)])
    }
}
