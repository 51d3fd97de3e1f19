import CommandInterface
import FileSystem
import Foundation
import MediaTypes
import RealTime

/// A list in the state directory that outlives the process and loses no entries.
///
/// Entries that cannot be written because the disk is full are written as soon as possible. Only the process that holds
/// the lock of the recorder's name uses the list; the calls access the disk.
final class StoredList<Entry: Codable & Hashable & Sendable>: Sendable {
    let path: String
    /// The entries that could not be written yet, and the last error. Changed only while `changing` is held.
    private let missing = Locked<[Entry]>([])
    private let lastError = Locked<MediaError?>(nil)
    /// Held during I/O, and never acquired by a capture thread.
    private let changing = NSLock()

    init(_ path: String) { self.path = path }

    /// The entries in the order in which they were added.
    var entries: [Entry] {
        guard let bytes = FileContents.bytes(of: path) else { return [] }
        return (try? JSONDecoder().decode([Entry].self, from: Data(bytes))) ?? []
    }

    /// True if entries could not be written yet and wait for `addMissing`. Constant work.
    var isAnyMissing: Bool { missing.withLock { !$0.isEmpty } }

    /// The error for which entries wait; nil if none waits. Constant work.
    var problem: MediaError? { isAnyMissing ? lastError.withLock { $0 } : nil }

    /// Adds an entry.
    ///
    /// - Throws: An error if the list cannot be written; the entry then waits for `addMissing`.
    func add(_ entry: Entry) throws(MediaError) {
        changing.lock()
        defer { changing.unlock() }
        missing.withLock { $0 = $0.filter { $0 != entry } + [entry] }
        _ = try enter()
    }

    /// Writes the entries that could not be written before.
    ///
    /// - Returns: The entries that were written.
    func addMissing() throws(MediaError) -> [Entry] {
        changing.lock()
        defer { changing.unlock() }
        return try enter()
    }

    func remove(_ entry: Entry) throws(MediaError) {
        changing.lock()
        defer { changing.unlock() }
        missing.withLock { $0.removeAll { $0 == entry } }
        let listed = try listed()
        if listed.contains(entry) { try write(listed.filter { $0 != entry }) }
    }

    private func enter() throws(MediaError) -> [Entry] {
        let entries = missing.withLock { $0 }
        guard !entries.isEmpty else { return [] }
        do throws(MediaError) { try write(try listed().filter { !entries.contains($0) } + entries) } catch {
            lastError.withLock { $0 = error }
            throw error
        }
        missing.withLock { $0 = [] }
        return entries
    }

    /// Reads the stored list in order to change it. Throws if it cannot be read. A list that is invalid is renamed, so
    /// that no entry is lost.
    private func listed() throws(MediaError) -> [Entry] {
        guard let bytes = FileContents.bytes(of: path) else {
            let code = errno
            guard code != ENOENT else { return [] }
            throw MediaError(errno: code, "cannot read \(path)")
        }
        if let entries = try? JSONDecoder().decode([Entry].self, from: Data(bytes)) { return entries }
        let places = (1...99).lazy.map { [path] in $0 == 1 ? "\(path).damaged" : "\(path).damaged-\($0)" }
        let free = places.first { !OutputLocation.isThere($0) } ?? "\(path).damaged"
        guard renameExclusively(path, free) == 0 else {
            throw MediaError(errno: errno, "cannot rename \(path) to \(free)")
        }
        return []
    }

    private func write(_ entries: [Entry]) throws(MediaError) {
        let isThere = OutputLocation.isThere(path)
        let directory = path.parentDirectory
        let code = FolderContents.create(directory, mode: 0o700)
        guard code == 0 else { throw MediaError(errno: code, "cannot create \(directory)") }
        guard let data = try? JSONText.data(entries) else {
            throw MediaError(.invalidState, "cannot write \(path)", reason: "it cannot be encoded")
        }
        // The write is atomic, because a partial list would lose recordings. It is also durable, because after a power
        // loss the old list could lack a recording that is on the disk. An empty list need not be durable.
        try AtomicFile.write(data, to: path, overwrite: true, isDurable: !entries.isEmpty)
        guard isThere || entries.isEmpty || synchronizeDirectory(directory.parentDirectory) == 0 else {
            throw MediaError(errno: errno, "cannot sync directory \(directory.parentDirectory)")
        }
    }
}
