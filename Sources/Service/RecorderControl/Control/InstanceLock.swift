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
///
/// The file has the sticky bit, so that systemd-tmpfiles(8) does not remove it from `/tmp` after some days.
package final class InstanceLock: Sendable {
    /// The contents of a lock's file.
    package struct Holder: Sendable, Equatable {
        package let process: Int32
        /// The runtime directory of the process; nil for a lock that is itself in that directory.
        package let runtime: String?
    }

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
        func busy(_ owner: Int32?) -> MediaError {
            MediaError(
                .busy, "cannot start \(name)",
                reason: "it is already recording" + (owner.map { " (pid \($0))" } ?? ""),
                wayOut: "stop it with `recorder stop \(name)`, or choose another name")
        }
        // A process whose lock was removed still listens.
        guard OutputLocation.isThere(directory.lock(name)) || !directory.isRunning(name) else { throw busy(nil) }
        try self.init(directory.lock(name), busy: busy)
    }

    /// Acquires a lock.
    ///
    /// - Parameters:
    ///   - path: A path in a directory of this user.
    ///   - runtime: The runtime directory of this process, if the lock is in another directory.
    ///   - busy: Returns the error to throw if another process holds the lock. Its argument is the ID of that process,
    ///     or nil if the ID is unknown.
    package init(
        _ path: String, runtime: RuntimeDirectory? = nil, busy: (Int32?) -> MediaError
    ) throws(MediaError) {
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
        fchmod(file, 0o1600)
        ftruncate(file, 0)
        let text = "\(getpid())\n" + (runtime.map { "\($0.path)\n" } ?? "")
        _ = PathText.bytes(text).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
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

    static func owner(_ path: String) -> Int32? { holder(path)?.process }

    /// Returns the process that wrote the file, whether it still holds the lock or not.
    package static func holder(_ path: String) -> Holder? {
        guard let bytes = FileContents.bytes(of: path) else { return nil }
        let lines = PathText.text(bytes).split(separator: "\n", maxSplits: 1)
        guard let process = lines.first.flatMap({ Int32($0.trimmingCharacters(in: .whitespaces)) }) else { return nil }
        return Holder(process: process, runtime: lines.dropFirst().first.map { String($0.dropLast()) })
    }

    deinit { close(descriptor) }
}
