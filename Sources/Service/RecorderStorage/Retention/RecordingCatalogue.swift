import FileSystem
import Foundation
package import MediaTypes

/// The files that one recorder created and finished, the oldest first. Retention may delete only these.
///
/// The catalogue is an SQLite database in the state directory. A row is added and synced when a file gets its final
/// name. Unless noted, the cost of a call does not depend on the number of rows. `recorder retention`, `recorder list`
/// and the recorder may use the catalogue at the same time. The calls access the disk, and wait up to some seconds for
/// another process, so capture threads must not call them.
package final class RecordingCatalogue: Sendable {
    /// The sums for the files below one directory, on one file system.
    struct Place: Sendable, Hashable {
        let id: Int64
        /// The output's directory: the part of its path before the pattern's first field.
        let directory: String
        /// The mount point of the file system.
        let mount: String
        /// The number of existing files.
        let files: Int64
        let bytes: Int64
    }

    package let path: String
    /// Maximum wait for another process, in milliseconds.
    private let patience: Int32
    /// Held during I/O.
    private let lock = NSLock()
    /// The open database and the identity of its file. Only accessed while the lock is held.
    nonisolated(unsafe) private var opened: (database: Database, file: FileKey)?

    package convenience init(_ name: RecordingName, in state: StateDirectory = StateDirectory()) {
        self.init(name, in: state, patience: 5000)
    }

    package init(_ name: RecordingName, in state: StateDirectory, patience: Int32) {
        self.patience = patience
        path = state.finished(name)
    }

    /// Creates a catalogue at another path.
    package init(path: String) {
        patience = 5000
        self.path = path
    }

    /// Returns true if the catalogue exists.
    package var isThere: Bool { OutputLocation.isThere(path) }

    /// Enters a file that now has its final name.
    ///
    /// - Parameters:
    ///   - root: The directory below which directories were created for the file: `OutputLocation.root`.
    ///   - moment: The time at which the file was finished.
    /// - Throws: An error if the file is not a regular file, or if the row cannot be written. Retention then never
    ///   deletes the file.
    package func add(
        _ file: String, root: String? = nil, _ account: FinishedRecording.Account = .init(), at moment: Moment = .now()
    ) throws(MediaError) {
        var kind = stat()
        let action = "cannot add \(file) to the catalogue"
        guard lstat(file, &kind) == 0 else { throw MediaError(errno: errno, action) }
        guard kind.st_mode & S_IFMT == S_IFREG else {
            throw MediaError(.invalidState, action, reason: "it is not a regular file")
        }
        RecordingPins.settle(file)
        let entry = FinishedRecording(
            number: 0, path: file, identity: .init(kind), moment: moment, root: root, account: account,
            pin: RecordingPins.pin(of: file, now: moment.wall), disk: MountPoint.disk(of: file.parentDirectory))
        let mount = MountPoint.path(of: entry.directory)
        try using(action) { database throws(Database.Failure) in
            try database.change { () throws(Database.Failure) in
                try CatalogueRows.insert(entry, directory: root ?? entry.directory, mount: mount, into: database)
            }
        }
    }

    /// Enters several files in this order, in one transaction.
    func add(_ new: [(entry: FinishedRecording, directory: String)]) throws(MediaError) {
        var entries = new
        for index in entries.indices {
            let entry = entries[index].entry
            entries[index].entry.pin = RecordingPins.pin(of: entry.path, now: entry.moment.wall)
            entries[index].entry.disk = MountPoint.disk(of: entry.directory)
        }
        let pinned = entries
        try using("cannot add \(pinned.count) recordings to the catalogue") { database throws(Database.Failure) in
            try database.change { () throws(Database.Failure) in
                for (entry, directory) in pinned {
                    try CatalogueRows.insert(
                        entry, directory: directory, mount: MountPoint.path(of: entry.directory), into: database)
                }
            }
        }
    }

    /// Removes entries in one transaction. If a file was entered again since, its new entry stays.
    package func remove(_ gone: [FinishedRecording]) throws(MediaError) {
        try change("cannot remove \(gone.count) recordings from the catalogue", gone) {
            entry, database throws(Database.Failure) in
            try database.run("DELETE FROM recording WHERE id = ?", [.integer(entry.number)])
        }
    }

    /// Records whether the entries' disk is missing.
    func record(_ entries: [FinishedRecording], areAway: Bool) throws(MediaError) {
        try change("cannot update the catalogue", entries) { entry, database throws(Database.Failure) in
            try database.run(
                "UPDATE recording SET away = ?1 WHERE id = ?2 AND away != ?1",
                [.integer(areAway ? 1 : 0), .integer(entry.number)])
        }
    }

    /// Records the disk of entries.
    func record(_ entries: [FinishedRecording], areOn disk: String) throws(MediaError) {
        try change("cannot update the catalogue", entries) { entry, database throws(Database.Failure) in
            let number = try CatalogueRows.disk(disk, in: database)
            try database.run(
                "UPDATE recording SET disk = ? WHERE id = ?", [.integer(number), .integer(entry.number)])
        }
    }

    /// Records the current mount point of entries.
    func move(_ entries: [FinishedRecording], in directory: String) throws(MediaError) {
        try change("cannot update the catalogue", entries) { entry, database throws(Database.Failure) in
            let place = try CatalogueRows.place(directory, MountPoint.path(of: entry.directory), in: database)
            try database.run(
                "UPDATE recording SET place = ? WHERE id = ?", [.integer(place), .integer(entry.number)])
        }
    }

    func change(
        _ action: String, _ entries: [FinishedRecording],
        _ body: (FinishedRecording, Database) throws(Database.Failure) -> Void
    ) throws(MediaError) {
        guard !entries.isEmpty, isThere else { return }
        try using(action) { database throws(Database.Failure) in
            try database.change { () throws(Database.Failure) in
                for entry in entries { try body(entry, database) }
            }
        }
    }

    // MARK: Reading

    /// All entries in the order in which they were finished. Only for lists that are known to be short.
    package var recordings: [FinishedRecording] {
        get throws(MediaError) {
            var all: [FinishedRecording] = []
            while true {
                let page = try page(after: all.last?.number ?? 0, count: 1000)
                all += page
                if page.count < 1000 { return all }
            }
        }
    }

    /// Returns at most `count` entries, the oldest first, with numbers greater than `number`. For a path that was
    /// entered several times, only the newest entry exists.
    package func page(after number: Int64, count: Int) throws(MediaError) -> [FinishedRecording] {
        try page(after: number, in: nil, count: count)
    }

    func page(after number: Int64, in place: Place?, count: Int) throws(MediaError) -> [FinishedRecording] {
        try read { database throws(Database.Failure) in
            try CatalogueRows.page(after: number, in: place?.id, count: count, from: database)
        } ?? []
    }

    /// Returns at most `count` entries whose files exist, the oldest first, with numbers greater than `number`.
    func candidates(after number: Int64, in place: Place, count: Int) throws(MediaError) -> [FinishedRecording] {
        try read { database throws(Database.Failure) in
            try CatalogueRows.candidates(after: number, in: place.id, count: count, from: database)
        } ?? []
    }

    /// Returns at most `count` entries whose files exist, the newest first, with numbers less than `number`.
    func candidates(before number: Int64, in place: Place, count: Int) throws(MediaError) -> [FinishedRecording] {
        try read { database throws(Database.Failure) in
            try CatalogueRows.candidates(before: number, in: place.id, count: count, from: database)
        } ?? []
    }

    func places() throws(MediaError) -> [Place] {
        try read { database throws(Database.Failure) in try CatalogueRows.places(in: database) } ?? []
    }

    /// Returns the entry of a path; nil if there is none.
    package func entry(_ path: String) throws(MediaError) -> FinishedRecording? {
        try read { database throws(Database.Failure) in try CatalogueRows.entry(path, in: database) } ?? nil
    }

    /// Returns the entries that a file had when it was entered. Its path may be another one now.
    func entries(of file: FileStatus) throws(MediaError) -> [FinishedRecording] {
        try read { database throws(Database.Failure) in
            try CatalogueRows.entries(of: FinishedRecording.Identity(file), in: database)
        } ?? []
    }

    /// Returns true if the file that has this path now is the file that was entered.
    package func isEntered(_ path: String) throws(MediaError) -> Bool {
        var kind = stat()
        guard let entry = try entry(path) else { return false }
        return lstat(path, &kind) == 0 && entry.isSame(kind)
    }

    /// Returns the first entry with a number greater than `number` whose age can be determined. Such an entry is from
    /// the given boot, or has a plausible date that is not after `now`.
    func nextDated(
        after number: Int64, boot: String, until now: Double
    ) throws(MediaError) -> RetentionAges.Dated? {
        try read { database throws(Database.Failure) in
            try CatalogueRows.nextDated(after: number, boot: boot, until: now, in: database)
        } ?? nil
    }

    /// Checks the entire database, because damage may be anywhere. A damaged database is set aside.
    func check() throws(MediaError) {
        _ = try read { database throws(Database.Failure) in
            var words = ""
            try database.run("PRAGMA quick_check(1)") { row in
                words = row.text(0)
                return false
            }
            if words != "ok" { throw Database.Failure(code: Database.Failure.damage, description: words) }
        }
    }

    /// True if the last catalogue was damaged, and the disks have not been searched yet.
    var isRecreated: Bool {
        get throws(MediaError) {
            try read { database throws(Database.Failure) in try CatalogueSchema.isRecreated(database) } ?? false
        }
    }

    func recordScanned() throws(MediaError) {
        _ = try read { database throws(Database.Failure) in try CatalogueSchema.record(recreated: false, in: database) }
    }

    // MARK: -

    /// Calls `body` with the database; returns nil if there is none.
    func read<Result>(
        _ body: (Database) throws(Database.Failure) -> Result
    ) throws(MediaError) -> Result? {
        guard isThere else { return nil }
        return try using("cannot read \(path)", body)
    }

    func using<Result>(
        _ action: String, _ body: (Database) throws(Database.Failure) -> Result
    ) throws(MediaError) -> Result {
        lock.lock()
        defer { lock.unlock() }
        do throws(Database.Failure) { return try body(try open()) } catch {
            opened = nil
            guard error.isDamage else { throw error.mediaError(action, path) }
            let aside = setAside()
            throw MediaError(
                .corruptData, action,
                reason: "\(path) is damaged: \(error.description)",
                underlying: .other("SQLite", error.code),
                wayOut: aside.map { "it was moved to \($0), and a new one was created; no recording was deleted" }
                    ?? "move it elsewhere")
        }
    }

    private func open() throws(Database.Failure) -> Database {
        // Another process may have renamed a damaged file, and rows that are written to a renamed file would be lost.
        if let opened, FileKey(path) == opened.file { return opened.database }
        opened = nil
        let database = try CatalogueSchema.open(path, patience: patience)
        if let file = FileKey(path) { opened = (database, file) }
        return database
    }

    /// Renames the damaged file and creates a new catalogue. The disks are searched for recordings later.
    private func setAside() -> String? {
        opened = nil
        guard let aside = CatalogueSchema.setAside(path) else { return nil }
        _ = try? CatalogueSchema.open(path, isRecreated: true)
        return aside
    }

    private struct FileKey: Hashable {
        let device: UInt64
        let inode: UInt64

        init?(_ path: String) {
            var kind = stat()
            guard lstat(path, &kind) == 0 else { return nil }
            (device, inode) = (UInt64(kind.st_dev), UInt64(kind.st_ino))
        }
    }
}
