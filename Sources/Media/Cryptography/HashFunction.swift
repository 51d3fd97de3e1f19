/// A cryptographic hash function: SHA-256, SHA-512 and SHA-1 (FIPS 180-4), MD5 (RFC 1321). SHA-1 and MD5 do not resist
/// an attacker.
package enum HashFunction: Sendable, CaseIterable {
    case sha256, sha512, sha1, md5

    /// The size of a hash, in bytes.
    package var size: Int {
        switch self {
        case .sha256: 32
        case .sha512: 64
        case .sha1: 20
        case .md5: 16
        }
    }
}
