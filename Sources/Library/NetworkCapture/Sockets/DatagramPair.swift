import Glibc

/// Two UDP sockets with adjacent ports, for RTP and RTCP of one stream (RFC 3550, 11). They never block. For one thread.
final class DatagramPair {
    /// The even port of RTP.
    let port: UInt16
    let packets: Int32
    let control: Int32
    private let family: Int32

    /// The size of the kernel's buffer for packets that the thread has not read yet. It must hold a keyframe, whose
    /// packets all arrive within milliseconds.
    private static let roomBytes: Int32 = 2 << 20
    private static let mostAttempts = 32

    /// Opens sockets of both families, or of IPv4 if the kernel has no IPv6.
    init() throws(SocketFailure) {
        let pair = try Self.openAdjacent()
        (packets, control, family, port) = (pair.packets, pair.control, pair.family, pair.port)
    }

    private static func openAdjacent() throws(SocketFailure) -> Pair {
        for _ in 1..<mostAttempts {
            do throws(SocketFailure) { return try openPair() } catch {
                // The port is odd, or the next one is in use.
                guard error.code == EADDRINUSE else { throw error }
            }
        }
        return try openPair()
    }

    private struct Pair {
        var packets: Int32
        var control: Int32
        var family: Int32
        var port: UInt16
    }

    private static func openPair() throws(SocketFailure) -> Pair {
        let (first, family) = try open()
        do throws(SocketFailure) {
            try bind(first, family, port: 0)
            let port = try Self.port(of: first)
            guard port % 2 == 0, port < .max else { throw SocketFailure(code: EADDRINUSE) }
            let (second, _) = try open(family)
            do throws(SocketFailure) {
                try bind(second, family, port: port + 1)
            } catch {
                close(second)
                throw error
            }
            return Pair(packets: first, control: second, family: family, port: port)
        } catch {
            close(first)
            throw error
        }
    }

    deinit {
        close(packets)
        close(control)
    }

    private static func open(_ family: Int32? = nil) throws(SocketFailure) -> (Int32, Int32) {
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        for family in family.map({ [$0] }) ?? [AF_INET6, AF_INET] {
            let file = socket(family, kind, 0)
            guard file >= 0 else { continue }
            var room = roomBytes
            setsockopt(file, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
            if family == AF_INET6 {
                var isOff: Int32 = 0
                setsockopt(file, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &isOff, socklen_t(MemoryLayout<Int32>.size))
            }
            return (file, family)
        }
        throw SocketFailure(code: errno)
    }

    private static func bind(_ file: Int32, _ family: Int32, port: UInt16) throws(SocketFailure) {
        let result: Int32? = InternetAddress.any(family, port: port)?.withPointer {
            Glibc.bind(file, $0, $1) == 0 ? 0 : errno
        }
        guard result == 0 else { throw SocketFailure(code: result ?? EINVAL) }
    }

    private static func port(of file: Int32) throws(SocketFailure) -> UInt16 {
        var bytes = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_in6>.size)
        var size = socklen_t(bytes.count)
        let result = bytes.withUnsafeMutableBytes { raw -> Int32 in
            guard let base = raw.baseAddress else { return -1 }
            return getsockname(file, base.assumingMemoryBound(to: sockaddr.self), &size)
        }
        guard result == 0, let address = InternetAddress(Array(bytes.prefix(Int(size)))) else {
            throw SocketFailure(code: errno)
        }
        return address.port
    }

    /// Reads one datagram.
    ///
    /// - Parameters:
    ///   - source: The buffer for the sender's address, of 28 bytes.
    /// - Returns: The datagram's size and its sender; nil if none has arrived.
    func receive(
        isControl: Bool, into buffer: inout [UInt8], source: inout [UInt8]
    ) -> (count: Int, sender: InternetAddress?)? {
        let file = isControl ? control : packets
        var size = socklen_t(source.count)
        let count = buffer.withUnsafeMutableBytes { target in
            source.withUnsafeMutableBytes { address in
                recvfrom(
                    file, target.baseAddress, target.count, 0,
                    address.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
            }
        }
        // An error such as ECONNREFUSED may result from a report that was sent earlier. It says nothing about the
        // received packets.
        guard count >= 0 else { return nil }
        return (count, InternetAddress(Array(source.prefix(Int(size)))))
    }

    /// Sends a datagram. A datagram that cannot be sent is lost, just as the network may lose it.
    func send(_ bytes: [UInt8], isControl: Bool, to address: InternetAddress) {
        let file = isControl ? control : packets
        _ = address.mapped(to: family)?.withPointer { pointer, size in
            bytes.withUnsafeBytes {
                sendto(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL), pointer, size)
            }
        }
    }
}
