package import MediaTypes

/// A session with a camera: OPTIONS, DESCRIBE, SETUP of each stream, PLAY, keep-alive, TEARDOWN (RFC 2326, 10).
/// A pure value: it takes bytes and times, and returns actions.
///
/// Times are nanoseconds of the monotonic clock. After each call, `deadline` is the time for the next `tick`.
package struct RTSPSession: Sendable {
    /// The next step after TEARDOWN.
    enum Purpose: Sendable { case end, connectWithTCP }

    enum Step: Sendable {
        case new, connecting, options, describe, setUp, play, playing
        case tearDown(Purpose)
        case ended
    }

    /// The request that waits for its response.
    struct Pending: Sendable {
        var method: String
        var target: String
        var extra: [(name: String, value: String)]
        var number: Int
        var deadline: Int64
        /// The number of times that the request was repeated after 401.
        var repeats = 0
    }

    let options: SessionOptions
    let credentials: Credentials?
    let random: UInt64
    var url: RTSPURL
    var step = Step.new
    var authenticator: Authenticator
    var parser = RTSPStreamParser()
    var pending: Pending?
    var number = 0
    var redirects = 0
    /// True if datagrams are requested.
    var usesDatagrams: Bool
    /// The methods that the camera named; empty if it named none.
    var methods: Set<String> = []
    var control: ControlURL?
    var sessionControl: String?
    /// The value of `Session` without parameters; nil before the first SETUP.
    var identifier: String?
    var sessionTimeout: Int64 = 60_000_000_000
    /// The selected streams that are still to be set up.
    var waiting: [(medium: MediaDescription, format: PayloadFormat)] = []
    var streams: [SessionStream] = []
    var setUpError: MediaError?
    var usesGetParameter = true
    var nextKeepAlive: Int64 = .max
    var playedAt: Int64 = 0
    /// The arrival of the latest packet of the needed stream.
    var lastPacket: Int64?

    /// - Parameter random: An unpredictable number, for the answers to challenges.
    package init(_ url: RTSPURL, credentials: Credentials?, options: SessionOptions = SessionOptions(), random: UInt64)
    {
        self.url = url
        self.credentials = credentials
        self.options = options
        self.random = random
        authenticator = Authenticator(credentials, random: random)
        usesDatagrams = options.transport != .tcp && !url.isSecure
    }

    /// The time at which `tick` has something to do; nil if nothing is pending.
    package var deadline: Int64? {
        var times = pending.map { [$0.deadline] } ?? []
        if case .playing = step {
            if pending == nil { times.append(nextKeepAlive) }
            times.append((lastPacket ?? playedAt) + options.silenceTimeout)
            if mayGiveUpDatagrams { times.append(playedAt + options.firstPacketTimeout) }
        }
        return times.min()
    }

    /// Begins the session.
    package mutating func start() -> [SessionAction] {
        guard case .new = step else { return [] }
        guard !url.isSecure || options.transport != .datagrams else { return end(refusalOfDatagrams) }
        step = .connecting
        return [.connect(url)]
    }

    /// Records that the connection is open.
    package mutating func connected(at now: Int64) -> [SessionAction] {
        guard case .connecting = step else { return [] }
        parser = RTSPStreamParser()
        (identifier, streams, waiting, pending, lastPacket) = (nil, [], [], nil, nil)
        step = .options
        return [request("OPTIONS", url.description, at: now)]
    }

    /// Records that the connection failed, or that the camera closed it.
    package mutating func disconnected(_ error: MediaError? = nil, at now: Int64) -> [SessionAction] {
        switch step {
        case .ended, .new: return []
        case .tearDown(let purpose): return afterTearDown(purpose)
        default:
            identifier = nil
            return fail(error ?? lost("it closed the connection"))
        }
    }

    /// Accepts bytes from the connection.
    package mutating func receive(_ bytes: some Sequence<UInt8>, at now: Int64) -> [SessionAction] {
        switch step {
        case .new, .connecting, .ended: return []
        default: break
        }
        var actions: [SessionAction] = []
        parser.append(bytes)
        do throws(MediaError) {
            while let item = try parser.next() {
                switch item {
                case .interleaved(let channel, let packet): route(packet, channel, now, &actions)
                case .message(.response(let response)): actions += accept(response, at: now)
                case .message(.request(let request)): actions += answer(request, at: now)
                }
                if case .ended = step { break }
                if case .connecting = step { break }
            }
        } catch {
            actions += fail(error)
        }
        return actions
    }

    /// Records that a packet of a stream arrived. Only the needed stream counts: audio does not show that the video
    /// still comes.
    package mutating func packetArrived(stream: Int, at now: Int64) {
        if streams.indices.contains(stream), streams[stream].description.kind == needed { lastPacket = now }
    }

    /// The stream without which there is nothing to record.
    var needed: MediaDescription.Kind { options.wantsVideo ? .video : .audio }

    /// Handles the deadlines that have passed.
    package mutating func tick(at now: Int64) -> [SessionAction] {
        if let pending, now >= pending.deadline {
            self.pending = nil
            switch step {
            case .tearDown(let purpose): return afterTearDown(purpose)
            // Some cameras never answer a keep-alive. The packets show whether the camera is alive.
            case .playing: break
            default: return fail(lost("it did not answer \(pending.method)"))
            }
        }
        guard case .playing = step else { return [] }
        if mayGiveUpDatagrams, now - playedAt >= options.firstPacketTimeout {
            return [.event(.notice("no datagram arrived; using TCP"))] + tearDown(.connectWithTCP, at: now)
        }
        guard now - (lastPacket ?? playedAt) < options.silenceTimeout else { return fail(silence) }
        guard now >= nextKeepAlive, pending == nil else { return [] }
        return [keepAlive(at: now)]
    }

    /// Ends the session.
    package mutating func stop(at now: Int64) -> [SessionAction] {
        switch step {
        case .ended, .tearDown(.end): return []
        case .tearDown:
            step = .tearDown(.end)
            return []
        default: return identifier == nil ? end(nil) : tearDown(.end, at: now)
        }
    }

    /// Returns the bytes that send a packet of RTCP to a stream; nil if the stream uses datagrams.
    package func interleaved(_ packet: [UInt8], stream: Int) -> [UInt8]? {
        guard streams.indices.contains(stream), packet.count <= 0xFFFF,
            case .interleaved(_, let channel) = streams[stream].transport
        else { return nil }
        return [0x24, channel, UInt8(packet.count >> 8), UInt8(packet.count & 0xFF)] + packet
    }

    var mayGiveUpDatagrams: Bool { usesDatagrams && options.transport == .automatic && lastPacket == nil }

    private mutating func route(_ packet: [UInt8], _ channel: UInt8, _ now: Int64, _ actions: inout [SessionAction]) {
        for (index, stream) in streams.enumerated() {
            guard case .interleaved(let rtp, let rtcp) = stream.transport, channel == rtp || channel == rtcp else {
                continue
            }
            if channel == rtp { packetArrived(stream: index, at: now) }
            return actions.append(.packet(stream: index, isControl: channel != rtp, packet))
        }
    }

    /// Makes this request the pending one, and returns the action that sends it.
    mutating func request(
        _ method: String, _ target: String, _ extra: [(name: String, value: String)] = [], repeats: Int = 0,
        timeout: Int64? = nil, at now: Int64
    ) -> SessionAction {
        number += 1
        pending = Pending(
            method: method, target: target, extra: extra, number: number,
            deadline: now + (timeout ?? options.responseTimeout), repeats: repeats)
        return .send(bytes(method, target, extra))
    }

    /// Returns the bytes of a request with the latest number.
    mutating func bytes(_ method: String, _ target: String, _ extra: [(name: String, value: String)]) -> [UInt8] {
        var headers = RTSPHeaders()
        headers.add("CSeq", String(number))
        headers.add("User-Agent", options.userAgent)
        if let identifier { headers.add("Session", identifier) }
        if let answer = authenticator.answer(method: method, target: target) { headers.add("Authorization", answer) }
        for field in extra { headers.add(field.name, field.value) }
        return RTSPRequest(method, target, headers: headers).bytes
    }

    /// True if the present URL requires TLS. A redirect may have changed the URL.
    package var isSecure: Bool { url.isSecure }

    /// The URL for requests about the complete session.
    var sessionURL: String { control?.resolved(sessionControl) ?? url.description }

    mutating func keepAlive(at now: Int64) -> SessionAction {
        nextKeepAlive = now + sessionTimeout / 2
        return request(usesGetParameter ? "GET_PARAMETER" : "OPTIONS", sessionURL, at: now)
    }

    mutating func tearDown(_ purpose: Purpose, at now: Int64) -> [SessionAction] {
        step = .tearDown(purpose)
        return [request("TEARDOWN", sessionURL, timeout: options.teardownTimeout, at: now)]
    }

    mutating func afterTearDown(_ purpose: Purpose) -> [SessionAction] {
        identifier = nil
        switch purpose {
        case .end: return end(nil)
        case .connectWithTCP:
            usesDatagrams = false
            return reconnect()
        }
    }

    mutating func reconnect() -> [SessionAction] {
        step = .connecting
        (pending, identifier) = (nil, nil)
        return [.disconnect, .connect(url)]
    }

    /// Ends the session for an error. Sends TEARDOWN, because a camera serves few sessions, but does not wait for the
    /// response.
    mutating func fail(_ error: MediaError) -> [SessionAction] {
        if case .tearDown(let purpose) = step { return afterTearDown(purpose) }
        guard identifier != nil else { return end(error) }
        number += 1
        return [.send(bytes("TEARDOWN", sessionURL, []))] + end(error)
    }

    mutating func end(_ error: MediaError?) -> [SessionAction] {
        step = .ended
        (pending, identifier) = (nil, nil)
        return [.disconnect, .event(.ended(error))]
    }
}
