import FileSystem
import Glibc
package import MediaTypes

/// Operations on names of files: rename, remove, make durable. None of them ever replaces a file unless it was asked
/// to.
extension DiskFile {
    /// Makes a directory's entries durable (fsync(2) on the directory).
    package static func synchronizeDirectory(of path: String) throws(MediaError) {
        let directory = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let name = directory.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : directory
        let descriptor = retrying { open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw MediaError(errno: errno, "cannot open directory \(name)") }
        defer { Glibc.close(descriptor) }
        guard retrying({ fsync(descriptor) }) == 0 || errno == EINVAL else {
            throw MediaError(errno: errno, "cannot sync directory \(name)")
        }
    }

    /// Gives a file its final name. Without `replacing`, an existing file of that name stays and the call fails.
    package static func rename(_ path: String, to target: String, replacing: Bool) throws(MediaError) {
        let action = "cannot rename \(path) to \(target)"
        if replacing {
            guard retrying({ FileSystem.rename(path, target) }) == 0 else { throw MediaError(errno: errno, action) }
            return
        }
        if retrying({ renameExclusively(path, target) }) == 0 { return }
        // File systems without an exclusive rename: use link and unlink, which never replace a file either.
        if errno == EINVAL || errno == ENOSYS {
            if link(path, target) == 0 {
                unlink(path)
                return
            }
            // File systems without links: create an empty file first, which the rename may replace.
            if errno == EPERM || errno == ENOSYS || errno == EOPNOTSUPP {
                return try renameOverOwn(path, to: target, action)
            }
        }
        throw MediaError(
            errno: errno, action, wayOut: errno == EEXIST ? "the recording is complete under its old name" : "")
    }

    private static func renameOverOwn(_ path: String, to target: String, _ action: String) throws(MediaError) {
        let place = open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard place >= 0 else { throw MediaError(errno: errno, action) }
        Glibc.close(place)
        guard FileSystem.rename(path, target) == 0 else {
            let code = errno
            unlink(target)
            throw MediaError(errno: code, action)
        }
    }

    /// Removes the file with this name if it is still the same file.
    package static func remove(_ path: String, ifStill identity: Identity?) {
        guard let identity, Identity(of: path) == identity else { return }
        _ = outcome(ofRemoving: path) { Identity($0) == identity }
    }

    /// Returns nil if the disk fails.
    private static func outcome(
        ofRemoving path: String, where isWanted: (CheckedRemoval.Info) -> Bool
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

    /// Returns an unused name beside a path: hidden, with this process's number and a random number. The caller still
    /// creates the file exclusively.
    package static func privateName(beside path: String, for purpose: String) -> String {
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        // 255 bytes is the longest name (NAME_MAX).
        let name = path[slash...].utf8.count > 180 ? "" : path[slash...] + "."
        let chance = String(UInt32.random(in: 0...UInt32.max), radix: 36)
        return "\(path[..<slash]).\(name)\(getpid())-\(chance).\(purpose)"
    }
}
