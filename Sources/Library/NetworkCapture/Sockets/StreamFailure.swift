import Cryptography
import Glibc
import MediaTypes

/// The reason why a connection is no longer usable.
enum StreamFailure: Error, Hashable {
    /// A system call failed with this errno.
    case system(Int32)
    case tls(TLSError)

    /// The reason in words; for TLS, in OpenSSL's words.
    var reason: String {
        switch self {
        case .system(ENOBUFS): "it does not read what is sent"
        case .system(let code): String(cString: strerror(code)).lowercased()
        case .tls(.certificate(_, let text)): "its certificate is refused: \(text)"
        case .tls(.noCertificate): "the file for camera-certificate has no certificate in PEM"
        case .tls(.library(_, let text)): "TLS failed: \(text)"
        case .tls(.ended): "it ended the TLS connection"
        }
    }

    var underlying: MediaError.Underlying? {
        switch self {
        case .system(let code): .errno(code)
        case .tls(.certificate(let code, _)): .other("X509", code)
        // The codes of OpenSSL have 31 bits.
        case .tls(.library(let code, _)): .other("OpenSSL", Int32(truncatingIfNeeded: code))
        case .tls(.noCertificate), .tls(.ended): nil
        }
    }
}
