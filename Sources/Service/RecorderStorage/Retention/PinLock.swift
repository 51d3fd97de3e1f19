import FileSystem
import Foundation
import MediaTypes

/// The lock of one user's pins. Only the process that holds it changes pins. Without the lock, a request that ends
/// could remove the pin that another process adds at the same moment. The calls access the disk.
enum PinLock {
    /// The number of attempts, 20 ms apart: ten seconds.
    private static let attempts = 500

    /// Calls `body` while the lock is held.
    ///
    /// - Parameter isRequired: False to call `body` even if the lock is unavailable. A recording must be kept even if
    ///   the state directory is read-only, or if another process holds the lock and hangs on a dead disk.
    /// - Throws: If the lock is required: `busy` if another process holds it, or the error of opening it. The errors of
    ///   `body`.
    static func hold<Result>(
        in state: StateDirectory, isRequired: Bool, _ body: () throws(MediaError) -> Result
    ) throws(MediaError) -> Result {
        // The lock ends when the file is closed, at the latest at the end of the process (flock(2)).
        let path = state.path + "/pins.lock"
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        let code = errno
        defer { if descriptor >= 0 { close(descriptor) } }
        let isHeld = descriptor >= 0 && isLocked(descriptor)
        guard isHeld || !isRequired else {
            guard descriptor >= 0 else { throw MediaError(errno: code, "cannot open \(path)") }
            throw MediaError(
                .busy, "cannot change what is kept", reason: "another process holds \(path)", wayOut: "try again later")
        }
        return try body()
    }

    private static func isLocked(_ descriptor: Int32) -> Bool {
        for attempt in 1...attempts {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK || errno == EINTR, attempt < attempts else { return false }
            usleep(20_000)
        }
        return false
    }
}
