import FileSystem
import Foundation

/// The list of JSON lines that older versions used. It is imported once, and a copy is kept.
enum OldCatalogue {
    private struct Line: Decodable {
        var path: String
        var identity: FinishedRecording.Identity
        var moment: Moment
        var root: String?
    }

    private static func copy(of list: String) -> String { list + ".bak" }

    /// Imports the list. Skips a line that a crash truncated.
    ///
    /// - Parameter alsoItsCopy: Uses the copy if the list itself is missing.
    static func carryOver(_ list: String, alsoItsCopy: Bool, into database: Database) throws(Database.Failure) {
        let copy = copy(of: list)
        guard let file = fopen(list, "re") ?? (alsoItsCopy ? fopen(copy, "re") : nil) else { return }
        defer { fclose(file) }
        let decoder = JSONDecoder()
        var lines: [Line] = []
        var text: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(text) }
        while true {
            let count = getline(&text, &capacity, file)
            guard count > 0, let text else { break }
            if let line = try? decoder.decode(Line.self, from: Data(bytes: text, count: count)) { lines.append(line) }
        }
        // A repaired recording was entered without the root of its neighbors.
        let roots = Set(lines.compactMap(\.root)).sorted { $0.utf8.count > $1.utf8.count }
        var mounts: [String: String] = [:]
        for line in lines {
            let entry = FinishedRecording(
                number: 0, path: line.path, identity: line.identity, moment: line.moment, root: line.root)
            let directory = entry.directory
            let mount = mounts[directory] ?? MountPoint.path(of: directory)
            mounts[directory] = mount
            let root = line.root ?? roots.first { directory.hasPrefix($0 == "/" ? $0 : $0 + "/") }
            try CatalogueRows.insert(entry, directory: root ?? directory, mount: mount, into: database)
        }
    }

    /// Renames the list to its copy; from now on the database counts.
    static func keepCopy(_ list: String) {
        guard OutputLocation.isThere(list) else { return }
        rename(list, copy(of: list))
    }
}
