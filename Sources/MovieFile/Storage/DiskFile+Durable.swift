import Glibc
package import MediaTypes

extension DiskFile {
    /// Makes a name that a file has just got durable, with all that is in the file.
    ///
    /// The file comes before its directory: on FAT the entry holds where the file begins and how long it is, and a rename
    /// leaves that empty until the file itself is synced. With the directory alone a power cut would leave an empty file in
    /// the place of a whole recording. Other file systems have nothing more to do for it.
    package static func synchronizeName(of path: String) throws(MediaError) {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor >= 0 {
            defer { Glibc.close(descriptor) }
            guard fsync(descriptor) == 0 || errno == EINVAL else {
                throw MediaError(errno: errno, "cannot sync \(path)")
            }
        } else if errno != ENOENT {
            // Its owner may have moved it a moment ago; everything else is a fault.
            throw MediaError(errno: errno, "cannot open \(path)")
        }
        try synchronizeDirectory(of: path)
    }
}
