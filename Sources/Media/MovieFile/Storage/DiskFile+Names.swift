import FileSystem
import Glibc
package import MediaTypes

/// Operations on the names of files: rename, remove, and sync the directory. They replace an existing file only if the
/// caller requests it.
extension DiskFile {
    /// Syncs the directory of a path, so the names in it survive a power loss.
    package static func synchronizeDirectory(of path: String) throws(MediaError) {
        let directory = path.parentDirectory
        guard retrying({ FileSystem.synchronizeDirectory(directory) }) == 0 else {
            throw MediaError(errno: errno, "cannot sync directory \(directory.isEmpty ? "." : directory)")
        }
    }

    /// Gives a file its final name. Without `replacing`, an existing file of that name stays and the call fails. A kept
    /// file is never replaced.
    package static func rename(_ path: String, to target: String, replacing: Bool) throws(MediaError) {
        let replaces = replacing && !PinFile.isThere(target)
        let result = retrying { replaces ? FileSystem.rename(path, target) : renameExclusively(path, target) }
        guard result == 0 else {
            let code = errno
            let kept = replacing ? "`recorder keep` protects that file; " : ""
            throw MediaError(
                errno: code, "cannot rename \(path) to \(target)",
                wayOut: code == EEXIST && !replaces ? kept + "the recording is complete under its old name" : "")
        }
    }

    /// Removes the file with this name if it is still the same file.
    ///
    /// - Parameter modified: the required time of the file's last change, for a closed file; nil accepts any time.
    package static func remove(_ path: String, ifStill identity: Identity?, modified: Int64? = nil) {
        guard let identity, Identity(of: path) == identity else { return }
        _ = outcome(ofRemoving: path) { facts in
            Identity(facts) == identity && (modified == nil || facts.modified == modified)
        }
    }

    /// Returns the outcome of a removal; nil if the disk fails.
    private static func outcome(
        ofRemoving path: String, where isWanted: (CheckedRemoval.Candidate) -> Bool
    ) -> CheckedRemoval.Outcome? {
        let bytes = PathText.bytes(path)
        let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
        let parent = slash.map { $0 == 0 ? "/" : PathText.text(bytes[..<$0]) } ?? "."
        let directory = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return errno == ENOENT ? .absent : nil }
        defer { Glibc.close(directory) }
        return try? CheckedRemoval.remove(
            slash.map { Array(bytes[($0 + 1)...]) } ?? bytes, in: directory, place: path, isWanted: isWanted)
    }

    /// Removes the file with this name if it is still the same file and is empty.
    ///
    /// - Returns: true if no file has the name any more.
    package static func removeEmpty(_ path: String, ifStill identity: Identity?) -> Bool {
        let outcome = outcome(ofRemoving: path) { facts in
            identity.map { $0 == Identity(facts) } == true && facts.isFile && facts.size == 0
        }
        return outcome == .removed || outcome == .absent
    }
}
