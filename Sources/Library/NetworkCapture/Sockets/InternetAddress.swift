import Glibc

/// The numeric address of a host, without its port; IPv4 addresses in the form of IPv6 (RFC 4291, 2.5.5.2).
struct HostAddress: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt64

    fileprivate init(_ bytes: ArraySlice<UInt8>) {
        let isShort = bytes.count == 4
        high = isShort ? 0 : bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        let rest = bytes.suffix(isShort ? 4 : 8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        low = isShort ? 0xFFFF_0000_0000 | rest : rest
    }
}

/// An address of IPv4 or IPv6 with a port, as the kernel uses it (ip(7), ipv6(7)).
struct InternetAddress: Sendable, Hashable {
    /// The bytes of `sockaddr_in` or `sockaddr_in6`.
    private let bytes: [UInt8]
    let family: Int32
    let host: HostAddress

    private static let shortSize = MemoryLayout<sockaddr_in>.size
    private static let longSize = MemoryLayout<sockaddr_in6>.size

    /// Creates an address from its bytes; nil for another family.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.shortSize else { return nil }
        // The family is in the machine's byte order, the port and the address in that of the network.
        family = Int32(bytes.withUnsafeBytes { $0.loadUnaligned(as: sa_family_t.self) })
        switch family {
        case AF_INET:
            self.bytes = Array(bytes.prefix(Self.shortSize))
            host = HostAddress(bytes[4..<8])
        case AF_INET6 where bytes.count >= Self.longSize:
            self.bytes = Array(bytes.prefix(Self.longSize))
            host = HostAddress(bytes[8..<24])
        default: return nil
        }
    }

    init?(_ pointer: UnsafePointer<sockaddr>?, _ size: socklen_t) {
        guard let pointer else { return nil }
        self.init(Array(UnsafeRawBufferPointer(start: pointer, count: Int(size))))
    }

    /// Returns the address for binding to all addresses of this machine. The kernel selects the port if `port` is 0.
    static func any(_ family: Int32, port: UInt16) -> InternetAddress? {
        var bytes = [UInt8](repeating: 0, count: family == AF_INET ? shortSize : longSize)
        withUnsafeBytes(of: sa_family_t(family)) { bytes.replaceSubrange(0..<2, with: $0) }
        return InternetAddress(bytes)?.with(port: port)
    }

    var port: UInt16 { UInt16(bytes[2]) << 8 | UInt16(bytes[3]) }

    /// The address of IPv4 without its port, as in "192.168.1.64"; nil for IPv6.
    var dotted: String? {
        guard family == AF_INET else { return nil }
        return bytes[4..<8].map { String($0) }.joined(separator: ".")
    }

    func with(port: UInt16) -> InternetAddress? {
        var bytes = bytes
        (bytes[2], bytes[3]) = (UInt8(port >> 8), UInt8(port & 0xFF))
        return InternetAddress(bytes)
    }

    /// Returns the address in the form that a socket of `family` needs; nil for IPv6 with a socket of IPv4.
    func mapped(to family: Int32) -> InternetAddress? {
        guard family != self.family else { return self }
        guard family == AF_INET6, self.family == AF_INET else { return nil }
        var mapped = [UInt8](repeating: 0, count: Self.longSize)
        withUnsafeBytes(of: sa_family_t(AF_INET6)) { mapped.replaceSubrange(0..<2, with: $0) }
        mapped.replaceSubrange(2..<4, with: bytes[2..<4])
        (mapped[18], mapped[19]) = (0xFF, 0xFF)
        mapped.replaceSubrange(20..<24, with: bytes[4..<8])
        return InternetAddress(mapped)
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result? {
        bytes.withUnsafeBytes { raw in
            raw.baseAddress.map { body($0.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count)) }
        }
    }
}
