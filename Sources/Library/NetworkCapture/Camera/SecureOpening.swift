import Cryptography
import Glibc
import MediaTypes
import RTSP

/// Opens a TLS connection to a camera, and makes the errors for a camera that is refused. For one thread.
struct SecureOpening {
    private let url: RTSPURL

    init(_ url: RTSPURL) { self.url = url }

    /// Returns a connection that is ready for its handshake. Reads the system's certificates from the disk if
    /// `authorities` is nil.
    ///
    /// - Parameters:
    ///   - socket: A TCP connection that is open.
    ///   - isAddress: True if the URL has an address instead of a name.
    ///   - authorities: The certificates to trust, as PEM; nil for those that the system trusts.
    func begin(_ socket: StreamSocket, isAddress: Bool, authorities: [UInt8]?) throws(MediaError) -> SecureStream {
        // A certificate states an address without its zone (RFC 4007, 11).
        let name = isAddress ? String(url.host.prefix { $0 != "%" }) : url.host
        do throws(TLSError) {
            return try SecureStream(socket, host: name, isAddress: isAddress, authorities: authorities)
        } catch {
            guard authorities != nil, case .library = error else { throw self.error(.tls(error)) }
            let failure = StreamFailure.tls(error)
            throw MediaError(
                .invalidSettings, "cannot connect to \(url.label)",
                reason: "the certificate in the file for camera-certificate is invalid (\(failure.reason))",
                underlying: failure.underlying, wayOut: Self.fileAdvice)
        }
    }

    /// Returns the error for a handshake that failed.
    func error(_ failure: StreamFailure) -> MediaError {
        let action = "cannot connect to \(url.label)"
        switch failure {
        case .system(ETIMEDOUT):
            return MediaError(
                .notFound, action, reason: "the TLS handshake does not end", underlying: .errno(ETIMEDOUT),
                wayOut: Self.portAdvice)
        case .system, .tls(.ended), .tls(.library):
            let isReset = failure == .tls(.ended)
            return MediaError(
                .ioFailure, action, reason: isReset ? "it ended the TLS handshake" : failure.reason,
                underlying: failure.underlying, wayOut: Self.portAdvice)
        case .tls(.noCertificate):
            return MediaError(
                .invalidSettings, action, reason: failure.reason,
                wayOut: Self.fileAdvice)
        case .tls(.certificate):
            return MediaError(
                .notPermitted, action, reason: failure.reason, underlying: failure.underlying, wayOut: advice(failure))
        }
    }

    private static let fileAdvice =
        "save the certificate as PEM; `openssl x509 -inform der -in FILE -out FILE.pem` converts one in DER"
    private static let portAdvice =
        "check that TLS is on in the camera, and that the URL has the port of RTSP over TLS (322 without a number)"

    private func advice(_ failure: StreamFailure) -> String {
        guard case .tls(let error) = failure else { return "" }
        switch error.refusal {
        case .untrusted:
            return "save the camera's certificate, or that of its authority, as PEM, and set camera-certificate to the "
                + "file"
        case .date: return "renew the certificate in the camera, and check the date of this machine"
        case .name:
            return "write a name from the certificate in the URL, and add it to /etc/hosts if no name server knows it; "
                + "or make a certificate for \(url.host) in the camera"
        case .other, nil: return "make a new certificate in the camera, with a key of at least 2048 bits"
        }
    }
}
