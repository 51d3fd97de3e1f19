import Glibc

/// The errno of a call on a socket that failed.
struct SocketFailure: Error, Hashable { let code: Int32 }

/// A connection of TCP that never blocks. For one thread.
final class StreamSocket: CameraStream {
    /// The maximum number of bytes that wait for a camera that does not read. Requests have a few hundred bytes.
    static let mostUnsent = 256 << 10

    let descriptor: Int32
    let address: InternetAddress
    private var unsent: [UInt8] = []

    /// Begins to connect. The socket is writable once `connectResult` is known.
    init(to address: InternetAddress) throws(SocketFailure) {
        self.address = address
        descriptor = socket(
            address.family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SocketFailure(code: errno) }
        var isOn: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        let file = descriptor
        let result: Int32 = address.withPointer { Glibc.connect(file, $0, $1) == 0 ? 0 : errno } ?? EINVAL
        guard result == 0 || result == EINPROGRESS || result == EINTR else { throw SocketFailure(code: result) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The errno of the connection attempt; 0 if the connection is open. Valid once the socket is writable
    /// (connect(2)).
    var connectResult: Int32 {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
    }

    /// True if bytes wait until the socket is writable.
    var hasUnsent: Bool { !unsent.isEmpty }
    /// Always false, because the kernel has all bytes that were not read.
    var hasUnread: Bool { false }

    func send(_ bytes: [UInt8]) -> StreamFailure? {
        guard unsent.count + bytes.count <= Self.mostUnsent else { return .system(ENOBUFS) }
        unsent += bytes
        return flush()
    }

    func flush() -> StreamFailure? {
        while !unsent.isEmpty {
            let count = unsent.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else {
                let code = errno
                if code == EINTR { continue }
                return code == EAGAIN ? nil : .system(code)
            }
            unsent.removeFirst(count)
        }
        return nil
    }

    func receive(into buffer: inout [UInt8]) -> StreamReading {
        while true {
            let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            let code = errno
            if code == EINTR { continue }
            return code == EAGAIN ? .nothing : .failed(.system(code))
        }
    }

    /// Closes the connection for sending (shutdown(2)); receiving continues.
    func endSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }
}
