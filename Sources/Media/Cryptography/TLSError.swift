import COpenSSL

/// The reason why a TLS connection cannot be opened or used, with OpenSSL's own code and text.
package enum TLSError: Error, Hashable {
    /// The server's certificate is refused. The number is the error code of openssl-verify(1).
    case certificate(code: Int32, text: String)
    /// A PEM text has no certificate.
    case noCertificate
    /// Another error; `openssl errstr` with the code in hexadecimal prints its text.
    case library(code: UInt, text: String)
    /// The server ended the connection.
    case ended

    /// The reason why a certificate is refused.
    package enum Refusal: Hashable {
        /// Neither the certificate nor an authority that signed it is trusted.
        case untrusted
        /// The certificate is not valid yet, or has expired.
        case date
        /// The certificate is for another name.
        case name
        case other
    }

    /// The reason why the certificate is refused; nil for another error.
    package var refusal: Refusal? {
        guard case .certificate(let code, _) = self else { return nil }
        switch code {
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            return .untrusted
        case X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED: return .date
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: return .name
        default: return .other
        }
    }

    /// Returns the first error of this thread's last call, and clears all errors of this thread.
    static func latest() -> TLSError {
        defer { ERR_clear_error() }
        // The first error is returned, because later errors are its consequences.
        let code = ERR_peek_error()
        guard code != 0 else { return .ended }
        guard let text = ERR_reason_error_string(code) else { return .library(code: code, text: "unknown error") }
        return .library(code: code, text: String(cString: text))
    }
}
