import COpenSSL
import Glibc

/// The server's side of a TLS connection over a blocking socket. For one thread, which must block SIGPIPE.
final class FakeSecureServer {
    private let context: OpaquePointer
    private let connection: OpaquePointer

    /// Answers the handshake; nil if the client refuses the certificate, or ends the connection.
    init?(_ file: Int32, _ certificate: FakeCertificate) {
        guard let context = SSL_CTX_new(TLS_server_method()), let connection = SSL_new(context) else { return nil }
        (self.context, self.connection) = (context, connection)
        guard SSL_use_certificate(connection, certificate.certificate) == 1,
            SSL_use_PrivateKey(connection, certificate.key) == 1, SSL_set_fd(connection, file) == 1,
            SSL_accept(connection) == 1
        else { return nil }
    }

    deinit {
        SSL_free(connection)
        SSL_CTX_free(context)
    }

    /// True if decrypted bytes wait, which the socket does not show.
    var hasUnread: Bool { SSL_pending(connection) > 0 }

    /// Returns the number of bytes; 0 or less at the end.
    func read(into buffer: inout [UInt8]) -> Int {
        Int(buffer.withUnsafeMutableBytes { SSL_read(connection, $0.baseAddress, Int32(clamping: $0.count)) })
    }

    /// Returns false if the connection has ended.
    func write(_ bytes: [UInt8]) -> Bool {
        Int(bytes.withUnsafeBytes { SSL_write(connection, $0.baseAddress, Int32(clamping: $0.count)) }) == bytes.count
    }

    /// Blocks SIGPIPE for the calling thread, as SSL_write may raise it (pipe(7)).
    static func blockPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
