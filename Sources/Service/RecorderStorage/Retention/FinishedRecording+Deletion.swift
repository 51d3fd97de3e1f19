import FileSystem
import Foundation
import MediaTypes
import MovieFile

/// The only place where a recording is deleted. Its callers, `Retention` and `OwnerRemoval`, have checked that the
/// recording may be deleted.
extension FinishedRecording {
    /// Deletes the file that was entered in the catalogue. Does not delete a kept file, or another file that has the
    /// name now. Accesses the disk.
    ///
    /// The call first renames the file, so that `OwnerPins` no longer finds it. Then it looks for the sidecar again.
    /// Either this call finds the sidecar, or `OwnerPins` notices the deletion. Therefore a recording that was kept
    /// successfully is not deleted.
    ///
    /// - Parameters:
    ///   - evenKept: True to delete the recording and its sidecar even if it is kept.
    ///   - isWanted: A further condition for the file with this name, checked immediately before the deletion.
    /// - Returns: false if another file has the name, or if no file has it.
    /// - Throws: `notPermitted` if the recording is kept; the disk's error.
    func delete(
        evenKept: Bool = false, where isWanted: (CheckedRemoval.Candidate) -> Bool = { _ in true }
    ) throws(MediaError) -> Bool {
        guard evenKept || pin == nil else { throw keptError }
        let parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw MediaError(errno: errno, "cannot delete \(path)") }
        defer { close(parent) }
        var wasKept = false
        let outcome = try CheckedRemoval.remove(
            PathText.bytes(path.lastComponent), in: parent, place: path
        ) { facts in
            let found = Identity(inode: facts.inode, size: facts.size, modified: facts.modified)
            guard facts.isFile, found == identity, isWanted(facts) else { return false }
            wasKept = !evenKept && RecordingPins.isKept(path, in: parent)
            return !wasKept
        }
        guard !wasKept else { throw keptError }
        guard outcome == .removed else { return false }
        // If the sidecar stayed, it would keep the next file of this name.
        if evenKept { try? RecordingPins.remove(of: path) }
        if let root { Self.removeEmptyDirectories(from: directory, below: root) }
        return true
    }

    /// Gives the file its name again if a deletion was interrupted. The rules then decide again. Accesses the disk.
    ///
    /// - Returns: true if the file was found and has its name.
    package func restore() -> Bool {
        let parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { return false }
        defer { close(parent) }
        return CheckedRemoval.restore(PathText.bytes(path.lastComponent), in: parent) { facts in
            facts.isFile && Identity(inode: facts.inode, size: facts.size, modified: facts.modified) == identity
        }
    }

    /// The reason why a kept recording is not deleted.
    var keptError: MediaError {
        MediaError(
            .notPermitted, "cannot delete \(path)",
            reason: "`recorder keep` protects it" + (pin?.note.map { ": \($0)" } ?? ""),
            wayOut: "run `recorder unkeep \(path)` first")
    }

    /// Removes an empty directory, and the empty directories above it, up to `root`. Otherwise, one directory per day
    /// would remain forever.
    private static func removeEmptyDirectories(from directory: String, below root: String) {
        var directory = directory
        let prefix = root.hasSuffix("/") ? root : root + "/"
        while directory.hasPrefix(prefix), directory.utf8.count > prefix.utf8.count, rmdir(directory) == 0 {
            directory = directory.parentDirectory
        }
    }
}
