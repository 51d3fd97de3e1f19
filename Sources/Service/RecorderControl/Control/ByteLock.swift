import CLinux
import FileSystem
import Foundation
package import MediaTypes

/// An exclusive lock of one byte of a file (fcntl(2), F_OFD_SETLK). The byte need not exist.
///
/// The kernel releases the lock however the process ends, so a lock is never stale. The file remains, as that of an
/// `InstanceLock`.
package final class ByteLock: Sendable {
    private let descriptor: Int32

    /// Acquires a lock; returns nil if another process, or another object of this process, holds it.
    ///
    /// - Parameters:
    ///   - offset: The position of the byte, from 0 to 2^62.
    ///   - path: A path in a directory of this user. The file is created if it does not exist.
    package init?(_ offset: Int64, of path: String) throws(MediaError) {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw MediaError(errno: errno, "cannot open \(path)") }
        guard clinux_lock_byte(file, offset) == 0 else {
            let reason = errno
            close(file)
            guard reason == EAGAIN || reason == EACCES else { throw MediaError(errno: reason, "cannot lock \(path)") }
            return nil
        }
        descriptor = file
    }

    deinit { close(descriptor) }
}
