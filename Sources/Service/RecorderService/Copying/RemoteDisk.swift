import Glibc
import MediaTypes
import RecorderStorage

/// The disk of a remote that is a directory of this machine, such as a mounted NAS. A pure value.
///
/// If this disk is not mounted, rclone would create the directory below the mount point, on the machine's own disk. Such
/// a copy must not count.
struct RemoteDisk {
    /// The absolute path of the directory.
    let directory: String
    var mountPoint: (String) -> String = MountPoint.path(of:)
    /// Returns the file system of a directory; nil if the directory does not exist.
    var device: (String) -> UInt64? = MountPoint.device(of:)

    /// Checks that the disk is mounted.
    ///
    /// - Parameters:
    ///   - known: The mount point to which earlier files were copied; nil if it is unknown.
    ///   - source: The directory of the recording.
    /// - Returns: The present mount point, and whether the disk also has the recording.
    func check(known: String?, source: String) throws(CopyFailure) -> (mount: String, hasRecording: Bool) {
        let mount = mountPoint(directory)
        let hasRecording = device(mount) == device(source)
        guard let known else {
            guard device(directory) != nil || mount != "/" && !hasRecording else {
                throw failure("it does not exist", "mount its disk, or create it with `mkdir -p \(directory)`", ENOENT)
            }
            return (mount, hasRecording)
        }
        // A disk that was mounted later, below the known mount point, replaces it.
        guard mount == known || mount.utf8.count > known.utf8.count else {
            throw failure(
                "nothing is mounted at \(known)", "mount the disk; to copy without it, choose another copy-to", ENODEV)
        }
        return (mount, hasRecording)
    }

    private func failure(_ reason: String, _ wayOut: String, _ number: Int32) -> CopyFailure {
        CopyFailure(
            .remote,
            MediaError(
                .notFound, "cannot copy to \(directory)", reason: reason, underlying: .errno(number), wayOut: wayOut))
    }
}
