import COpenSSL

/// The client of a TLS connection (RFC 8446, RFC 5246), without a socket. It decrypts bytes from the server, and
/// encrypts bytes for the server.
///
/// The owner of the client sends and receives the bytes, so no call blocks, and no call can raise SIGPIPE. The client
/// always checks the issuer, the dates and the name of the server's certificate. For one thread.
package final class TLSClient {
    /// The result of one read.
    package enum Reading: Equatable {
        case bytes(Int)
        /// More bytes of the server are needed.
        case needsInput
        /// The server announced that it will send no more bytes.
        case end
    }

    private let context: TLSContext
    private let connection: OpaquePointer
    /// Bytes from the server that are not decrypted yet. `connection` owns `input` and `output`.
    private let input: OpaquePointer
    /// Encrypted bytes for the server.
    private let output: OpaquePointer

    /// Begins a connection. Reads the system's trusted certificates from the disk if `authorities` is nil.
    ///
    /// - Parameters:
    ///   - host: The name or the address that the certificate must have.
    ///   - isAddress: True for an address, which is not sent as the server's name (RFC 6066, 3).
    ///   - authorities: The only certificates to trust, as PEM; nil for those that the system trusts.
    package init(host: String, isAddress: Bool, authorities: [UInt8]?) throws(TLSError) {
        context = try TLSContext(authorities: authorities)
        connection = LibCrypto.require(SSL_new(context.pointer))
        input = LibCrypto.require(BIO_new(BIO_s_mem()))
        output = LibCrypto.require(BIO_new(BIO_s_mem()))
        SSL_set_bio(connection, input, output)
        SSL_set_connect_state(connection)
        ERR_clear_error()
        SSL_set_hostflags(connection, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        guard SSL_set1_host(connection, host) == 1, isAddress || copenssl_set_server_name(connection, host) == 1 else {
            throw TLSError.latest()
        }
    }

    deinit { SSL_free(connection) }

    /// Continues the handshake. After an error, the output contains a message that informs the server of the reason.
    ///
    /// - Returns: True once the handshake is complete and the certificate is accepted; false if more bytes from the
    ///   server are needed.
    package func handshake() throws(TLSError) -> Bool {
        ERR_clear_error()
        let result = SSL_do_handshake(connection)
        guard result == 1 else {
            guard SSL_get_error(connection, result) == SSL_ERROR_WANT_READ else { throw failure() }
            return false
        }
        // OpenSSL has already checked both conditions, because of SSL_VERIFY_PEER.
        guard SSL_get0_peer_certificate(connection) != nil, SSL_get_verify_result(connection) == Int(X509_V_OK) else {
            throw failure()
        }
        return true
    }

    /// Decrypts bytes into a buffer.
    package func read(into buffer: inout [UInt8]) throws(TLSError) -> Reading {
        ERR_clear_error()
        let count = buffer.withUnsafeMutableBytes { SSL_read(connection, $0.baseAddress, Int32(clamping: $0.count)) }
        guard count <= 0 else { return .bytes(Int(count)) }
        switch SSL_get_error(connection, count) {
        case SSL_ERROR_WANT_READ: return .needsInput
        case SSL_ERROR_ZERO_RETURN: return .end
        default: throw failure()
        }
    }

    /// Encrypts bytes. Call it after the handshake only.
    package func write(_ bytes: [UInt8]) throws(TLSError) {
        guard !bytes.isEmpty else { return }
        ERR_clear_error()
        // The output grows as needed, so all bytes are encrypted.
        let count = bytes.withUnsafeBytes { SSL_write(connection, $0.baseAddress, Int32(clamping: $0.count)) }
        guard count > 0 else { throw failure() }
    }

    /// Ends the client's side of the connection.
    package func close() {
        ERR_clear_error()
        _ = SSL_shutdown(connection)
        ERR_clear_error()
    }

    /// Accepts bytes from the server. To limit memory, read until `needsInput` before the next call.
    package func receive(_ bytes: ArraySlice<UInt8>) {
        let count = bytes.withUnsafeBytes { BIO_write(input, $0.baseAddress, Int32(clamping: $0.count)) }
        LibCrypto.require(Int(count) == bytes.count ? 1 : 0)
    }

    /// Removes and returns the encrypted bytes for the server.
    package func takeOutput() -> [UInt8] {
        let count = Int(BIO_ctrl_pending(output))
        guard count > 0 else { return [] }
        return Array(unsafeUninitializedCapacity: count) { bytes, used in
            used = max(0, Int(BIO_read(output, bytes.baseAddress, Int32(clamping: count))))
        }
    }

    private func failure() -> TLSError {
        let verdict = SSL_get_verify_result(connection)
        guard verdict != Int(X509_V_OK) else { return TLSError.latest() }
        ERR_clear_error()
        let text = X509_verify_cert_error_string(verdict).map { String(cString: $0) } ?? "unknown error"
        return .certificate(code: Int32(clamping: verdict), text: text)
    }
}
