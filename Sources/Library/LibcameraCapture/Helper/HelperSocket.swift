import CLinux
import Glibc
import MediaTypes

/// The recorder's end of the connection to a helper. Never blocks. For one thread at a time.
final class HelperSocket {
    /// A message that was received, or the lack of one.
    enum Arrival {
        /// The bytes, of any number, and the file descriptors. The receiver owns the descriptors.
        case message([UInt8], descriptors: [Int32])
        case nothing
        /// The helper has closed its end.
        case closed
    }

    /// The result of sending a message.
    enum Sending: Sendable, Hashable {
        case sent
        /// The helper does not read, so the socket is full.
        case full
        /// The helper has ended, or the message cannot be encoded.
        case ended
    }

    let descriptor: Int32
    /// The helper's end; -1 once it is closed here.
    private(set) var otherEnd: Int32
    // Reused, so that a frame's messages allocate nothing.
    private var outgoing = MessageBytes(kind: 0)
    private var buffer = [UInt8](repeating: 0, count: MessageLayout.messageSize)
    private var received = [Int32](repeating: -1, count: 4)

    init(_ action: String) throws(MediaError) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw MediaError(errno: errno, action) }
        descriptor = ends[0]
        otherEnd = ends[1]
    }

    deinit {
        closeOtherEnd()
        close(descriptor)
    }

    /// Closes this process's descriptor of the helper's end. Called once the helper has its own.
    func closeOtherEnd() {
        guard otherEnd >= 0 else { return }
        close(otherEnd)
        otherEnd = -1
    }

    /// Sends a message.
    func send(_ message: RecorderMessage) -> Sending {
        guard message.write(to: &outgoing) else { return .ended }
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        let sent = outgoing.bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
        guard sent != MessageLayout.messageSize else { return .sent }
        let code = errno
        return sent < 0 && (code == EAGAIN || code == ENOBUFS) ? .full : .ended
    }

    func receive() -> Arrival {
        // If a helper ended without reading everything, one call fails. What the helper sent can still be read
        // (unix(7)).
        receiveOnce() ?? receiveOnce() ?? Arrival.closed
    }

    /// Returns what arrived; nil for ECONNRESET.
    private func receiveOnce() -> Arrival? {
        var count: Int32 = 0
        let length = clinux_receive(descriptor, &buffer, MessageLayout.messageSize, &received, &count)
        // Zero bytes are the end of the connection, or an empty message. Only an empty message can have descriptors.
        guard length != 0 || count > 0 else { return Arrival.closed }
        guard length >= 0 else {
            let code = errno
            if code == ECONNRESET { return nil }
            guard code == EAGAIN || code == EINTR else { return Arrival.closed }
            return Arrival.nothing
        }
        let descriptors = Array(received[..<Int(count)])
        guard length != MessageLayout.messageSize else {
            return Arrival.message(buffer, descriptors: descriptors)
        }
        // Any other size is a fault; the bytes do not matter.
        return Arrival.message([UInt8](repeating: 0, count: min(length, 4096)), descriptors: descriptors)
    }
}
