import Glibc
import MediaTypes
import RTSP
import RealTime

/// Opens connections to a camera: looks its name up, connects, and shakes hands for TLS. For one thread.
struct CameraOpening {
    private enum Wait { case ready, late, stopped }

    private let setup: NetworkCameraSetup
    private let link: NetworkLink
    private let resolver: NameResolver
    private let clock = MonotonicClock()

    init(_ setup: NetworkCameraSetup, link: NetworkLink, resolver: NameResolver) {
        (self.setup, self.link, self.resolver) = (setup, link, resolver)
    }

    /// Returns an open connection; nil if the link was stopped meanwhile. For a URL with TLS, the connection is
    /// returned after the camera's certificate was accepted.
    func open(_ url: RTSPURL) throws(MediaError) -> (any CameraStream)? {
        let end = clock.nanoseconds + setup.connectTimeout
        guard let socket = try openSocket(url, until: end) else { return nil }
        guard url.isSecure else { return socket }
        let opening = SecureOpening(url)
        let stream = try opening.begin(
            socket, isAddress: resolver.numeric(url.host) != nil, authorities: try setup.certificate())
        while true {
            switch stream.handshake() {
            case .complete: return stream
            case .failed(let failure): throw opening.error(failure)
            case .waits:
                let events = Int16(POLLIN) | (stream.hasUnsent ? Int16(POLLOUT) : 0)
                switch wait(for: stream.descriptor, events, until: end) {
                case .ready: break
                case .late: throw opening.error(.system(ETIMEDOUT))
                case .stopped: return nil
                }
            }
        }
    }

    /// Returns a connected socket; nil if the link was stopped meanwhile.
    private func openSocket(_ url: RTSPURL, until end: Int64) throws(MediaError) -> StreamSocket? {
        let action = "cannot connect to \(url.label)"
        let lookup = resolver.begin(url.host)
        if wait(for: lookup.done.fileDescriptor, Int16(POLLIN), until: end) == .stopped { return nil }
        let addresses: [InternetAddress]
        switch lookup.result {
        case .success(let found)?: addresses = found.compactMap { $0.with(port: url.port) }
        case .failure(let failure)?:
            throw MediaError(
                .notFound, action, reason: "\(url.host) has no address: \(failure.reason)",
                wayOut: "check the name in the URL, or write the camera's IP address")
        case nil:
            throw MediaError(
                .notFound, action, reason: "the lookup of \(url.host) does not end", underlying: .errno(ETIMEDOUT),
                wayOut: "check the name server, or write the camera's IP address")
        }
        var code = ETIMEDOUT
        for (index, address) in addresses.enumerated() {
            let now = clock.nanoseconds
            // Each address gets a part of the time, so that a silent address cannot use all of it.
            let share = max(0, end - now) / Int64(addresses.count - index)
            do throws(SocketFailure) {
                let socket = try StreamSocket(to: address)
                switch wait(for: socket.descriptor, Int16(POLLOUT), until: now + share) {
                case .ready: code = socket.connectResult
                case .late: code = ETIMEDOUT
                case .stopped: return nil
                }
                if code == 0 { return socket }
            } catch {
                code = error.code
            }
        }
        throw MediaError(
            code == EACCES || code == EPERM ? .notPermitted : .notFound, action,
            reason: StreamFailure.system(code).reason, underlying: .errno(code), wayOut: Self.wayOut(code))
    }

    private static func wayOut(_ code: Int32) -> String {
        switch code {
        case ECONNREFUSED: "switch RTSP on in the camera, or check the port of the URL"
        case EACCES, EPERM:
            "allow this network in the service's unit, with IPAddressAllow (docs/guide/recording.md)"
        case EAFNOSUPPORT: "allow the address families AF_INET and AF_INET6 in the service's unit"
        default: "check that the camera is on, and that this machine reaches it"
        }
    }

    /// Waits until a descriptor is ready, the time has passed or the link was stopped.
    private func wait(for descriptor: Int32, _ events: Int16, until end: Int64) -> Wait {
        while true {
            var waits = [
                pollfd(fd: link.stopSignal.fileDescriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: events, revents: 0),
            ]
            _ = poll(&waits, 2, PollTimeout.milliseconds(until: end, now: clock.nanoseconds))
            if waits[0].revents != 0 { return .stopped }
            // Check the time first, so that a camera cannot extend it by sending a byte now and then.
            if clock.nanoseconds >= end { return .late }
            if waits[1].revents != 0 { return .ready }
        }
    }
}
