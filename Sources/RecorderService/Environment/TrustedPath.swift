import FileSystem
import Glibc

/// Whether somebody else could put something in the place of what is at a path.
enum TrustedPath {
    /// The first directory above a path in which another user could exchange what is inside; nil when there is none.
    ///
    /// - Parameters:
    ///   - path: absolute, without links.
    ///   - users: who is believed, beside root.
    ///   - allowsSticky: `/tmp` is good enough: what is in it belongs to somebody who is believed, and only that one may
    ///     rename it (inode(7), S_ISVTX).
    static func weakDirectory(above path: String, users: Set<uid_t>, allowsSticky: Bool) -> String? {
        var directory = path
        while directory.count > 1, directory.hasPrefix("/") {
            directory = parent(of: directory)
            var kind = stat()
            guard lstat(directory, &kind) == 0 else { return directory }
            let isOpen = kind.st_mode & 0o022 != 0 && !(allowsSticky && kind.st_mode & S_ISVTX != 0)
            guard !isOpen, kind.st_uid == 0 || users.contains(kind.st_uid) else { return directory }
        }
        return nil
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
