import COpenSSL

/// The settings of a TLS client: TLS 1.2 at least, and the certificates that it trusts. For one thread.
///
/// The algorithms are those of `LibCrypto`. Limits for TLS in `openssl.cnf`, such as a higher minimum version, also
/// apply.
final class TLSContext {
    let pointer: OpaquePointer

    /// - Parameter authorities: The certificates to trust, as PEM; nil for those that the system trusts. They need not
    ///   be certificates of authorities: the server's own certificate may be among them.
    /// - Throws: `noCertificate` for a text without certificates; OpenSSL's error for a damaged certificate.
    init(authorities: [UInt8]?) throws(TLSError) {
        let library = LibCrypto.shared.context
        ERR_clear_error()
        OPENSSL_init_ssl(UInt64(OPENSSL_INIT_LOAD_SSL_STRINGS | OPENSSL_INIT_LOAD_CRYPTO_STRINGS), nil)
        guard let made = SSL_CTX_new_ex(library, nil, TLS_client_method()) else { throw TLSError.latest() }
        pointer = made
        SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
        copenssl_refuse_renegotiation(pointer)
        guard copenssl_require_tls12(pointer) == 1 else { throw TLSError.latest() }
        guard let authorities else {
            guard SSL_CTX_set_default_verify_paths(pointer) == 1 else { throw TLSError.latest() }
            return
        }
        try trust(authorities)
    }

    deinit { SSL_CTX_free(pointer) }

    private func trust(_ pem: [UInt8]) throws(TLSError) {
        guard !pem.isEmpty else { throw .noCertificate }
        // With the flag, any trusted certificate can end a chain, not only the certificate of a root authority.
        X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(pointer), UInt(X509_V_FLAG_PARTIAL_CHAIN))
        ERR_clear_error()
        let count = pem.withUnsafeBytes { addAll($0) }
        // OpenSSL reports an error even at the end of the text. That error does not mean damage.
        let isDamaged = ERR_peek_last_error() != 0 && ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE
        guard !isDamaged else { throw TLSError.latest() }
        ERR_clear_error()
        guard count > 0 else { throw .noCertificate }
    }

    /// Adds the certificates of a PEM text, up to its end or an error. Afterwards, the latest error of this thread
    /// shows why the function stopped.
    ///
    /// - Returns: The number of certificates.
    private func addAll(_ pem: UnsafeRawBufferPointer) -> Int {
        let text = LibCrypto.require(BIO_new_mem_buf(pem.baseAddress, Int32(clamping: pem.count)))
        defer { BIO_free(text) }
        var count = 0
        while true {
            var certificate: OpaquePointer? = LibCrypto.require(X509_new_ex(LibCrypto.shared.context, nil))
            let isRead = PEM_read_bio_X509(text, &certificate, nil, nil) != nil
            // The store has its own reference, so this reference is always released.
            defer { X509_free(certificate) }
            guard isRead, X509_STORE_add_cert(SSL_CTX_get_cert_store(pointer), certificate) == 1 else { return count }
            count += 1
        }
    }
}
