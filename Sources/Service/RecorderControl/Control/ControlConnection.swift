import CLinux
import Glibc
import MediaTypes
import NIOCore
import RealTime

/// Connects to a Unix socket and checks the user at the other end.
enum ControlConnection {
    /// Connects. If the server's queue is full, waits until `deadline`. Without this wait, many other clients could
    /// make a `stop` request fail.
    ///
    /// - Parameters:
    ///   - owner: The user that the server must run as, unless it runs as root.
    ///   - deadline: A time of the monotonic clock.
    /// - Returns: The file descriptor, which the caller must close.
    /// - Throws: The error of connect(2) as `IOError`; `MediaError` if an untrusted user listens.
    static func open(_ path: String, of owner: uid_t, until deadline: Int64) throws -> Int32 {
        guard let address = SocketAddress(path) else { throw IOError(errnoCode: ENAMETOOLONG, reason: "connect") }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        do {
            try connect(descriptor, address, until: deadline)
            let peer = clinux_peer_user(descriptor)
            guard peer == 0 || peer == Int64(owner) else {
                throw MediaError(
                    .notPermitted, "cannot use \(path)", reason: "another user (uid \(peer)) listens there",
                    wayOut: "set XDG_RUNTIME_DIR to a directory that you own")
            }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func connect(_ descriptor: Int32, _ address: SocketAddress, until deadline: Int64) throws {
        while true {
            let left = max(1_000_000, deadline - MonotonicClock().nanoseconds)
            // For a Unix socket, this option limits how long connect(2) waits while the queue is full (socket(7)).
            var patience = timeval(tv_sec: Int(left / 1_000_000_000), tv_usec: Int(left % 1_000_000_000 / 1000))
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
            if address.withPointer({ Glibc.connect(descriptor, $0, $1) }) == 0 { return }
            let number = errno
            guard number == EINTR, MonotonicClock().nanoseconds < deadline else {
                throw IOError(errnoCode: number, reason: "connect")
            }
        }
    }
}
