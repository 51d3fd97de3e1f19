import FileSystem
import Foundation
import MediaTypes
import MovieFile

/// The one place where a recording is deleted; whether it may be, its callers have seen: `Retention`, `OwnerRemoval`.
extension FinishedRecording {
    /// Deletes the file that was entered, and no other that has its name by now. Touches the disk.
    ///
    /// - Parameter isWanted: a further condition on what has the name, asked right before it goes.
    /// - Returns: false when it is another one, or gone.
    func delete(where isWanted: (CheckedRemoval.Facts) -> Bool = { _ in true }) throws(MediaError) -> Bool {
        let parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw MediaError(errno: errno, "cannot delete \(path)") }
        defer { close(parent) }
        let outcome = try CheckedRemoval.remove(
            PathText.bytes((path as NSString).lastPathComponent), in: parent, place: path
        ) { facts in
            let found = Identity(inode: facts.inode, size: facts.size, modified: facts.modified)
            return facts.isFile && found == identity && isWanted(facts)
        }
        guard outcome == .removed else { return false }
        if let root { Self.removeEmptyDirectories(from: directory, below: root) }
        return true
    }

    /// A directory a day would stay for ever.
    private static func removeEmptyDirectories(from directory: String, below root: String) {
        var directory = directory
        let prefix = root.hasSuffix("/") ? root : root + "/"
        while directory.hasPrefix(prefix), directory.utf8.count > prefix.utf8.count, rmdir(directory) == 0 {
            directory = (directory as NSString).deletingLastPathComponent
        }
    }
}
