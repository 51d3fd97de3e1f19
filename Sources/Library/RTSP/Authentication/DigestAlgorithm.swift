import Cryptography

/// The algorithms of Digest authentication (RFC 7616, 3.3). MD5 is broken, but most cameras support only MD5.
package enum DigestAlgorithm: String, Sendable, Hashable {
    case md5 = "MD5"
    case md5Session = "MD5-sess"
    case sha256 = "SHA-256"
    case sha256Session = "SHA-256-sess"

    /// Creates the algorithm with a name; MD5 if the challenge names none; nil for an unsupported algorithm.
    package init?(name: String?) {
        guard let name else {
            self = .md5
            return
        }
        let known: [DigestAlgorithm] = [.md5, .md5Session, .sha256, .sha256Session]
        guard let match = known.first(where: { $0.rawValue.isSame(as: name) }) else { return nil }
        self = match
    }

    /// True if the first hash also covers both nonces.
    var isSession: Bool { self == .md5Session || self == .sha256Session }

    /// A higher number is preferred.
    var strength: Int { self == .sha256 || self == .sha256Session ? 2 : 1 }

    /// Returns the hash of a text in hexadecimal digits.
    func hash(_ text: String) -> String {
        let function: HashFunction
        switch self {
        case .md5, .md5Session: function = .md5
        case .sha256, .sha256Session: function = .sha256
        }
        var hash = IncrementalHash(function)
        hash.update(data: Array(text.utf8))
        return hash.finalize().hexadecimal
    }
}
