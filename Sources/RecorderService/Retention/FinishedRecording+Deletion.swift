import FileSystem
import Foundation
import MediaTypes

/// The one place where a recording is deleted; whether it may be, its callers have seen: `Retention`, `OwnerRemoval`.
extension FinishedRecording {
    /// Deletes the file that was entered, and no other that has its name by now. Touches the disk.
    ///
    /// - Returns: false when it is another one, or gone.
    func delete() throws(MediaError) -> Bool {
        let name = (path as NSString).lastPathComponent
        let parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw MediaError(errno: errno, "cannot delete \(path)") }
        defer { close(parent) }
        var kind = stat()
        guard fstatat(parent, name, &kind, AT_SYMLINK_NOFOLLOW) == 0, isSame(kind) else { return false }
        guard unlinkat(parent, name, 0) == 0 else { throw MediaError(errno: errno, "cannot delete \(path)") }
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
