import CLinux
import FileSystem
import Glibc

/// Sends datagrams to the path of one Unix socket, even if its listening process changes (unix(7)).
///
/// Thread-safe. Waits for a busy receiver, for at most a second.
final class DatagramSocket: Sendable {
    private let descriptor: Int32
    private let address: sockaddr_un
    private let length: socklen_t

    /// Creates a socket for one receiver.
    ///
    /// - Parameter path: An absolute path, or `@name` for a socket in the abstract namespace.
    /// - Returns: nil for any other path, for a path that is too long for an address, or if no descriptor is free.
    init?(path: String) {
        var address = sockaddr_un()
        var bytes = PathText.bytes(path)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard let first = bytes.first, bytes.count < capacity, first == UInt8(ascii: "/") || first == UInt8(ascii: "@")
        else { return nil }
        if first == UInt8(ascii: "@") { bytes[0] = 0 }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        // The address length marks the end of an abstract name. It may also mark the end of a path that has no zero
        // byte after it.
        length = socklen_t(MemoryLayout<sockaddr_un>.size - capacity + bytes.count)
        self.address = address
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var patience = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sends a datagram once, and returns true if a receiver accepted it.
    @discardableResult func send(_ bytes: [UInt8]) -> Bool {
        var address = address
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                while true {
                    let count = sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), name, length)
                    if count >= 0 { return true }
                    if errno != EINTR { return false }
                }
            }
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
