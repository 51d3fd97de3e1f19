import Glibc

/// A UDP socket that sends probes by one route, and receives their answers (ip(7)). It never blocks. For one thread.
final class ProbeSocket {
    let descriptor: Int32
    private let target: InternetAddress
    private var senderBytes = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_in6>.size)
    /// A datagram has less than 64 KiB.
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    init(_ route: ProbeRoute) throws(SocketFailure) {
        target = route.target
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw SocketFailure(code: errno) }
        let file = descriptor
        let result: Int32 = route.source.withPointer { Glibc.bind(file, $0, $1) == 0 ? 0 : errno } ?? EINVAL
        guard result == 0 else { throw SocketFailure(code: result) }
        // Without this option, the kernel sends by the interface of the default route.
        _ = route.source.withPointer { pointer, _ in
            pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { source in
                var interface = source.pointee.sin_addr
                setsockopt(
                    file, Int32(IPPROTO_IP), IP_MULTICAST_IF, &interface, socklen_t(MemoryLayout<in_addr>.size))
            }
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Sends a datagram.
    ///
    /// - Returns: 0, or the errno.
    func send(_ bytes: [UInt8]) -> Int32 {
        let file = descriptor
        let result: Int32? = target.withPointer { pointer, size in
            bytes.withUnsafeBytes {
                sendto(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL), pointer, size) >= 0 ? 0 : errno
            }
        }
        return result ?? EINVAL
    }

    /// Reads one datagram; nil if none has arrived.
    func receive() -> (bytes: [UInt8], sender: InternetAddress)? {
        var size = socklen_t(senderBytes.count)
        let file = descriptor
        let count = buffer.withUnsafeMutableBytes { target in
            senderBytes.withUnsafeMutableBytes { address in
                recvfrom(
                    file, target.baseAddress, target.count, 0,
                    address.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
            }
        }
        guard count >= 0, let sender = InternetAddress(Array(senderBytes.prefix(Int(size)))) else { return nil }
        return (Array(buffer.prefix(count)), sender)
    }
}
