import FakeDevices
import Glibc
import TestSupport

/// A Unix socket that stands in for systemd's.
final class FakeDatagramReceiver: Sendable {
    private let descriptor: Int32

    /// - Parameter path: a path, or `@name` for a socket in the abstract namespace.
    convenience init(at path: String) throws { try self.init(at: Array(path.utf8)) }

    /// - Parameter path: the bytes of a path, or of `@name`.
    init(at path: [UInt8]) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = path
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path) + bytes.count
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(length)) }
        }
        guard result == 0 else { throw TooLate() }
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Waits up to ten seconds for the next datagram and returns it.
    func bytes() throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 262_144)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw TooLate() }
        return Array(buffer.prefix(count))
    }

    func text() throws -> String { String(decoding: try bytes(), as: UTF8.self) }

    deinit { close(descriptor) }
}
