import CLinux
import FileSystem
import Foundation
package import MediaTypes
package import RecorderStorage

/// An exclusive lock of an open file (fcntl(2), F_OFD_SETLK). It ensures that at most one process has a given name. The
/// file contains the ID of that process.
///
/// The kernel releases the lock however the process ends, so a lock is never stale. The file itself remains on purpose:
/// removing it would allow two processes to lock two files of one name. A check never acquires the lock, not even
/// briefly, because a recorder that starts at that moment would then fail.
package final class InstanceLock: Sendable {
    private let descriptor: Int32

    /// Acquires the lock of the capture process with this name.
    ///
    /// - Throws: `busy`, with the ID of the process that has the name.
    ///
    /// - Parameters:
    ///   - group: The group whose members may enter the directory.
    ///   - isPassed: True if users outside the group may pass through the directory to a socket in it.
    package convenience init(
        _ name: RecordingName, in directory: RuntimeDirectory, group: UserGroup? = nil, isPassed: Bool = false
    ) throws(MediaError) {
        try directory.prepare(for: group, isPassed: isPassed)
        try self.init(directory.lock(name)) { owner in
            MediaError(
                .busy, "cannot start \(name)",
                reason: "it is already recording" + (owner.map { " (pid \($0))" } ?? ""),
                wayOut: "stop it with `recorder stop \(name)`, or choose another name")
        }
    }

    /// Acquires a lock.
    ///
    /// - Parameters:
    ///   - path: A path in a directory of this user.
    ///   - busy: Returns the error to throw if another process holds the lock. Its argument is the ID of that process,
    ///     or nil if the ID is unknown.
    package init(_ path: String, busy: (Int32?) -> MediaError) throws(MediaError) {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw MediaError(errno: errno, "cannot open \(path)") }
        guard clinux_lock_file(file) == 0 else {
            let reason = errno
            let owner = Self.owner(path)
            close(file)
            guard reason == EAGAIN || reason == EACCES else { throw MediaError(errno: reason, "cannot lock \(path)") }
            throw busy(owner)
        }
        descriptor = file
        ftruncate(file, 0)
        let text = "\(getpid())\n"
        _ = text.utf8CString.withUnsafeBytes { write(file, $0.baseAddress, $0.count - 1) }
    }

    /// Returns true if a running process, such as this one, holds the lock; nil if unknown, for example because this
    /// user has no access, or because this process has no free file descriptor.
    package static func isHeld(at path: String) -> Bool? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return errno == ENOENT || errno == ENOTDIR ? false : nil }
        defer { close(file) }
        let answer = clinux_is_file_locked(file)
        return answer < 0 ? nil : answer > 0
    }

    static func owner(_ path: String) -> Int32? {
        FileContents.bytes(of: path).flatMap {
            Int32(String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    deinit { close(descriptor) }
}
