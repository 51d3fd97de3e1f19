import FileSystem
import Foundation
import MediaTypes
import MovieFile

/// The only place where a recording is deleted. The callers, `Retention` and `OwnerRemoval`, have checked that it may
/// be.
extension FinishedRecording {
    /// Deletes the file that was entered in the catalogue, but not another file that has its name now. Accesses the
    /// disk.
    ///
    /// - Parameter isWanted: A further condition for the file with this name, checked immediately before the deletion.
    /// - Returns: false if another file has the name, or none.
    func delete(where isWanted: (CheckedRemoval.Candidate) -> Bool = { _ in true }) throws(MediaError) -> Bool {
        let parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw MediaError(errno: errno, "cannot delete \(path)") }
        defer { close(parent) }
        let outcome = try CheckedRemoval.remove(
            PathText.bytes(path.lastComponent), in: parent, place: path
        ) { facts in
            let found = Identity(inode: facts.inode, size: facts.size, modified: facts.modified)
            return facts.isFile && found == identity && isWanted(facts)
        }
        guard outcome == .removed else { return false }
        if let root { Self.removeEmptyDirectories(from: directory, below: root) }
        return true
    }

    /// Removes a directory and those above it, up to `root`, while they are empty. Otherwise one directory per day
    /// would remain forever.
    private static func removeEmptyDirectories(from directory: String, below root: String) {
        var directory = directory
        let prefix = root.hasSuffix("/") ? root : root + "/"
        while directory.hasPrefix(prefix), directory.utf8.count > prefix.utf8.count, rmdir(directory) == 0 {
            directory = directory.parentDirectory
        }
    }
}
