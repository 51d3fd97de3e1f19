import Glibc
import RealTime

/// Sockets of the loopback interface.
enum CameraSockets {
    struct Failure: Error { let code: Int32 }

    /// Binds a socket to a free port.
    static func bind(_ file: Int32) throws -> UInt16 {
        var address = loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(file, $0, size) == 0 ? getsockname(file, $0, &size) : -1
            }
        }
        guard result == 0 else { throw Failure(code: errno) }
        return UInt16(bigEndian: address.sin_port)
    }

    static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    /// Waits for a connection; nil once `stop` is fired.
    static func accept(_ listener: Int32, _ stop: WakeUp) -> Int32? {
        while true {
            guard isReadable(listener, stop, until: nil) else { return nil }
            let client = Glibc.accept(listener, nil, nil)
            if client >= 0 { return client }
        }
    }

    /// Waits until a descriptor is readable.
    ///
    /// - Parameter until: a time of the monotonic clock; nil to wait without limit.
    /// - Returns: false if the time has passed or `stop` is fired.
    static func isReadable(_ file: Int32, _ stop: WakeUp, until end: Int64?) -> Bool {
        let clock = MonotonicClock()
        while true {
            var waits = [
                pollfd(fd: stop.fileDescriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: file, events: Int16(POLLIN), revents: 0),
            ]
            let left = end.map { Int32(clamping: max(0, $0 - clock.nanoseconds) / 1_000_000) } ?? -1
            _ = poll(&waits, 2, left)
            if waits[0].revents != 0 { return false }
            if waits[1].revents != 0 { return true }
            if let end, clock.nanoseconds >= end { return false }
        }
    }
}
