/// The host names of a server, with or without ports.
package enum WebHosts: Sendable, Equatable {
    /// Any host name is accepted, because a proxy has checked it.
    case any
    /// The machine's own loopback names, at any port.
    case loopback
    case named([String])

    /// Returns true if the server has this name.
    ///
    /// - Parameter host: The value of `Host`: a name or an address, with or without a port.
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
