import Glibc

/// Recognizes a file or directory that has several paths.
package enum PathIdentity {
    /// Returns true if two paths lead to the same file or directory; links are followed. Returns false if one of the
    /// paths leads to nothing, or cannot be followed.
    package static func areSame(_ path: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(path, &first) == 0, stat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }
}
