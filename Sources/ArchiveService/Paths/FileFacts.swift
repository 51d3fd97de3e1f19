import Glibc
import MediaTypes

/// What the system knows of a file, asked by its bytes.
enum FileFacts {
    /// Of the name itself: a link is a link.
    ///
    /// - Throws: the errno of lstat(2), with `action` in front.
    static func of(_ path: RawPath, _ action: @autoclosure () -> String) throws(MediaError) -> stat {
        var facts = stat()
        guard path.withCString({ lstat($0, &facts) }) == 0 else { throw MediaError(errno: errno, action()) }
        return facts
    }

    /// nil where there is nothing of that name, or nobody may look.
    static func of(_ path: RawPath) -> stat? {
        var facts = stat()
        return path.withCString { lstat($0, &facts) } == 0 ? facts : nil
    }

    static func isFile(_ facts: stat) -> Bool { facts.st_mode & S_IFMT == S_IFREG }
    static func isDirectory(_ facts: stat) -> Bool { facts.st_mode & S_IFMT == S_IFDIR }

    /// Makes a directory and those above it, and lets each reach the disk.
    static func makeDirectories(_ path: RawPath) throws(MediaError) {
        if let facts = of(path), isDirectory(facts) { return }
        var kind = stat()
        if path.withCString({ stat($0, &kind) }) == 0, isDirectory(kind) { return }
        let parent = path.directory
        if parent != path { try makeDirectories(parent) }
        // Another task may make the same one at this moment.
        guard path.withCString({ mkdir($0, 0o777) }) == 0 || errno == EEXIST else {
            throw MediaError(errno: errno, "cannot create \(path.display)")
        }
        try synchronize(parent)
    }

    /// fsync(2) of a file or a directory.
    static func synchronize(_ path: RawPath) throws(MediaError) {
        let file = path.withCString { open($0, O_RDONLY | O_CLOEXEC) }
        guard file >= 0 else { throw MediaError(errno: errno, "cannot open \(path.display)") }
        defer { close(file) }
        // File systems that know no sync of a directory have nothing to sync there.
        guard fsync(file) == 0 || errno == EINVAL else {
            throw MediaError(errno: errno, "cannot write \(path.display) to the disk")
        }
    }

    /// Makes sure that only this user, or root, can have written a file whose words have others deleted.
    static func checkOwner(_ facts: stat, _ path: String, action: String) throws(MediaError) {
        guard facts.st_uid == geteuid() || facts.st_uid == 0 else {
            throw MediaError(
                .notPermitted, action, reason: "\(path) belongs to another user",
                wayOut: "make a plan of your own, or leave out --replace")
        }
        guard facts.st_mode & S_IFMT == S_IFLNK || facts.st_mode & 0o022 == 0 else {
            throw MediaError(
                .notPermitted, action, reason: "others may write \(path)",
                wayOut: "look through the plan, then `chmod go-w \(path)`")
        }
    }
}
