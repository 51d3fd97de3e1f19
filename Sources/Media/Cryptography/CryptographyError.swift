/// The reason why a key cannot be used.
package enum CryptographyError: Error, Equatable {
    /// A key of a different length than the algorithm's.
    case keySize(Int)
    /// An error of libcrypto; `openssl errstr` with the code in hexadecimal prints its text.
    case library(code: UInt)
}
