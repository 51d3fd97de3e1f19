import Capture
import Glibc
import MediaTypes
import RTSP
import RealTime

/// The thread of a network camera: waits for its sockets, lets `RTSPSession` and `CameraReception` decide, and delivers.
///
/// Created and used by that thread alone. It waits in poll(2) only, so that it ends at once when it is stopped; all
/// other calls return at once.
final class CameraConnection {
    private let setup: NetworkCameraSetup
    private let link: NetworkLink
    private let resolver: NameResolver
    private let clock = MonotonicClock()
    private var session: RTSPSession
    private var socket: (any CameraStream)?
    /// The sockets for datagrams, one pair for each stream; none with TCP.
    private let datagrams: [DatagramPair]
    private var reception: CameraReception?
    private var streams: [SessionStream] = []
    /// For each stream, the address from which the camera sends it, if it named another one.
    private var sources: [InternetAddress?] = []
    private var usesDatagrams = false

    private var isOver = false
    private var error: MediaError?
    private var isStopped = false
    private var isOpen = false
    /// The time of the response to PLAY; nil before it.
    private var playedAt: Int64?
    private var nextReport: Int64 = .max
    private var nextFigures: Int64 = 0
    private var held: [MediaType: HeldSamples] = [:]
    private var notices: Set<String> = []

