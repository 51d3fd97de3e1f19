import Glibc
package import MediaTypes
package import ONVIF
import RealTime

/// Finds the cameras of the network by WS-Discovery, and asks each for its streams (ONVIF Core, 7; ONVIF Media).
///
/// Everything runs on the calling thread, which waits in poll(2) for all sockets. Nothing is changed in a camera, and no
/// password is sent.
package struct NetworkCameraSearch: Sendable {
    /// The time in which answers are collected, in seconds.
    package static let seconds: Int64 = 3
    /// The time in which answers are collected, in nanoseconds.
    var duration = NetworkCameraSearch.seconds * 1_000_000_000
    /// The time limit for the requests to one camera.
    var inquiryTime: Int64 = 3_000_000_000
    /// The maximum number of cameras. Once that many have answered, the collection ends.
    var mostCameras = 256
    var clock: any HostClock = MonotonicClock()
    /// The routes by which probes are sent; nil for all interfaces.
    var routes: [ProbeRoute]?

    /// The maximum number of cameras that are asked at the same time.
    private static let mostExchanges = 8
    /// The number of datagrams that are read from a socket before the time is checked.
    private static let mostReads = 64

    package init() {}

    /// Blocks for some seconds, and returns the cameras that answered, ordered by their addresses.
    ///
    /// - Throws: An error if no probe can be sent.
    package func run() throws(MediaError) -> [FoundNetworkCamera] {
        let devices = try discover()
        return ask(devices).sorted(by: FoundNetworkCamera.isBefore)
    }

    // MARK: Discovery

    private func discover() throws(MediaError) -> [DiscoveredDevice] {
        let sockets = try openSockets()
        let probe = Probe(random: UInt64.random(in: 0...UInt64.max), UInt64.random(in: 0...UInt64.max))
        var devices = DiscoveredDevices(answering: probe, most: mostCameras)
        var schedule = ProbeSchedule(start: clock.nanoseconds, duration: duration)
        var waits = sockets.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        while !devices.isFull {
            let now = clock.nanoseconds
            if schedule.isOver(at: now) { break }
            if schedule.isDue(at: now) {
                let codes = sockets.map { $0.send(probe.bytes) }
                if let code = codes.first, !codes.contains(0) { throw Self.failure(code) }
            }
            let count = nfds_t(waits.count)
            let limit = PollTimeout.milliseconds(until: schedule.deadline, now: now)
            guard poll(&waits, count, limit) > 0 else { continue }
            for (wait, socket) in zip(waits, sockets) where wait.revents != 0 {
                for _ in 0..<Self.mostReads {
                    guard let (bytes, sender) = socket.receive() else { break }
                    if let address = sender.dotted { devices.add(bytes, from: address) }
                }
            }
        }
        return devices.devices
    }

    private func openSockets() throws(MediaError) -> [ProbeSocket] {
        let routes = self.routes ?? ProbeRoute.all()
        guard !routes.isEmpty else {
            throw MediaError(
                .notFound, Self.action, reason: "no network interface with an IPv4 address supports multicast",
                wayOut: "connect this machine to the cameras' network")
        }
        var sockets: [ProbeSocket] = []
        var code: Int32 = 0
        for route in routes {
            do throws(SocketFailure) { sockets.append(try ProbeSocket(route)) } catch { code = error.code }
        }
        guard !sockets.isEmpty else { throw Self.failure(code) }
        return sockets
    }

    private static let action = "cannot search for network cameras"

    private static func failure(_ code: Int32) -> MediaError {
        MediaError(
            code == EACCES || code == EPERM ? .notPermitted : .notFound, action,
            reason: "no probe can be sent: " + String(cString: strerror(code)).lowercased(), underlying: .errno(code),
            wayOut: "permit UDP to \(Probe.group), port \(Probe.port), in the firewall of this machine")
    }

    // MARK: Questions

    /// Asks all cameras, several at the same time.
    private func ask(_ devices: [DiscoveredDevice]) -> [FoundNetworkCamera] {
        var waiting = devices[...]
        var (running, cameras) = ([CameraExchange](), [FoundNetworkCamera]())
        while true {
            while running.count < Self.mostExchanges, let device = waiting.popFirst() {
                running.append(CameraExchange(device, deadline: clock.nanoseconds + inquiryTime))
                collect(&running, &cameras)
            }
            guard let deadline = running.map(\.deadline).min() else { return cameras }
            var waits = running.map(\.wait)
            let count = nfds_t(waits.count)
            _ = poll(&waits, count, PollTimeout.milliseconds(until: deadline, now: clock.nanoseconds))
            for (wait, exchange) in zip(waits, running) where wait.revents != 0 { exchange.proceed() }
            let now = clock.nanoseconds
            for exchange in running where now >= exchange.deadline { exchange.expire() }
            collect(&running, &cameras)
        }
    }

    /// Moves the cameras of finished exchanges from `running` to `cameras`.
    private func collect(_ running: inout [CameraExchange], _ cameras: inout [FoundNetworkCamera]) {
        cameras += running.filter(\.isOver).map(\.camera)
        running.removeAll { $0.isOver }
    }
}
