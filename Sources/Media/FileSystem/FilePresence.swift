import Glibc

/// The result of looking for the file at a path. Links are not followed.
///
/// A disk that fails for a moment must not make its files look deleted. Therefore, only two errors mean that the file is
/// absent.
package enum FilePresence {
    case present(FileStatus)
    /// No file has the path (ENOENT, ENOTDIR).
    case absent
    /// The errno of lstat(2), such as EIO or EACCES. A file may have the path.
    case unknown(Int32)

    package init(of path: String) {
        var status = stat()
        if lstat(path, &status) == 0 {
            self = .present(status)
        } else {
            self = errno == ENOENT || errno == ENOTDIR ? .absent : .unknown(errno)
        }
    }
}
