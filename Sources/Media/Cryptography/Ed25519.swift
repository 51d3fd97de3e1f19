import COpenSSL

/// Signatures with Ed25519 (RFC 8032). The same key and message always give the same signature.
package enum Ed25519 {
    /// The size of private and of public keys, in bytes.
    package static let keySize = 32
    package static let signatureSize = 64

    /// A private key. Immutable and thread-safe. The memory of the key is overwritten when it is released.
    package struct PrivateKey: Sendable {
        private let handle: KeyHandle
        package let publicKey: PublicKey

        /// Creates a random key.
        package init() {
            do throws(CryptographyError) {
                try self.init(SymmetricKey())
            } catch {
                fatalError("libcrypto is out of memory: \(error)")
            }
        }

        /// - Throws: `keySize` unless there are 32 bytes. Any 32 bytes are a valid key.
        package init(rawRepresentation bytes: some Collection<UInt8>) throws(CryptographyError) {
            guard bytes.count == keySize else { throw .keySize(bytes.count) }
            try self.init(SymmetricKey(data: bytes))
        }

        private init(_ secret: SymmetricKey) throws(CryptographyError) {
            let pointer = secret.withUnsafeBytes {
                EVP_PKEY_new_raw_private_key_ex(LibCrypto.shared.context, "ED25519", nil, $0.baseAddress, $0.count)
            }
            handle = try KeyHandle(pointer)
            publicKey = PublicKey(rawRepresentation: handle.bytes(EVP_PKEY_get_raw_public_key), handle)
        }

        /// The 32 bytes of the private key. This copy is not overwritten when it is released.
        package var rawRepresentation: [UInt8] { handle.bytes(EVP_PKEY_get_raw_private_key) }

        /// Returns the signature of a message, 64 bytes.
        ///
        /// - Throws: `library` only if there is no memory left.
        package func signature(for message: some Collection<UInt8>) throws(CryptographyError) -> [UInt8] {
            guard let context = EVP_MD_CTX_new() else { throw LibCrypto.error() }
            defer { EVP_MD_CTX_free(context) }
            var signature = [UInt8](repeating: 0, count: signatureSize)
            var size = signatureSize
            let isDone = message.withBytes { message in
                handle.withPointer {
                    EVP_DigestSignInit_ex(context, nil, nil, LibCrypto.shared.context, nil, $0, nil) == 1
                        && EVP_DigestSign(context, &signature, &size, message.baseAddress, message.count) == 1
                }
            }
            guard isDone, size == signatureSize else { throw LibCrypto.error() }
            return signature
        }
    }

    /// A public key. Immutable and thread-safe.
    package struct PublicKey: Sendable {
        package let rawRepresentation: [UInt8]
        private let handle: KeyHandle

        /// - Throws: `keySize` unless there are 32 bytes. Does not check that the bytes are a point of the curve. If
        ///   they are not, `isValidSignature` returns false.
        package init(rawRepresentation bytes: some Collection<UInt8>) throws(CryptographyError) {
            guard bytes.count == keySize else { throw .keySize(bytes.count) }
            let pointer = bytes.withBytes {
                EVP_PKEY_new_raw_public_key_ex(LibCrypto.shared.context, "ED25519", nil, $0.baseAddress, $0.count)
            }
            self.init(rawRepresentation: Array(bytes), try KeyHandle(pointer))
        }

        fileprivate init(rawRepresentation: [UInt8], _ handle: KeyHandle) {
            self.rawRepresentation = rawRepresentation
            self.handle = handle
        }

        /// Returns true if the signature of a message was made with the private key of this public key.
        package func isValidSignature(_ signature: [UInt8], for message: some Collection<UInt8>) -> Bool {
            guard signature.count == signatureSize, let context = EVP_MD_CTX_new() else { return false }
            defer { EVP_MD_CTX_free(context) }
            let isValid = message.withBytes { message in
                handle.withPointer {
                    EVP_DigestVerifyInit_ex(context, nil, nil, LibCrypto.shared.context, nil, $0, nil) == 1
                        && EVP_DigestVerify(context, signature, signatureSize, message.baseAddress, message.count) == 1
                }
            }
            // libcrypto records an error for an invalid signature.
            if !isValid { ERR_clear_error() }
            return isValid
        }
    }
}

/// A key of libcrypto. The key never changes. libcrypto caches values in it, under a lock.
private final class KeyHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer?) throws(CryptographyError) {
        guard let pointer else { throw LibCrypto.error() }
        self.pointer = pointer
    }

    /// Returns the bytes of the private or the public key, depending on `read`.
    func bytes(
        _ read: (OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>?) -> Int32
    ) -> [UInt8] {
        var count = Ed25519.keySize
        var bytes = [UInt8](repeating: 0, count: count)
        LibCrypto.require(read(pointer, &bytes, &count))
        return bytes
    }

    func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        withExtendedLifetime(self) { body(pointer) }
    }

    // Overwrites the bytes of a private key.
    deinit { EVP_PKEY_free(pointer) }
}
