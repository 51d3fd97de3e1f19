import NIOCore

/// Counts connections, and limits those of one client. A pure value.
///
/// Without the limit, a single client could use all connections of the server. Clients on this machine are not limited,
/// because a proxy on it connects for all of its users.
struct ConnectionCounts {
    /// A client: an IPv4 address, or the 64-bit prefix of an IPv6 address, since one IPv6 host has a whole prefix.
    typealias Client = [UInt8]

    private let mostPerClient: Int
    private(set) var all = 0
    private var clients: [Client: Int] = [:]

    init(mostPerClient: Int) { self.mostPerClient = mostPerClient }

    /// Counts a connection.
    ///
    /// - Returns: false if its client now has more connections than it may have.
    mutating func begin(_ client: Client?) -> Bool {
        all += 1
        guard let client else { return true }
        clients[client, default: 0] += 1
        return clients[client, default: 0] <= mostPerClient
    }

    mutating func end(_ client: Client?) {
        all -= 1
        guard let client, let count = clients[client] else { return }
        clients[client] = count > 1 ? count - 1 : nil
    }

    /// Returns the client at an address; nil if the address is unknown or of this machine.
    static func client(_ address: SocketAddress?) -> Client? {
        switch address {
        case .v4(let place):
            let bytes = withUnsafeBytes(of: place.address.sin_addr) { Array($0) }
            return bytes.first == 127 ? nil : bytes
        case .v6(let place):
            let bytes = withUnsafeBytes(of: place.address.sin6_addr) { Array($0) }
            // An IPv4 address is mapped into IPv6 (RFC 4291, 2.5.5.2).
            if bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]) {
                return bytes[12] == 127 ? nil : Array(bytes[12...])
            }
            return bytes == [UInt8](repeating: 0, count: 15) + [1] ? nil : Array(bytes[..<8])
        case .unixDomainSocket, nil: return nil
        }
    }
}
