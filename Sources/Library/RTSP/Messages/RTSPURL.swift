package import MediaTypes

/// The URL of a camera, without user and password (RFC 2326, 3.2).
package struct RTSPURL: Sendable, Hashable {
    /// A name or an address; IPv6 without brackets.
    package let host: String
    package let port: UInt16
    /// True for `rtsps`: RTSP over TLS.
    package let isSecure: Bool
    /// The path and the query with the leading slash; empty if there is none.
    package let path: String
    /// True if the URL states a port. Only then do requests state it, because some cameras compare URLs as text.
    private let hasPort: Bool

    /// Parses a URL. Characters that RFC 3986 would escape are accepted in the path and the password, because people
    /// copy URLs from manuals; `/` in a password must be written as `%2F`.
    ///
    /// - Throws: An error that contains nothing of the text, because the text may contain a password.
    package static func parse(_ text: String) throws(MediaError) -> (url: RTSPURL, credentials: Credentials?) {
        let url = text.withoutSpaces
        guard let (scheme, rest) = parts(url) else { throw error("it does not begin with rtsp://") }
        let isSecure = scheme.isSame(as: "rtsps")
        guard isSecure || scheme.isSame(as: "rtsp") else { throw error("it does not begin with rtsp://") }
        guard !rest.contains(where: { $0.isNewline || $0 == "\0" || $0.isWhitespace }) else {
            throw error("it contains a space or a line end")
        }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        var authority = rest[..<slash]
        var path = String(rest[slash...])
        var credentials: Credentials?
        if let at = authority.lastIndex(of: "@") {
            let user = authority[..<at]
            authority = authority[authority.index(after: at)...]
            let (name, password) = user.parted(by: ":") ?? (user, "")
            if !user.isEmpty {
                credentials = Credentials(user: name.percentDecoded, password: password.percentDecoded)
            }
        }
        if let query = authority.firstIndex(of: "?") {
            path = String(authority[query...]) + path
            authority = authority[..<query]
        }
        // A fragment is not sent (RFC 3986, 3.5).
        if let fragment = path.firstIndex(of: "#") { path = String(path[..<fragment]) }
        let (host, port) = try hostAndPort(authority)
        let usual: UInt16 = isSecure ? 322 : 554
        let parsed = RTSPURL(host: host, port: port ?? usual, isSecure: isSecure, path: path, hasPort: port != nil)
        return (parsed, credentials)
    }

    private init(host: String, port: UInt16, isSecure: Bool, path: String, hasPort: Bool) {
        (self.host, self.port, self.isSecure, self.path, self.hasPort) = (host, port, isSecure, path, hasPort)
    }

    private static func parts(_ url: Substring) -> (scheme: Substring, rest: Substring)? {
        guard let (scheme, rest) = url.parted(by: ":"), rest.hasPrefix("//") else { return nil }
        return (scheme, rest.dropFirst(2))
    }

    private static func hostAndPort(_ authority: Substring) throws(MediaError) -> (String, UInt16?) {
        var (host, rest) = (authority, authority[authority.endIndex...])
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { throw error("the address has no closing bracket") }
            host = authority[authority.index(after: authority.startIndex)..<end]
            rest = authority[authority.index(after: end)...]
        } else if let colon = authority.firstIndex(of: ":") {
            (host, rest) = (authority[..<colon], authority[colon...])
        }
        guard !host.isEmpty else { throw error("it has no host") }
        guard !rest.isEmpty, rest != ":" else { return (String(host), nil) }
        guard rest.first == ":", let port = UInt16(rest.dropFirst()), port > 0 else {
            throw error("its port is not a number from 1 to 65535, or a password contains / instead of %2F")
        }
        return (String(host), port)
    }

    private static func error(_ reason: String) -> MediaError {
        MediaError(
            .invalidSettings, "cannot use the camera's URL", reason: reason,
            wayOut: "write it as rtsp://USER:PASSWORD@HOST/PATH")
    }

    /// Returns true if host, port and security are equal.
    package func isSameServer(as other: RTSPURL) -> Bool {
        host.isSame(as: other.host) && port == other.port && isSecure == other.isSecure
    }

    /// Returns an absolute URL without its user and password, unchanged otherwise; nil for other text.
    static func withoutUser(_ text: String) -> String? {
        guard let (scheme, rest) = parts(text.withoutSpaces),
            scheme.isSame(as: "rtsp") || scheme.isSame(as: "rtsps")
        else { return nil }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        guard let at = rest[..<slash].lastIndex(of: "@") else { return String(text.withoutSpaces) }
        return "\(scheme)://\(rest[rest.index(after: at)...])"
    }
}

extension RTSPURL: CustomStringConvertible {
    /// The URL as in requests.
    package var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return (isSecure ? "rtsps://" : "rtsp://") + name + (hasPort ? ":\(port)" : "") + path
    }

    /// Texts in the names of parameters whose values are a user, a password or a key, as in the URLs of many makers.
    private static let secretWords = [
        "pas", "pwd", "pw=", "psw", "user", "usr", "login", "auth", "token", "secret", "key=", "sign", "session",
        "?p=", "&p=", "?u=", "&u=",
    ]

    /// The URL for messages and the status. Queries and paths that contain a password, as some cameras require, are left
    /// out.
    package var label: String {
        let words = path.lowercased()
        guard Self.secretWords.contains(where: { words.contains($0) }) else { return description }
        return String(description.dropLast(path.count)) + "/…"
    }
}
