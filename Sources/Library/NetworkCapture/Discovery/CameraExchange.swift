import Glibc
import ONVIF

/// The connections of one `CameraInquiry`: one for each request. It never blocks. For one thread.
final class CameraExchange {
    private var inquiry: CameraInquiry
    private let resolver = NameResolver()
    private var socket: StreamSocket?
    /// The request, until the connection is open.
    private var unsent: [UInt8]?
    private var parser = HTTPResponseParser()
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)
    /// The time at which the exchange has to end.
    let deadline: Int64

    /// Begins the first request.
    init(_ device: DiscoveredDevice, deadline: Int64) {
        inquiry = CameraInquiry(device)
        self.deadline = deadline
        begin(inquiry.start())
    }

    /// True once all requests were answered, or no further request is possible.
    var isOver: Bool { socket == nil }

    var camera: FoundNetworkCamera { inquiry.camera }

    /// The events to wait for in poll(2).
    var wait: pollfd {
        let sends = unsent != nil || socket?.hasUnsent == true
        return pollfd(
            fd: socket?.descriptor ?? -1, events: sends ? Int16(POLLIN) | Int16(POLLOUT) : Int16(POLLIN), revents: 0)
    }

    /// Does what the events of poll(2) permit.
    func proceed() {
        guard let socket else { return }
        if let bytes = unsent {
            let code = socket.connectResult
            guard code == 0 else { return giveUp(code) }
            unsent = nil
            if let failure = socket.send(bytes) { giveUp(failure) }
        } else {
            if let failure = socket.flush() { return giveUp(failure) }
            read(socket)
        }
    }

    /// Ends the exchange because its time has passed.
    func expire() { giveUp(ETIMEDOUT) }

    private func begin(_ post: DevicePost?) {
        (socket, unsent, parser) = (nil, nil, HTTPResponseParser())
        guard let post else { return }
        // The host is a numeric address, because `DiscoveredDevice.service` has an address that answered.
        guard let address = resolver.numeric(post.url.host)?.first?.with(port: post.url.port) else {
            return giveUp(EADDRNOTAVAIL)
        }
        do throws(SocketFailure) {
            socket = try StreamSocket(to: address)
            unsent = post.bytes
        } catch {
            giveUp(error.code)
        }
    }

    private func read(_ socket: StreamSocket) {
        do throws(HTTPFailure) {
            switch socket.receive(into: &buffer) {
            case .bytes(let count):
                if let response = try parser.append(buffer.prefix(count)) { begin(inquiry.received(response)) }
            case .nothing: break
            case .end: begin(inquiry.received(try parser.end()))
            case .failed(let failure): giveUp(failure)
            }
        } catch {
            begin(inquiry.failed(error.reason))
        }
    }

    private func giveUp(_ failure: StreamFailure) {
        switch failure {
        case .system(let code): giveUp(code)
        // Without TLS there is no such failure.
        case .tls: giveUp(EPROTO)
        }
    }

    private func giveUp(_ code: Int32) {
        (socket, unsent) = (nil, nil)
        inquiry.giveUp(code == ETIMEDOUT ? "it does not answer in time" : Self.text(code), code: code)
    }

    private static func text(_ code: Int32) -> String { String(cString: strerror(code)).lowercased() }
}
