/// The reason why a key cannot be used.
package enum CryptographyError: Error, Equatable {
    /// The key does not have the length that the algorithm needs.
    case keySize(Int)
    /// An error of libcrypto; `openssl errstr` with the code in hexadecimal prints its text.
    case library(code: UInt)
}
