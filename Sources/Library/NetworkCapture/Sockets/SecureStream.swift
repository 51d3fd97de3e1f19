import Cryptography

/// A TLS connection over a TCP connection that is open. It never blocks, and is for one thread.
///
/// Nothing may be sent before `handshake` has returned `complete`: only then is the camera's certificate accepted.
final class SecureStream: CameraStream {
    /// The progress of the handshake.
    enum Handshake: Equatable {
        case complete
        /// The handshake continues once the socket is readable, or writable if `hasUnsent`.
        case waits
        case failed(StreamFailure)
    }

    private let socket: StreamSocket
    private let client: TLSClient
    /// The buffer for encrypted bytes; a record has up to 16 KiB and a header (RFC 8446, 5.1).
    private var encrypted = [UInt8](repeating: 0, count: 32 << 10)
    /// The maximum number of reads from the socket in one call. Without this limit, a call might never return: records
    /// may contain no byte for the caller, and may arrive faster than they are decrypted.
    private static let mostPulls = 16
    /// False after a read returned nothing. Until then, decrypted bytes may be left in OpenSSL.
    private(set) var hasUnread = true

    /// - Parameters:
    ///   - host: The name or the address in the camera's URL.
    ///   - authorities: The certificates to trust, as for `TLSClient`.
    init(_ socket: StreamSocket, host: String, isAddress: Bool, authorities: [UInt8]?) throws(TLSError) {
        self.socket = socket
        client = try TLSClient(host: host, isAddress: isAddress, authorities: authorities)
    }

    var descriptor: Int32 { socket.descriptor }
    var address: InternetAddress { socket.address }
    var hasUnsent: Bool { socket.hasUnsent }

    /// Continues the handshake.
    func handshake() -> Handshake {
        var pulls = 0
        while true {
            if let failure = socket.flush() { return .failed(failure) }
            do throws(TLSError) {
                let isComplete = try client.handshake()
                if let failure = push() { return .failed(failure) }
                if isComplete { return .complete }
            } catch {
                // Send the alert, which shows the reason in the camera's log.
                _ = push()
                return .failed(.tls(error))
            }
            pulls += 1
            guard pulls <= Self.mostPulls else { return .waits }
            switch pull() {
            case .bytes: continue
            case .nothing: return .waits
            case .end: return .failed(.tls(.ended))
            case .failed(let failure): return .failed(failure)
            }
        }
    }

    func send(_ bytes: [UInt8]) -> StreamFailure? {
        do throws(TLSError) { try client.write(bytes) } catch { return .tls(error) }
        return push()
    }

    func flush() -> StreamFailure? { socket.flush() }

    func receive(into buffer: inout [UInt8]) -> StreamReading {
        var pulls = 0
        while true {
            let reading: TLSClient.Reading
            do throws(TLSError) { reading = try client.read(into: &buffer) } catch {
                _ = push()
                return .failed(.tls(error))
            }
            // A read may produce bytes for the camera, such as new keys.
            if let failure = push() { return .failed(failure) }
            switch reading {
            case .bytes(let count):
                hasUnread = true
                return .bytes(count)
            case .end: return .end
            case .needsInput: break
            }
            hasUnread = false
            // After the last pull, the kernel may have more bytes. Then poll(2) returns at once.
            pulls += 1
            guard pulls <= Self.mostPulls else { return .nothing }
            let pulled = pull()
            guard case .bytes = pulled else { return pulled }
        }
    }

    func endSending() {
        client.close()
        _ = push()
        socket.endSending()
    }

    /// Sends the encrypted bytes that OpenSSL made.
    private func push() -> StreamFailure? {
        let bytes = client.takeOutput()
        return bytes.isEmpty ? nil : socket.send(bytes)
    }

    /// Reads encrypted bytes for OpenSSL.
    private func pull() -> StreamReading {
        let reading = socket.receive(into: &encrypted)
        if case .bytes(let count) = reading { client.receive(encrypted[..<count]) }
        return reading
    }
}
