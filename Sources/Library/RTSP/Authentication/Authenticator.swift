import Foundation

/// Answers the challenges of one server: Digest with SHA-256 or MD5 and `qop=auth` (RFC 7616), or Basic (RFC 7617).
/// A pure value.
///
/// Basic sends the password in readable form, so it is used only for a server that has never offered Digest.
package struct Authenticator: Sendable {
    /// The result of a challenge.
    package enum Verdict: Sendable, Hashable {
        /// The request can be repeated with an answer.
        case answerable
        /// There are no credentials.
        case needsCredentials
        /// The server offers only these schemes, none of which is supported.
        case unsupported([String])
    }

    private enum Scheme: Sendable {
        case basic
        case digest(Digest)
    }

    private struct Digest: Sendable {
        var algorithm: DigestAlgorithm
        var realm: String
        var nonce: String
        var opaque: String?
        /// True if the challenge has a `qop`; without it the answer has the form of RFC 2069.
        var hasQuality: Bool
        var namesAlgorithm: Bool
        /// The number of answers with this nonce.
        var count: UInt32 = 0
    }

    private let credentials: Credentials?
    private let clientNonce: String
    private var scheme: Scheme?
    private var hasSeenDigest = false
    /// True if the latest challenge called the previous nonce stale, which means that the password was right.
    package private(set) var isStale = false

    /// - Parameter random: An unpredictable number, for the client's nonce.
    package init(_ credentials: Credentials?, random: UInt64) {
        self.credentials = credentials
        clientNonce = String(random, radix: 16)
    }

    /// True if a challenge was accepted, so that requests have an answer.
    package var hasAnswer: Bool { scheme != nil }

    /// Accepts the challenges of a 401 response.
    ///
    /// - Parameter headers: The values of all `WWW-Authenticate` headers.
    package mutating func accept(_ headers: [String]) -> Verdict {
        let challenges = headers.flatMap(AuthenticationChallenge.parse)
        let digests = challenges.filter { $0.scheme.isSame(as: "Digest") }
        if !digests.isEmpty { hasSeenDigest = true }
        let usable = digests.compactMap(Self.digest).max { $0.algorithm.strength < $1.algorithm.strength }
        isStale = digests.contains { $0["stale"]?.isSame(as: "true") == true }
        scheme = nil
        guard credentials != nil else { return .needsCredentials }
        if let usable {
            scheme = .digest(usable)
        } else if !hasSeenDigest, challenges.contains(where: { $0.scheme.isSame(as: "Basic") }) {
            scheme = .basic
        } else {
            return .unsupported(challenges.map(\.scheme))
        }
        return .answerable
    }

    private static func digest(_ challenge: AuthenticationChallenge) -> Digest? {
        guard let algorithm = DigestAlgorithm(name: challenge["algorithm"]), let nonce = challenge["nonce"] else {
            return nil
        }
        let qualities = challenge["qop"]?.split(separator: ",").map { $0.withoutSpaces } ?? []
        // `auth-int` alone would need the hash of each body.
        guard qualities.isEmpty || qualities.contains(where: { $0.isSame(as: "auth") }) else { return nil }
        return Digest(
            algorithm: algorithm, realm: challenge["realm"] ?? "", nonce: nonce, opaque: challenge["opaque"],
            hasQuality: !qualities.isEmpty, namesAlgorithm: challenge["algorithm"] != nil)
    }

    /// Returns the value of `Authorization` for the next request; nil if no challenge was accepted.
    ///
    /// - Parameter target: The URL exactly as in the request.
    package mutating func answer(method: String, target: String) -> String? {
        guard let credentials else { return nil }
        switch scheme {
        case nil: return nil
        case .basic:
            return "Basic " + Data("\(credentials.user):\(credentials.password)".utf8).base64EncodedString()
        case .digest(var digest):
            digest.count += 1
            scheme = .digest(digest)
            return answer(digest, credentials, method: method, target: target)
        }
    }

    private func answer(_ digest: Digest, _ credentials: Credentials, method: String, target: String) -> String {
        let algorithm = digest.algorithm
        var secret = algorithm.hash("\(credentials.user):\(digest.realm):\(credentials.password)")
        if algorithm.isSession { secret = algorithm.hash("\(secret):\(digest.nonce):\(clientNonce)") }
        let request = algorithm.hash("\(method):\(target)")
        let digits = String(digest.count, radix: 16)
        let count = String(repeating: "0", count: max(0, 8 - digits.count)) + digits
        let middle = digest.hasQuality ? ":\(count):\(clientNonce):auth:" : ":"
        let response = algorithm.hash("\(secret):\(digest.nonce)\(middle)\(request)")
        var fields = [
            "username=\(quoted(credentials.user))", "realm=\(quoted(digest.realm))", "nonce=\(quoted(digest.nonce))",
            "uri=\(quoted(target))", "response=\"\(response)\"",
        ]
        if digest.namesAlgorithm { fields.append("algorithm=\(algorithm.rawValue)") }
        if let opaque = digest.opaque { fields.append("opaque=\(quoted(opaque))") }
        if digest.hasQuality { fields += ["qop=auth", "nc=\(count)"] }
        if digest.hasQuality || algorithm.isSession { fields.append("cnonce=\"\(clientNonce)\"") }
        return "Digest " + fields.joined(separator: ", ")
    }

    /// Returns a text in quotes. Line ends are removed, since they would end the header.
    private func quoted(_ text: String) -> String {
        var result = "\""
        for character in text where !character.isNewline {
            if character == "\"" || character == "\\" { result.append("\\") }
            result.append(character)
        }
        return result + "\""
    }
}
