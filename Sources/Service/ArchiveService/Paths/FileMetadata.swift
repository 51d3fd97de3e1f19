import Glibc
import MediaTypes

/// File metadata, queried by the bytes of a path.
enum FileMetadata {
    /// Returns the metadata of a file. If the path is a link, returns the metadata of the link itself.
    ///
    /// - Throws: The error of lstat(2); its message begins with `action`.
    static func of(_ path: RawPath, _ action: @autoclosure () -> String) throws(MediaError) -> stat {
        var facts = stat()
        guard path.withCString({ lstat($0, &facts) }) == 0 else { throw MediaError(errno: errno, action()) }
        return facts
    }

    /// Returns the metadata; nil if the file does not exist, or cannot be accessed.
    static func of(_ path: RawPath) -> stat? {
        var facts = stat()
        return path.withCString { lstat($0, &facts) } == 0 ? facts : nil
    }

    static func isFile(_ facts: stat) -> Bool { facts.st_mode & S_IFMT == S_IFREG }
    static func isDirectory(_ facts: stat) -> Bool { facts.st_mode & S_IFMT == S_IFDIR }
    static func isLink(_ facts: stat) -> Bool { facts.st_mode & S_IFMT == S_IFLNK }

    /// Creates a directory and its parents, and syncs each of them to the disk.
    static func makeDirectories(_ path: RawPath) throws(MediaError) {
        if let facts = of(path), isDirectory(facts) { return }
        var kind = stat()
        if path.withCString({ stat($0, &kind) }) == 0, isDirectory(kind) { return }
        let parent = path.directory
        if parent != path { try makeDirectories(parent) }
        // Another task may create the same directory at this moment.
        guard path.withCString({ mkdir($0, 0o777) }) == 0 || errno == EEXIST else {
            throw MediaError(errno: errno, "cannot create \(path.display)")
        }
        try synchronize(parent)
    }

    /// Calls fsync(2) on a file or a directory.
    static func synchronize(_ path: RawPath) throws(MediaError) {
        let file = path.withCString { open($0, O_RDONLY | O_CLOEXEC) }
        guard file >= 0 else { throw MediaError(errno: errno, "cannot open \(path.display)") }
        defer { close(file) }
        // EINVAL means that the file system cannot sync a directory, which is not an error here.
        guard fsync(file) == 0 || errno == EINVAL else {
            throw MediaError(errno: errno, "cannot write \(path.display) to the disk")
        }
    }

    /// Checks that only this user or root can have written a file or directory.
    ///
    /// - Parameter advice: How to fix it if another user owns it.
    static func checkOwner(
        _ facts: stat, _ path: String, action: String, advice: String = "make your own plan, or omit --replace"
    ) throws(MediaError) {
        guard facts.st_uid == geteuid() || facts.st_uid == 0 else {
            throw MediaError(
                .notPermitted, action, reason: "\(path) belongs to another user",
                wayOut: advice)
        }
        guard isLink(facts) || facts.st_mode & 0o022 == 0 else {
            throw MediaError(
                .notPermitted, action, reason: "other users can write \(path)",
                wayOut: "check the plan, then run `chmod go-w \(path)`")
        }
    }
}
