/// The URL of a service of a camera, without user and password (RFC 9110, 4.2).
package struct DeviceURL: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address; IPv6 without brackets.
    package let host: String
    package let port: UInt16
    /// True for `https`.
    package let isSecure: Bool
    /// The path and the query with the leading slash.
    let path: String

    /// Creates a URL; nil for text that is not a URL with `http` or `https`, or that contains a character that cannot
    /// be in a request.
    package init?(_ text: String) {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let colon = text.firstIndex(of: ":") else {
            return nil
        }
        switch text[..<colon].lowercased() {
        case "http": isSecure = false
        case "https": isSecure = true
        default: return nil
        }
        let rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("//") else { return nil }
        let address = rest.dropFirst(2)
        let end = address.firstIndex { "/?#".contains($0) } ?? address.endIndex
        var authority = address[..<end]
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
        guard let (host, port) = Self.hostAndPort(authority) else { return nil }
        self.host = host
        self.port = port ?? (isSecure ? 443 : 80)
        // A fragment is not sent (RFC 3986, 3.5).
        let path = address[end...].prefix { $0 != "#" }
        self.path = path.hasPrefix("/") ? String(path) : "/" + String(path)
    }

    private static func hostAndPort(_ authority: Substring) -> (String, UInt16?)? {
        var (host, rest) = (authority, authority[authority.endIndex...])
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[..<end].dropFirst()
            rest = authority[authority.index(after: end)...]
        } else if let colon = authority.firstIndex(of: ":") {
            (host, rest) = (authority[..<colon], authority[colon...])
        }
        guard !host.isEmpty else { return nil }
        guard rest.count > 1 else { return (host.lowercased(), nil) }
        let digits = rest.dropFirst()
        guard rest.first == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits),
            port > 0
        else { return nil }
        return (host.lowercased(), port)
    }

    /// The host and the port as in the header Host.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    package var description: String { "\(isSecure ? "https" : "http")://\(authority)\(path)" }
}
