import Glibc

/// Renames a file. Fails with EEXIST instead of replacing another file, on every file system.
///
/// On a file system with neither an exclusive rename nor links, a crash between the last two calls leaves an empty file
/// that has the name. Later, nothing shows which program created that file, so it is never replaced: a repair uses the
/// next free name.
package func renameExclusively(_ path: String, _ target: String) -> Int32 {
    renameExclusively(path, target, link: link)
}

/// Renames a file in the same way.
///
/// - Parameters:
///   - exclusive: Renames a file, and fails if the new name exists (renameat2(2)).
///   - link: Creates a link to a file (link(2)).
func renameExclusively(
    _ path: String, _ target: String,
    exclusive: (String, String) -> Int32 = { path, target in
        PathText.withBytes(path) { path in PathText.withBytes(target) { LinuxCalls.renameExclusively(path, $0) } }
    }, link: (String, String) -> Int32
) -> Int32 {
    let result = exclusive(path, target)
    guard result != 0, errno == EINVAL || errno == ENOSYS else { return result }
    // File systems without an exclusive rename: link and unlink are used, because they never replace a file either.
    if link(path, target) == 0 {
        unlink(path)
        return 0
    }
    // File systems without links: an empty file is created first. This fails if the name exists. The rename then
    // replaces the empty file. For link(2), FAT returns EPERM, and a directory that rclone has mounted EIO.
    guard errno == EPERM || errno == ENOSYS || errno == EOPNOTSUPP || errno == EIO else { return -1 }
    let place = open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard place >= 0 else { return -1 }
    close(place)
    if rename(path, target) == 0 { return 0 }
    let code = errno
    unlink(target)
    errno = code
    return -1
}
