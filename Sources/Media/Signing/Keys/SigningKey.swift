import Cryptography
import Foundation
package import MediaTypes

/// The private key of a recorder: Ed25519 (RFC 8032), stored as PKCS #8 in PEM (RFC 8410), like the output of
/// `openssl genpkey`.
package struct SigningKey: Sendable {
    private let key: Ed25519.PrivateKey
    private static let label = "PRIVATE KEY"
    /// The DER bytes before the key (RFC 8410, 7): version 0, id-Ed25519, and an octet string in an octet string.
    private static let prefix: [UInt8] = [
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]

    /// Creates a new key.
    package init() { key = Ed25519.PrivateKey() }

    /// - Throws: `corruptData` if the text contains no Ed25519 key in PKCS #8.
    package init(pem: String) throws(MediaError) {
        guard let bytes = PEM.body(of: pem, label: Self.label), bytes.count >= 48, bytes.starts(with: Self.prefix),
            let key = try? Ed25519.PrivateKey(rawRepresentation: bytes[16..<48])
        else {
            throw MediaError(
                .corruptData, "cannot use the key", reason: "it is not a private Ed25519 key in PEM",
                wayOut: "create one with `recorder key new --output FILE`")
        }
        self.key = key
    }

    package var pem: String { PEM.text(Self.prefix + key.rawRepresentation, label: Self.label) }

    package var publicKey: VerificationKey { VerificationKey(key.publicKey) }

    /// The signature, 64 bytes.
    func signature(of message: [UInt8]) -> [UInt8] {
        // Signing fails only if the library is out of memory. The seal then has no proof, which is reported later.
        (try? key.signature(for: message)) ?? []
    }
}

/// The public key of a recorder, as SubjectPublicKeyInfo in PEM (RFC 8410, 4).
package struct VerificationKey: Sendable, Equatable {
    private let bytes: [UInt8]
    private static let label = "PUBLIC KEY"
    private static let prefix: [UInt8] = [
        0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
    ]

    init(_ key: Ed25519.PublicKey) { bytes = key.rawRepresentation }

    /// Reads a public key. Also accepts a private key, and uses its public half.
    ///
    /// - Throws: `corruptData` for a text without a key of either kind.
    package init(pem: String) throws(MediaError) {
        if let bytes = PEM.body(of: pem, label: Self.label), bytes.count == 44, bytes.starts(with: Self.prefix) {
            self.bytes = Array(bytes[12...])
        } else if let key = try? SigningKey(pem: pem) {
            self = key.publicKey
        } else {
            throw MediaError(
                .corruptData, "cannot use the key", reason: "it is not a public Ed25519 key in PEM",
                wayOut: "use the FILE.pub that `recorder key new` created")
        }
    }

    package var pem: String { PEM.text(Self.prefix + bytes, label: Self.label) }

    /// An identifier of the key: the start of the SHA-256 of its 32 bytes, as hexadecimal digits.
    package var fingerprint: String { SHA256.hash(data: bytes).prefix(8).hexadecimal }

    func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let key = try? Ed25519.PublicKey(rawRepresentation: bytes) else { return false }
        return key.isValidSignature(signature, for: message)
    }
}

/// Textual encoding of keys (RFC 7468).
enum PEM {
    static func text(_ bytes: [UInt8], label: String) -> String {
        "-----BEGIN \(label)-----\n\(Data(bytes).base64EncodedString())\n-----END \(label)-----\n"
    }

    /// Returns the decoded bytes of the block with a label. Returns nil if the label is missing or the block is not
    /// base64.
    static func body(of text: String, label: String) -> [UInt8]? {
        guard let begin = text.range(of: "-----BEGIN \(label)-----"),
            let end = text.range(of: "-----END \(label)-----"), begin.upperBound <= end.lowerBound
        else { return nil }
        let lines = text[begin.upperBound..<end.lowerBound].filter { !$0.isWhitespace }
        return Data(base64Encoded: String(lines)).map { Array($0) }
    }
}