    // Reused, so that waiting and reading allocate nothing.
    private var waits: [pollfd]
    /// A datagram has less than 64 KiB.
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var senderBytes = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_in6>.size)
    private var output: [ReceptionOutput] = []
    private var delivering: [ReceptionOutput] = []

    /// The interval of receiver reports (RFC 3550, 6.2).
    private static let reportInterval: Int64 = 5_000_000_000
    /// The interval at which the account of packets is published, in nanoseconds.
    private static let figuresInterval: Int64 = 250_000_000
    /// The time for the first audio after the first frame. A camera without it is recorded without audio.
    private static let audioPatience: Int64 = 2_000_000_000
    /// The time for the response to the last TEARDOWN.
    private static let goodbyePatience: Int64 = 200_000_000
    /// The number of packets that are read before the other sockets are looked at.
    private static let mostReads = 64
    private static let mostNotices = 64

    init(_ setup: NetworkCameraSetup, _ credentials: Credentials?, link: NetworkLink, resolver: NameResolver) {
        self.setup = setup
        self.link = link
        self.resolver = resolver
        var options = SessionOptions()
        options.transport = setup.transport
        options.wantsAudio = setup.wantsAudio
        options.silenceTimeout = setup.silenceTimeout
        var pairs: [DatagramPair] = []
        if setup.transport != .tcp, !setup.url.isSecure {
            for _ in 0..<(setup.wantsAudio ? 2 : 1) {
                if let pair = try? DatagramPair() { pairs.append(pair) }
            }
        }
        datagrams = pairs
        waits = [pollfd](
            repeating: pollfd(fd: -1, events: Int16(POLLIN), revents: 0), count: 3 + 2 * pairs.count)
        options.clientPorts = pairs.map(\.port)
        session = RTSPSession(
            setup.url, credentials: credentials, options: options, random: UInt64.random(in: 0...UInt64.max))
    }

    /// Receives until the camera is lost or the link is stopped, and reports the end.
    func run() {
        perform(session.start())
        while !isOver {
            wait()
            guard !isStopped else { break }
            work()
        }
        if isStopped { sayGoodbye() }
        socket = nil
        publishFigures()
        setup.totals.endConnection()
        if let losses = reception?.losses { note("lost on the way: \(losses)") }
        let failure = isStopped ? nil : error ?? lost("it ended the session")
        link.ended(failure)
        guard let failure else { return }
        link.video.deliver(.gone(failure))
        link.audio.deliver(.gone(failure))
    }

    // MARK: Waiting

    /// Waits for a socket, for the link or for the next deadline, and reads what arrived.
    private func wait() {
        // poll(2) ignores descriptors below 0.
        waits[0].fd = link.stopSignal.fileDescriptor
        waits[1].fd = link.startSignal.fileDescriptor
        waits[2].fd = socket?.descriptor ?? -1
        waits[2].events = Int16(POLLIN) | (socket?.hasUnsent == true ? Int16(POLLOUT) : 0)
        for (index, pair) in datagrams.enumerated() {
            waits[3 + 2 * index].fd = usesDatagrams ? pair.packets : -1
            waits[4 + 2 * index].fd = usesDatagrams ? pair.control : -1
        }
        // TLS may have decrypted more than was read so far.
        let hasUnread = socket?.hasUnread == true
        let limit = hasUnread ? 0 : timeout(until: deadline)
        let count = nfds_t(waits.count)
        let ready = poll(&waits, count, limit)
        if waits[0].revents != 0 { isStopped = true }
        guard ready > 0 || hasUnread, !isStopped else { return }
        if waits[1].revents != 0 {
            link.startSignal.clear()
            releaseHeld()
        }
        let stream = waits[2].revents
        if stream & Int16(POLLOUT) != 0 { flush() }
        if stream & ~Int16(POLLOUT) != 0 || hasUnread { readStream() }
        for index in datagrams.indices where usesDatagrams {
            if waits[4 + 2 * index].revents != 0 { readDatagrams(of: index, isControl: true) }
            if waits[3 + 2 * index].revents != 0 { readDatagrams(of: index, isControl: false) }
        }
    }

    private func timeout(until deadline: Int64?) -> Int32 {
        guard let deadline else { return -1 }
        let left = max(0, deadline - clock.nanoseconds)
        return Int32(clamping: left / 1_000_000 + (left % 1_000_000 > 0 ? 1 : 0))
    }

    private var deadline: Int64? {
        var earliest = nextReport
        if let deadline = session.deadline { earliest = min(earliest, deadline) }
        if let deadline = reception?.deadline { earliest = min(earliest, deadline) }
        if let playedAt, !isOpen {
            earliest = min(earliest, playedAt + setup.keyframeTimeout)
            if hasVideo { earliest = min(earliest, playedAt + Self.audioPatience) }
        }
        return earliest == .max ? nil : earliest
    }

    /// Does what is due.
    private func work() {
        let now = clock.nanoseconds
        if let deadline = session.deadline, now >= deadline { perform(session.tick(at: now)) }
        guard !isOver else { return }
        if let deadline = reception?.deadline, now >= deadline {
            reception?.poll(now: now, &output)
            deliver()
        }
        if now >= nextReport {
            nextReport = now + Self.reportInterval
            sendReports(now)
        }
        if now >= nextFigures {
            nextFigures = now + Self.figuresInterval
            publishFigures()
        }
        announce(now)
        if let playedAt, !isOpen, !isOver, now >= playedAt + setup.keyframeTimeout { fail(silence) }
    }

    private var silence: MediaError {
        let problem = reception?.problem(of: .video)
        return MediaError(
            problem == nil ? .deviceLost : .unsupported, "cannot receive \(setup.url.label)",
            reason: problem.map { "it sends \($0)" }
                ?? "no keyframe came within \(setup.keyframeTimeout / 1_000_000_000) s",
            wayOut: problem == nil
                ? "set the camera's keyframe interval (I-frame interval, GOV) to 2 s"
                : "set the camera to H.264, H.265 or MJPEG")
    }

    // MARK: The session

    private func perform(_ first: [SessionAction]) {
        var actions = first
        var index = 0
        while index < actions.count, !isOver {
            switch actions[index] {
            case .connect(let url):
                // A redirect of a session that plays. The receivers have its formats, so it has to be opened again.
                deliver()
                if isOpen { fail(lost("it moved the session to another URL")) } else { actions += connect(to: url) }
            case .send(let bytes):
                if let failure = socket?.send(bytes) {
                    actions += session.disconnected(lost(failure), at: clock.nanoseconds)
                }
            case .disconnect: socket = nil
            case .packet(let stream, let isControl, let bytes): receive(bytes, stream: stream, isControl: isControl)
            case .event(let event): take(event)
            }
            index += 1
        }
        deliver()
    }

    private func take(_ event: SessionEvent) {
        switch event {
        case .described(let description):
            for complaint in description.complaints { note("the camera's description: \(complaint)") }
        case .ready(let streams): begin(streams)
        case .playing: playedAt = clock.nanoseconds
        case .notice(let text): note(text)
        case .ended(let error):
            // Packets of the same read came before the end.
            deliver()
            self.error = error
            isOver = true
        }
    }

    private func begin(_ streams: [SessionStream]) {
        playedAt = nil
        self.streams = streams
        sources = streams.map { source(of: $0) }
        usesDatagrams = streams.contains { if case .datagrams = $0.transport { true } else { false } }
        held = [:]
        publishFigures()
        setup.totals.endConnection()
        reception = nil
        do throws(MediaError) {
            reception = try CameraReception(
                streams, mostDelay: usesDatagrams ? setup.reorderDelay : 0, source: UInt32.random(in: 1...UInt32.max))
        } catch {
            return fail(error)
        }
        if streams.contains(where: { $0.format.encoding == "OPUS" }) {
            note("no audio: Opus is not supported yet; set the camera's audio to AAC or G.711")
        }
        nextReport = clock.nanoseconds + Self.reportInterval
        if usesDatagrams { openPaths() }
    }

    /// Ends the session for a reason that only this side knows.
    private func fail(_ error: MediaError) {
        let actions = session.stop(at: clock.nanoseconds)
        for case .send(let bytes) in actions { _ = socket?.send(bytes) }
        self.error = error
        isOver = true
    }

    private func lost(_ reason: String) -> MediaError {
        MediaError(.deviceLost, "lost the camera \(setup.url.label)", reason: reason)
    }

    private func lost(_ failure: StreamFailure) -> MediaError {
        MediaError(
            .deviceLost, "lost the camera \(setup.url.label)", reason: failure.reason, underlying: failure.underlying)
    }

    /// Sends TEARDOWN, and waits shortly until the camera has read it: some cameras keep a session that ends otherwise.
    private func sayGoodbye() {
        let actions = session.stop(at: clock.nanoseconds)
        for case .send(let bytes) in actions { _ = socket?.send(bytes) }
        guard let socket, !actions.isEmpty else { return }
        socket.endSending()
        let end = clock.nanoseconds + Self.goodbyePatience
        while clock.nanoseconds < end {
            var waits = [pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)]
            guard poll(&waits, 1, timeout(until: end)) > 0 else { continue }
            switch socket.receive(into: &buffer) {
            case .bytes, .nothing: break
            case .end, .failed: return
            }
        }
    }

    // MARK: The connection

    /// Connects, and returns the actions that follow.
    private func connect(to url: RTSPURL) -> [SessionAction] {
        do throws(MediaError) {
            guard let connected = try openStream(url) else { return [] }
            socket = connected
            return session.connected(at: clock.nanoseconds)
        } catch {
            return session.disconnected(error, at: clock.nanoseconds)
        }
    }

    /// Returns an open connection, for a URL with TLS after the camera's certificate was accepted; nil if the link was
    /// stopped meanwhile.
    private func openStream(_ url: RTSPURL) throws(MediaError) -> (any CameraStream)? {
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
                guard !wait(for: stream.descriptor, events, until: end) else { continue }
                if isStopped { return nil }
                throw opening.error(.system(ETIMEDOUT))
            }
        }
    }

    /// Returns a connected socket; nil if the link was stopped meanwhile.
    private func openSocket(_ url: RTSPURL, until end: Int64) throws(MediaError) -> StreamSocket? {
        let action = "cannot connect to \(url.label)"
        let lookup = resolver.begin(url.host)
        if !wait(for: lookup.done.fileDescriptor, Int16(POLLIN), until: end), isStopped { return nil }
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
            // Each address gets a part of the time, so that one that does not answer does not use all of it.
            let share = max(0, end - now) / Int64(addresses.count - index)
            do throws(SocketFailure) {
                let socket = try StreamSocket(to: address)
                let isConnected = wait(for: socket.descriptor, Int16(POLLOUT), until: now + share)
                if isStopped { return nil }
                code = isConnected ? socket.connectResult : ETIMEDOUT
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

    /// Waits until a descriptor is ready.
    ///
    /// - Returns: false if the time has passed, or the link was stopped.
    private func wait(for descriptor: Int32, _ events: Int16, until end: Int64) -> Bool {
        while true {
            var waits = [
                pollfd(fd: link.stopSignal.fileDescriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: events, revents: 0),
            ]
            _ = poll(&waits, 2, timeout(until: end))
            if waits[0].revents != 0 {
                isStopped = true
                isOver = true
                return false
            }
            // In this order: a camera that sends a byte now and then gets no further time by it.
            if clock.nanoseconds >= end { return false }
            if waits[1].revents != 0 { return true }
        }
    }

    private func flush() {
        if let failure = socket?.flush() { perform(session.disconnected(lost(failure), at: clock.nanoseconds)) }
    }

    private func readStream() {
        for _ in 0..<Self.mostReads {
            // The session may have closed the socket.
            guard let socket, !isOver else { return }
            let received = socket.receive(into: &buffer)
            let now = clock.nanoseconds
            switch received {
            case .bytes(let count): perform(session.receive(buffer[..<count], at: now))
            case .nothing: return
            case .end: return perform(session.disconnected(at: now))
            case .failed(let failure): return perform(session.disconnected(lost(failure), at: now))
            }
        }
    }

    // MARK: Datagrams

    private func readDatagrams(of stream: Int, isControl: Bool) {
        for _ in 0..<Self.mostReads {
            guard
                let (count, sender) = datagrams[stream].receive(
                    isControl: isControl, into: &buffer, source: &senderBytes)
            else { break }
            // Others may send to this port too.
            guard count > 0, let sender, isCamera(sender, stream) else { continue }
            let now = clock.nanoseconds
            if !isControl { session.packetArrived(stream: stream, at: now) }
            receive(Array(buffer[..<count]), stream: stream, isControl: isControl)
        }
        deliver()
    }

    private func isCamera(_ sender: InternetAddress, _ stream: Int) -> Bool {
        guard streams.indices.contains(stream) else { return false }
        return sender.host == socket?.address.host || sender.host == sources[stream]?.host
    }

    /// Returns the address from which the camera sends a stream, if it named another one.
    private func source(of stream: SessionStream) -> InternetAddress? {
        guard case .datagrams(_, _, let source?) = stream.transport else { return nil }
        // Only a numeric address: a name would have to be looked up.
        return resolver.numeric(source)?.first
    }

    /// Sends a packet to each of the camera's ports, so that routers let its packets through.
    private func openPaths() {
        for index in streams.indices {
            guard let address = peer(of: index, isControl: false), datagrams.indices.contains(index) else { continue }
            datagrams[index].send([0x80] + [UInt8](repeating: 0, count: 11), isControl: false, to: address)
        }
        sendReports(clock.nanoseconds)
    }

    private func peer(of stream: Int, isControl: Bool) -> InternetAddress? {
        guard case .datagrams(_, let server?, _) = streams[stream].transport, server < .max else { return nil }
        return (sources[stream] ?? socket?.address)?.with(port: isControl ? server + 1 : server)
    }

    private func sendReports(_ now: Int64) {
        for index in streams.indices {
            guard let report = reception?.report(stream: index, now: now) else { return }
            if let bytes = session.interleaved(report, stream: index) {
                if let failure = socket?.send(bytes) { return perform(session.disconnected(lost(failure), at: now)) }
            } else if datagrams.indices.contains(index), let address = peer(of: index, isControl: true) {
                datagrams[index].send(report, isControl: true, to: address)
            }
        }
    }

    // MARK: Samples

    private func receive(_ packet: [UInt8], stream: Int, isControl: Bool) {
        // A stream of a format that is refused.
        if streams.indices.contains(stream), streams[stream].format.encoding == "OPUS" { return }
        reception?.receive(
            packet, stream: stream, isControl: isControl, at: clock.nanoseconds, wall: Int64(time(nil)), &output)
    }

    private func deliver() {
        guard !output.isEmpty else { return }
        swap(&output, &delivering)
        defer { delivering.removeAll(keepingCapacity: true) }
        for result in delivering where !isOver {
            switch result {
            case .sample(let sample): deliver(sample)
            case .lost(let type, let count, let cause, let near):
                if link.tap(type).wasStarted {
                    release(type)
                    link.tap(type).deliver(.lost(count: count, cause: cause, near: near))
                }
            case .changed(let type): if isOpen { fail(changed(type)) }
            case .notice(let text): note(text)
            }
        }
    }

    private func changed(_ type: MediaType) -> MediaError {
        MediaError(
            .deviceLost, "lost the camera \(setup.url.label)", reason: "the format of its \(type.rawValue) changed")
    }

    private func deliver(_ sample: SampleBuffer) {
        let type = sample.format.mediaType
        guard link.tap(type).wasStarted else {
            held[type, default: HeldSamples()].add(sample)
            return
        }
        release(type)
        if held[type]?.mayFollow(sample) != false { link.tap(type).deliver(.sample(sample)) }
    }

    /// Delivers the samples that waited for the start of their stream.
    private func release(_ type: MediaType) {
        guard held[type]?.samples.isEmpty == false, let samples = held[type]?.take() else { return }
        for sample in samples { link.tap(type).deliver(.sample(sample)) }
    }

    private func releaseHeld() {
        for type in [MediaType.video, .audio] where link.tap(type).wasStarted { release(type) }
    }

    private var hasVideo: Bool { held[.video]?.samples.isEmpty == false }

    /// Reports that the camera is open, once its streams have begun.
    private func announce(_ now: Int64) {
        guard !isOpen, !isOver, let reception, hasVideo, let video = reception.format(of: .video), let playedAt else {
            return
        }
        let awaitsAudio = reception.has(.audio) && reception.format(of: .audio) == nil
        guard !awaitsAudio || now >= playedAt + Self.audioPatience else { return }
        isOpen = true
        let described = streams.first { $0.description.kind == .video }?.description.frameRate
        let rate = described.flatMap { $0 >= 1 && $0 <= 240 ? FrameRate("\($0)") : nil }
        link.opened(
            NetworkLink.Streams(
                video: video, audio: reception.format(of: .audio), frameRate: rate,
                transport: usesDatagrams ? "UDP" : session.isSecure ? "TLS" : "TCP"))
    }

    private func publishFigures() {
        if let reception { setup.totals.update(reception.figures) }
    }

    /// Reports a deviation, each once.
    private func note(_ text: String) {
        guard notices.count < Self.mostNotices, notices.insert(text).inserted else { return }
        setup.report("\(setup.url.label): \(text)")
    }
}
