import Glibc
import MediaTypes

/// Names that have to outlast a power cut: what was made in a directory, or renamed there, is only certain once the directory
/// itself is synced. Most file systems do it with the file; FAT does not, and a list may be on another one than the files.
enum DirectoryEntries {
    /// Blocks for as long as the disk takes.
    ///
    /// - Parameter directory: an absolute path.
    static func synchronize(_ directory: String) throws(MediaError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw MediaError(errno: errno, "cannot open directory \(directory)") }
        defer { close(descriptor) }
        // Some file systems cannot; then nothing better is known.
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw MediaError(errno: errno, "cannot sync directory \(directory)")
        }
    }
}
