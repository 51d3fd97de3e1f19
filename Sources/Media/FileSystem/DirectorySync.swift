import Glibc

/// Makes the names in a directory durable (fsync(2) on the directory): a new or renamed file is only safe from a power
/// loss after that. Most file systems do it with the file; FAT does not. Blocks for as long as the disk takes.
///
/// - Parameter directory: A path; empty for the working directory (`parentDirectory`).
/// - Returns: 0; −1 with errno. File systems that cannot sync directories have nothing to sync.
@discardableResult
package func synchronizeDirectory(_ directory: String) -> Int32 {
    let descriptor = open(directory.isEmpty ? "." : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return -1 }
    let code = fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno
    close(descriptor)
    errno = code
    return code == 0 ? 0 : -1
}
