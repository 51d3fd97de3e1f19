import Glibc

/// Renames a file, but fails with EEXIST instead of replacing another, on every file system.
///
/// On a file system with neither an exclusive rename nor links, a crash between the last two calls leaves an empty file
/// that has the name. Nothing shows later who created it, so the name stays taken: a repair uses the next free one.
package func renameExclusively(_ path: String, _ target: String) -> Int32 {
    let result = PathText.withBytes(path) { path in
        PathText.withBytes(target) { LinuxCalls.renameExclusively(path, $0) }
    }
    guard result != 0, errno == EINVAL || errno == ENOSYS else { return result }
    // File systems without an exclusive rename: use link and unlink, which never replace a file either.
    if link(path, target) == 0 {
        unlink(path)
        return 0
    }
    // File systems without links: create an empty file first, which fails if the name is taken; the rename replaces it.
    guard errno == EPERM || errno == ENOSYS || errno == EOPNOTSUPP else { return -1 }
    let place = open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard place >= 0 else { return -1 }
    close(place)
    if rename(path, target) == 0 { return 0 }
    let code = errno
    unlink(target)
    errno = code
    return -1
}
