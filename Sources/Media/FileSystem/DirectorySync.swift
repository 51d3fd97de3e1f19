import Glibc

/// Makes the names in a directory durable (fsync(2) on the directory). Before this call, a power loss may undo the
/// creation or renaming of a file. When a file is synced, most file systems also store its name, but FAT does not.
/// Blocks until the disk is done.
///
/// - Parameter directory: The path; empty means the working directory (`parentDirectory`).
/// - Returns: 0, or −1 with the reason in errno. The result is also 0 if the file system cannot sync directories.
@discardableResult
package func synchronizeDirectory(_ directory: String) -> Int32 {
    let descriptor = open(directory.isEmpty ? "." : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return -1 }
    let code = fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno
    close(descriptor)
    errno = code
    return code == 0 ? 0 : -1
}
