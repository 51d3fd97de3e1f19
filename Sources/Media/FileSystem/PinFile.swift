import Glibc

/// The sidecar that keeps a movie: `NAME.mov.keep`, beside `NAME.mov`. While it is there, nothing deletes or replaces
/// the movie.
///
/// Its existence decides, not its contents: a file that is damaged, empty or cannot be read keeps the movie too
/// (docs/design/decisions/keep.md).
package enum PinFile {
    private static let ending = ".keep"

    /// Returns the path of a movie's sidecar.
    ///
    /// - Parameter movie: The final path of the movie, or its name.
    package static func path(of movie: String) -> String { movie + ending }

    /// Returns true if a movie has a sidecar, and also if an error leaves that unknown. Does not follow links.
    ///
    /// A name that is too long for a sidecar has none.
    package static func isThere(_ movie: String) -> Bool {
        var status = stat()
        return lstat(path(of: movie), &status) == 0 || !isAbsence(errno)
    }

    /// Variant of `isThere(_:)` for a movie in an open directory, whose path may have changed since it was opened.
    package static func isThere(_ movie: String, in directory: Int32) -> Bool {
        var status = stat()
        return fstatat(directory, path(of: movie), &status, AT_SYMLINK_NOFOLLOW) == 0 || !isAbsence(errno)
    }

    /// Returns true if no file has the name. Every other error, such as EIO or EACCES, leaves that open.
    private static func isAbsence(_ number: Int32) -> Bool { number == ENOENT || number == ENAMETOOLONG }
}
