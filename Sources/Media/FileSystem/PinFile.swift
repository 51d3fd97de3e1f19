import Glibc

/// The sidecar that keeps a movie: `NAME.mov.keep`, beside `NAME.mov`. While the sidecar exists, nothing deletes or
/// replaces the movie.
///
/// Only the existence of the sidecar counts, not its contents: a sidecar that is damaged, empty or unreadable keeps the
/// movie too (docs/design/decisions/keep.md).
package enum PinFile {
    private static let ending = ".keep"

    /// Returns the path of a movie's sidecar.
    ///
    /// - Parameter movie: The final path of the movie, or its name.
    package static func path(of movie: String) -> String { movie + ending }

    /// Returns true if a movie has a sidecar, or if an error leaves this unknown. Does not follow links.
    ///
    /// A movie whose name is too long for a sidecar has no sidecar.
    package static func isThere(_ movie: String) -> Bool {
        var status = stat()
        return lstat(path(of: movie), &status) == 0 || !isAbsence(errno)
    }

    /// Variant of `isThere(_:)` for a movie in an open directory. The path of that directory may have changed since the
    /// directory was opened.
    package static func isThere(_ movie: String, in directory: Int32) -> Bool {
        var status = stat()
        return fstatat(directory, path(of: movie), &status, AT_SYMLINK_NOFOLLOW) == 0 || !isAbsence(errno)
    }

    /// Returns true if the error means that no file has the name. After every other error, such as EIO or EACCES, the
    /// file may exist.
    private static func isAbsence(_ number: Int32) -> Bool { number == ENOENT || number == ENAMETOOLONG }
}
