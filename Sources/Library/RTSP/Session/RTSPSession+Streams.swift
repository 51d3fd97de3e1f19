import MediaTypes

/// Setting up the streams, and playing them.
extension RTSPSession {
    /// Requests the next stream, or PLAY after the last one.
    mutating func setUpNext(at now: Int64) -> [SessionAction] {
        guard let next = waiting.first else { return play(at: now) }
        guard let transport = requestedTransport else {
            return fail(lost("there is no free port for datagrams", code: .invalidSettings))
        }
        step = .setUp
        let target = control?.resolved(next.medium.control) ?? url.description
        return [request("SETUP", target, [("Transport", transport.request)], at: now)]
    }

    /// The transport of the stream that is being set up; nil if there is no port for it.
    private var requestedTransport: RTSPTransport? {
        let index = streams.count
        guard usesDatagrams else {
            // Two streams at most, so the channels are 0 to 3.
            return .interleaved(rtp: UInt8(clamping: index * 2), rtcp: UInt8(clamping: index * 2 + 1))
        }
        guard index < options.clientPorts.count else { return nil }
        return .datagrams(client: options.clientPorts[index], server: nil, source: nil)
    }

    mutating func setUp(_ response: RTSPResponse, at now: Int64) -> [SessionAction] {
        guard let stream = waiting.first, let requested = requestedTransport else { return [] }
        let answered = response.isSuccess ? requested.answered(by: response.headers["Transport"]) : nil
        guard let answered else {
            return refused(response, at: now)
        }
        waiting.removeFirst()
        note(session: response.headers["Session"])
        if case .interleaved(let rtp, let rtcp) = answered { parser.channels.formUnion([rtp, rtcp]) }
        streams.append(SessionStream(description: stream.medium, format: stream.format, transport: answered))
        return setUpNext(at: now)
    }

    /// Continues after a SETUP that failed: with TCP, or without this stream.
    private mutating func refused(_ response: RTSPResponse, at now: Int64) -> [SessionAction] {
        if usesDatagrams, options.transport == .automatic, response.isSuccess || response.status == 461 {
            let reason = response.reason.isEmpty ? "" : ": \(response.reason.prefix(80))"
            let chosen = response.headers["Transport"] ?? "another transport"
            let cause =
                response.isSuccess ? "answered UDP with \(chosen.prefix(80))" : "refuses UDP (RTSP 461\(reason))"
            let notice = SessionAction.event(.notice("the camera \(cause); using TCP"))
            guard streams.isEmpty, !response.isSuccess else {
                note(session: response.headers["Session"])
                return [notice] + tearDown(.connectWithTCP, at: now)
            }
            usesDatagrams = false
            return [notice] + setUpNext(at: now)
        }
        let error =
            response.isSuccess
            ? lost("it chose another transport than requested", code: .unsupported) : error(response, "SETUP")
        let stream = waiting.removeFirst()
        // Video without audio is better than no video.
        guard stream.medium.kind != needed else { return fail(error) }
        return [.event(.notice("no audio: \(error.reason)"))] + setUpNext(at: now)
    }

    /// Records the identifier and the timeout from `Session: IDENTIFIER;timeout=SECONDS`.
    private mutating func note(session header: String?) {
        guard let parts = header?.split(separator: ";").map({ $0.withoutSpaces }), let first = parts.first else {
            return
        }
        identifier = String(first)
        for part in parts.dropFirst() {
            guard let (name, value) = part.parted(by: "="), name.withoutSpaces.isSame(as: "timeout"),
                let seconds = Int64(value.withoutSpaces), (1...86_400).contains(seconds)
            else { continue }
            sessionTimeout = seconds * 1_000_000_000
        }
    }

    private mutating func play(at now: Int64) -> [SessionAction] {
        step = .play
        // Packets may arrive before the response, so the streams are announced before the request.
        return [.event(.ready(streams)), request("PLAY", sessionURL, [("Range", "npt=0.000-")], at: now)]
    }

    mutating func played(_ response: RTSPResponse, at now: Int64) -> [SessionAction] {
        guard response.isSuccess else { return fail(error(response, "PLAY")) }
        step = .playing
        playedAt = now
        nextKeepAlive = now + sessionTimeout / 2
        let urls = streams.map { control?.resolved($0.description.control) ?? url.description }
        let info = RTPInfo(response.headers.all("RTP-Info"))
        return [.event(.playing(beginnings: info.beginnings(of: urls, base: control)))]
    }
}
