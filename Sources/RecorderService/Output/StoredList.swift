import CommandInterface
import Foundation
import RealTime

/// A list in the state directory that outlives the process, and loses no entry that it was given.
///
/// What cannot be entered, because that disk is full, is entered as soon as it can. Only the process that holds the name's lock uses
/// it; the calls touch the disk.
final class StoredList<Entry: Codable & Hashable & Sendable>: Sendable {
    let path: String
    /// What could not be entered yet. Changed only while `changing` is held.
    private let missing = Locked<[Entry]>([])
    /// Held during I/O, and never asked for by a capture thread.
    private let changing = NSLock()

    init(_ path: String) { self.path = path }

    /// In the order of their coming.
    var entries: [Entry] {
        guard let data = FileManager.default.contents(atPath: path) else { return [] }
        return (try? JSONDecoder().decode([Entry].self, from: data)) ?? []
    }

    /// There is something to enter again. Constant work.
    var isAnyMissing: Bool { missing.withLock { !$0.isEmpty } }

    /// - Throws: when the list cannot be written; then it waits for `addMissing`.
    func add(_ entry: Entry) throws {
        try changing.withLock {
            missing.withLock { $0 = $0.filter { $0 != entry } + [entry] }
            _ = try enter()
        }
    }

    /// Enters what could not be entered before.
    ///
    /// - Returns: that.
    func addMissing() throws -> [Entry] { try changing.withLock { try enter() } }

    func remove(_ entry: Entry) throws {
        try changing.withLock {
            missing.withLock { $0.removeAll { $0 == entry } }
            let listed = try listed()
            if listed.contains(entry) { try write(listed.filter { $0 != entry }) }
        }
    }

    private func enter() throws -> [Entry] {
        let entries = missing.withLock { $0 }
        guard !entries.isEmpty else { return [] }
        try write(try listed().filter { !entries.contains($0) } + entries)
        missing.withLock { $0 = [] }
        return entries
    }

    /// What the list says, for who writes it anew: of one that cannot be read nothing is forgotten, and one that is no list is put
    /// aside.
    private func listed() throws -> [Entry] {
        let data: Data
        do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch CocoaError.fileReadNoSuchFile { return [] }
        if let entries = try? JSONDecoder().decode([Entry].self, from: data) { return entries }
        let places = (1...99).lazy.map { [path] in $0 == 1 ? "\(path).damaged" : "\(path).damaged-\($0)" }
        let free = places.first { !FileManager.default.fileExists(atPath: $0) }
        try FileManager.default.moveItem(atPath: path, toPath: free ?? "\(path).damaged")
        return []
    }

    private func write(_ entries: [Entry]) throws {
        let isThere = FileManager.default.fileExists(atPath: path)
        let directory = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        // In one step: a list that is half written would forget recordings.
        try JSONText.data(entries).write(to: URL(fileURLWithPath: path), options: .atomic)
        // And for good: after a power cut the list of before would not know the recording. Who only forgets does not wait.
        guard !entries.isEmpty else { return }
        try DirectoryEntries.synchronize(directory)
        if !isThere { try DirectoryEntries.synchronize((directory as NSString).deletingLastPathComponent) }
    }
}
