import COpenSSL

/// Authentication codes of messages: HMAC with SHA-256 (RFC 2104).
package enum MessageCode {
    package static func code(for message: some Collection<UInt8>, using key: SymmetricKey) -> Digest {
        key.withUnsafeBytes { key in
            message.withBytes { message in
                Digest(of: .sha256) { code in
                    let result = EVP_Q_mac(
                        LibCrypto.shared.context, "HMAC", nil, "SHA2-256", nil, key.baseAddress, key.count,
                        message.baseAddress?.assumingMemoryBound(to: UInt8.self), message.count, code,
                        HashFunction.sha256.size, nil)
                    return result == nil ? 0 : 1
                }
            }
        }
    }

    /// Returns true if the code is the right one for the message. The time does not depend on the bytes of the code.
    package static func isValid(
        _ code: [UInt8], for message: some Collection<UInt8>, using key: SymmetricKey
    ) -> Bool {
        self.code(for: message, using: key).isEqual(to: code)
    }
}
