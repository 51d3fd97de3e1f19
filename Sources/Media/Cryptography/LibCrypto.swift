import COpenSSL

/// A separate context of libcrypto for this library, and its hash functions. The hash functions are looked up only
/// once, because a lookup is slow.
///
/// The context has libcrypto's built-in algorithms. `openssl.cnf` and `OPENSSL_CONF` do not affect it, although they
/// affect other users of libcrypto in this process. The context exists until the process ends. Every thread may use
/// this object, because nothing in it changes after `init`, and libcrypto locks its own caches.
final class LibCrypto: @unchecked Sendable {
    static let shared = LibCrypto()

    let context: OpaquePointer
    private let sha256: OpaquePointer
    private let sha512: OpaquePointer
    private let sha1: OpaquePointer
    private let md5: OpaquePointer

    private init() {
        // Without the flag, libcrypto would free memory at `exit` that other threads still use.
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
        context = Self.require(OSSL_LIB_CTX_new())
        _ = Self.require(OSSL_PROVIDER_load(context, "default"))
        sha256 = Self.require(EVP_MD_fetch(context, "SHA2-256", nil))
        sha512 = Self.require(EVP_MD_fetch(context, "SHA2-512", nil))
        sha1 = Self.require(EVP_MD_fetch(context, "SHA1", nil))
        md5 = Self.require(EVP_MD_fetch(context, "MD5", nil))
    }

    func algorithm(_ function: HashFunction) -> OpaquePointer {
        switch function {
        case .sha256: sha256
        case .sha512: sha512
        case .sha1: sha1
        case .md5: md5
        }
    }

    /// Returns the result of a call that fails only if there is no memory left. If the call failed, ends the program,
    /// as a failed allocation in Swift does.
    static func require(_ pointer: OpaquePointer?) -> OpaquePointer {
        guard let pointer else { fatalError("libcrypto cannot work, probably for lack of memory: \(error())") }
        return pointer
    }

    /// Checks the status of a call that fails only if there is no memory left. If the call failed, ends the program.
    static func require(_ status: Int32) {
        guard status == 1 else { fatalError("libcrypto cannot work, probably for lack of memory: \(error())") }
    }

    /// Returns the latest error of this thread, and clears all its errors.
    static func error() -> CryptographyError {
        defer { ERR_clear_error() }
        return .library(code: ERR_peek_last_error())
    }
}
