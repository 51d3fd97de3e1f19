import FileSystem
import Foundation
import MediaTypes

/// A lock that a process holds while it makes clips of a recorder's time ranges. Processes that make new clips share
/// the lock. A process that resumes requests after a crash holds it exclusively. The lock is released at the latest
/// when the process ends.
final class RangeLock: Sendable {
    private let descriptor: Int32

    /// Waits for the lock.
    convenience init(sharedIn state: StateDirectory, _ name: RecordingName) throws(MediaError) {
        try self.init(state, name, LOCK_SH)
    }

    /// Throws `busy` if another process makes a clip.
    convenience init(exclusiveIn state: StateDirectory, _ name: RecordingName) throws(MediaError) {
        try self.init(state, name, LOCK_EX | LOCK_NB)
    }

    private init(_ state: StateDirectory, _ name: RecordingName, _ operation: Int32) throws(MediaError) {
        let path = "\(state.path)/\(name).range.lock"
        try state.create()
        let opened = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw MediaError(errno: errno, "cannot open \(path)") }
        var result: Int32
        repeat { result = flock(opened, operation) } while result != 0 && errno == EINTR
        let number = errno
        guard result == 0 else {
            close(opened)
            guard number == EWOULDBLOCK else { throw MediaError(errno: number, "cannot lock \(path)") }
            throw MediaError(
                .busy, "cannot resume the clips of \(name)", reason: "a clip of this recorder is being made",
                wayOut: "try again when it is done")
        }
        descriptor = opened
    }

    deinit { close(descriptor) }
}
