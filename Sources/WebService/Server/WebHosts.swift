/// By which names a server is reached, with their ports or without.
package enum WebHosts: Sendable, Equatable {
    /// Whoever hands requests on has looked at it.
    case any
    /// This machine's own names for itself, at any port.
    case loopback
    case named([String])

    /// - Parameter host: as of `Host`: a name or an address, with a port or without.
    func contains(_ host: String) -> Bool {
        let host = host.lowercased()
        switch self {
        case .any: return !host.isEmpty
        case .loopback: return ["127.0.0.1", "localhost", "[::1]"].contains(Self.withoutPort(host))
        case .named(let names):
            return names.contains { $0.lowercased() == host || $0.lowercased() == Self.withoutPort(host) }
        }
    }

    private static func withoutPort(_ host: String) -> String {
        guard let colon = host.lastIndex(of: ":"), !host[colon...].contains("]"),
            host[host.index(after: colon)...].allSatisfy(\.isNumber)
        else { return host }
        return String(host[..<colon])
    }
}
