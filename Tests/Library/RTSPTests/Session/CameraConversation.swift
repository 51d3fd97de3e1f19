import MediaTypes
import RTSP

/// A session and what a test's camera answers. Time is virtual.
struct CameraConversation {
    static let second: Int64 = 1_000_000_000
    /// Two streams: H.264 and G.711.
    static let description = """
        v=0
        s=Camera
        a=control:*
        m=video 0 RTP/AVP 96
        a=rtpmap:96 H264/90000
        a=control:track1
        m=audio 0 RTP/AVP 0
        a=control:track2
        """

    var session: RTSPSession
    var now: Int64 = 0
    /// All actions, but for packets and requests.
    var events: [SessionEvent] = []
    var connections: [RTSPURL] = []
    var disconnects = 0
    var packets: [(stream: Int, isControl: Bool, bytes: [UInt8])] = []
    /// The requests that were sent, and not yet taken by `request`.
    private var requests: [RTSPRequest] = []
    private(set) var replies: [RTSPResponse] = []

    init(_ url: String = "rtsp://admin:secret@10.0.0.2/live", _ options: SessionOptions = SessionOptions()) throws {
        let (url, credentials) = try RTSPURL.parse(url)
        session = RTSPSession(url, credentials: credentials, options: options, random: 7)
        take(session.start())
        take(session.connected(at: now))
    }

    mutating func take(_ actions: [SessionAction]) {
        for action in actions {
            switch action {
            case .connect(let url): connections.append(url)
            case .disconnect: disconnects += 1
            case .event(let event): events.append(event)
            case .packet(let stream, let isControl, let bytes): packets.append((stream, isControl, bytes))
            case .send(let bytes):
                var parser = RTSPStreamParser()
                parser.append(bytes)
                switch try? parser.next() {
                case .message(.request(let request)): requests.append(request)
                case .message(.response(let response)): replies.append(response)
                default: break
                }
            }
        }
    }

    /// Returns the next request that was sent; nil if there is none.
    mutating func request() -> RTSPRequest? { requests.isEmpty ? nil : requests.removeFirst() }

    /// Answers a request.
    mutating func answer(
        _ request: RTSPRequest?, _ status: Int = 200, _ headers: [(String, String)] = [], body: String = ""
    ) {
        var all = RTSPHeaders()
        all.add("CSeq", request?.headers["CSeq"] ?? "0")
        for (name, value) in headers { all.add(name, value) }
        take(session.receive(RTSPResponse(status, "Reason", headers: all, body: Array(body.utf8)).bytes, at: now))
    }

    /// Answers everything up to PLAY as a camera without peculiarities.
    mutating func play(
        transport: [String] = ["RTP/AVP/TCP;unicast;interleaved=0-1", "RTP/AVP/TCP;unicast;interleaved=2-3"]
    ) {
        var transports = transport
        while let request = request() {
            switch request.method {
            case "OPTIONS": answer(request, 200, [("Public", "OPTIONS, DESCRIBE, SETUP, PLAY, GET_PARAMETER")])
            case "DESCRIBE":
                answer(request, 200, [("Content-Type", "application/sdp")], body: Self.description)
            case "SETUP":
                let chosen = transports.isEmpty ? "" : transports.removeFirst()
                answer(request, 200, [("Session", "42;timeout=60"), ("Transport", chosen)])
            default: answer(request)
            }
        }
    }

    mutating func advance(seconds: Double) {
        now += Int64(seconds * 1e9)
        take(session.tick(at: now))
    }

    var ended: MediaError?? {
        events.compactMap { if case .ended(let error) = $0 { .some(error) } else { nil } }.first
    }
    var isPlaying: Bool { events.contains { if case .playing = $0 { true } else { false } } }
    /// The beginnings of the streams by the response to PLAY.
    var beginnings: [RTPInfo.Stream?]? {
        for case .playing(let beginnings) in events { return beginnings }
        return nil
    }
    var notices: [String] { events.compactMap { if case .notice(let text) = $0 { text } else { nil } } }
    var ready: [[SessionStream]] { events.compactMap { if case .ready(let streams) = $0 { streams } else { nil } } }
}
