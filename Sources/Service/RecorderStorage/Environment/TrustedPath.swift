import FileSystem
package import Glibc

/// Checks whether an untrusted user could replace the file at a path.
package enum TrustedPath {
    /// Returns the first directory above a path in which an untrusted user could replace files; nil if there is none.
    ///
    /// - Parameters:
    ///   - path: An absolute path without links.
    ///   - users: The trusted users, besides root.
    ///   - allowsSticky: True to accept directories such as `/tmp` if a trusted user owns the file: only the owner may
    ///     rename a file there (inode(7), S_ISVTX).
    package static func weakDirectory(above path: String, users: Set<uid_t>, allowsSticky: Bool) -> String? {
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
