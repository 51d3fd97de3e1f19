import CLinux
import FileSystem
import Glibc

/// The address of a Unix socket: a path that fits into `sockaddr_un`.
package struct SocketAddress {
    /// Maximum bytes of a path (unix(7)), without the terminating zero.
    package static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    private var address: sockaddr_un

    /// Returns nil if the path is too long.
    init?(_ path: String) {
        let bytes = PathText.bytes(path)
        guard bytes.count <= Self.longestPath else { return nil }
        address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Returns true if a process accepts connections at this path, or if this process cannot create a socket for the
    /// check. Does not block.
    package static func isListening(_ path: String) -> Bool {
        guard let address = SocketAddress(path) else { return false }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        // A running recorder must not be reported as dead because this process has too many files open.
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        // EAGAIN: the queue is full, so a process listens.
        return address.withPointer { connect(descriptor, $0, $1) } == 0 || errno == EAGAIN
    }
}
