import Cryptography
import Foundation
import Glibc
import MediaTypes
import RTSP
import RealTime

/// A network camera in software, on the loopback interface: an RTSP server that plays a script. It serves one connection
/// at a time, on a thread of its own, until `end`.
package final class FakeNetworkCamera: Sendable {
    private struct Log: Sendable {
        var requests: [String] = []
        var connections = 0
    }

    package let port: UInt16
    private let isSecure: Bool
    private let listener: Int32
    private let stop = WakeUp()
    private let log = Locked(Log())

    /// Begins to listen.
    ///
    /// - Parameter certificate: The certificate for TLS; nil for a camera without TLS.
    package init(_ script: CameraScript, certificate: FakeCertificate? = nil) throws {
        isSecure = certificate != nil
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        port = try CameraSockets.bind(listener)
        guard listen(listener, 4) == 0 else { throw CameraSockets.Failure(code: errno) }
        let (listener, stop, log) = (listener, stop, log)
        _ = try NamedThread("fake-camera") {
            FakeSecureServer.blockPipeSignal()
            while let client = CameraSockets.accept(listener, stop) {
                let number = log.withLock { log in
                    log.connections += 1
                    return log.connections
                }
                var script = script
                if script.isFaultOnce, number > 1 { script.fault = nil }
                let served = CameraClient(client, script, certificate, stop) { request in
                    log.withLock { $0.requests.append(request) }
                }
                served.serve()
            }
            close(listener)
        }
    }

    deinit { stop.fire() }

    /// Closes the connection, and accepts no further one.
    package func end() { stop.fire() }

    package var url: String { (isSecure ? "rtsps" : "rtsp") + "://127.0.0.1:\(port)/live" }
    /// The methods of all requests so far.
    package var requests: [String] { log.withLock { $0.requests } }
    package var connections: Int { log.withLock { $0.connections } }
}

/// One connection of a fake camera. For one thread.
private final class CameraClient {
    private let file: Int32
    private let script: CameraScript
    private let certificate: FakeCertificate?
    private var secure: FakeSecureServer?
    private let stop: WakeUp
    private let note: (String) -> Void
    private let clock = MonotonicClock()
    private var parser = RTSPStreamParser()
    private var channels: [UInt8] = []
    /// The ports to which datagrams are sent, and the socket that sends them.
    private var ports: [UInt16] = []
    private var sender: Int32 = -1
    private var own: UInt16 = 0
    private var packets: [CameraPackets.Packet] = []
    private var next = 0
    private var playedAt: Int64?
    /// True once requests need the user and the password.
    private var needsLogin: Bool
    private var isOver = false

    init(
        _ file: Int32, _ script: CameraScript, _ certificate: FakeCertificate?, _ stop: WakeUp,
        note: @escaping (String) -> Void
    ) {
        (self.file, self.script, self.stop, self.note) = (file, script, stop, note)
        self.certificate = certificate
        needsLogin = script.loginFrom == nil
        var packets = CameraPackets(script)
        self.packets = packets.all()
    }

    deinit {
        close(file)
        if sender >= 0 { close(sender) }
    }

    func serve() {
        guard secured() else { return }
        while !isOver {
            let due = playedAt.flatMap { start in next < packets.count ? start + packets[next].time : nil }
            if CameraSockets.isReadable(file, stop, until: due) {
                read()
            } else if due == nil {
                return
            }
            sendDue()
            if stop.isFired(before: 0) { return }
        }
    }

    /// Answers the handshake of a camera with TLS, or what the script has instead.
    private func secured() -> Bool {
        guard let certificate else { return true }
        switch script.fault {
        case .handshake(let answer)?:
            var hello = [UInt8](repeating: 0, count: 8192)
            _ = recv(file, &hello, hello.count, 0)
            write(answer)
            return false
        case .deaf?:
            note("(handshake)")
            var hello = [UInt8](repeating: 0, count: 8192)
            while CameraSockets.isReadable(file, stop, until: nil), recv(file, &hello, hello.count, 0) > 0 {}
            return false
        default:
            secure = FakeSecureServer(file, certificate)
            return secure != nil
        }
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 8192)
        repeat {
            let count: Int
            if let secure {
                count = secure.read(into: &buffer)
            } else {
                count = recv(file, &buffer, buffer.count, 0)
            }
            guard count > 0 else {
                isOver = true
                return
            }
            parser.append(buffer[..<count])
            while !isOver, let item = try? parser.next() {
                if case .message(.request(let request)) = item { answer(request) }
            }
        } while !isOver && secure?.hasUnread == true
    }

    private func sendDue() {
        guard let playedAt else { return }
        while !isOver, next < packets.count, playedAt + packets[next].time <= clock.nanoseconds {
            let packet = packets[next]
            switch script.fault {
            case .reset(let frame)? where packet.frame == frame: return reset()
            case .silence(let frame)? where (packet.frame ?? 0) >= frame:
                next = packets.count
                return
            case .redirect(let frame, let url)? where packet.frame == frame:
                let last = packets[next...].prefix { $0.frame == frame }.flatMap { interleaved($0) }
                write(last + Array("REDIRECT * RTSP/1.0\r\nCSeq: 1\r\nLocation: \(url)\r\n\r\n".utf8))
                next = packets.count
                return
            case .loss(let numbers)? where numbers.contains(next): break
            default: send(packet)
            }
            next += 1
        }
    }

    /// Closes the connection with RST (socket(7), SO_LINGER).
    private func reset() {
        var lingering = linger(l_onoff: 1, l_linger: 0)
        setsockopt(file, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
        isOver = true
    }

    private func send(_ packet: CameraPackets.Packet) {
        if ports.indices.contains(packet.stream) {
            var address = CameraSockets.loopback(port: ports[packet.stream] + (packet.isControl ? 1 : 0))
            _ = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(sender, packet.bytes, packet.bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        } else if channels.indices.contains(packet.stream) {
            write(interleaved(packet))
        }
    }

    private func interleaved(_ packet: CameraPackets.Packet) -> [UInt8] {
        let channel = channels[packet.stream] + (packet.isControl ? 1 : 0)
        let count = packet.bytes.count
        return [0x24, channel, UInt8(count >> 8), UInt8(count & 0xFF)] + packet.bytes
    }

    private func write(_ bytes: [UInt8]) {
        if let secure {
            if !secure.write(bytes) { isOver = true }
            return
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else {
                isOver = true
                return
            }
            rest = rest.dropFirst(count)
        }
    }

    private func answer(_ request: RTSPRequest) {
        note(request.method)
        if script.fault == .deaf { return }
        if request.method == script.loginFrom { needsLogin = true }
        guard isPermitted(request) else {
            return respond(request, 401, [("WWW-Authenticate", "Digest realm=\"camera\", nonce=\"n0\"")])
        }
        switch request.method {
        case "OPTIONS": respond(request, 200, [("Public", "OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN, GET_PARAMETER")])
        case "DESCRIBE": describe(request)
        case "SETUP": setUp(request)
        case "PLAY":
            respond(request, 200, [("Session", "77")])
            playedAt = clock.nanoseconds
        case "TEARDOWN":
            respond(request, 200, [])
            isOver = true
        default: respond(request, 200, [("Session", "77")])
        }
    }

    private func describe(_ request: RTSPRequest) {
        switch script.fault {
        case .halfHeader?: end(with: Array("RTSP/1.0 200 OK\r\nCSeq: 2\r\nContent-Ty".utf8))
        case .describe(let answer)?: end(with: answer)
        case .redirects?: respond(request, 302, [("Location", request.target)])
        case .halfDescription?:
            let half = description.prefix { $0 != ";" }
            respond(request, 200, [("Content-Type", "application/sdp")], body: String(half))
        default: respond(request, 200, [("Content-Type", "application/sdp")], body: description)
        }
    }

    private func end(with bytes: [UInt8]) {
        write(bytes)
        isOver = true
    }

    private func setUp(_ request: RTSPRequest) {
        let transport = request.headers["Transport"] ?? ""
        if let range = transport.range(of: "client_port="),
            let port = UInt16(transport[range.upperBound...].prefix { $0.isNumber })
        {
            do {
                if sender < 0 { sender = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0) }
                if ports.isEmpty { own = try CameraSockets.bind(sender) }
                ports.append(port)
                respond(request, 200, [("Session", "77;timeout=60"), ("Transport", "\(transport);server_port=\(own)")])
            } catch {
                respond(request, 500, [])
            }
            return
        }
        let channel = UInt8(clamping: channels.count * 2)
        channels.append(channel)
        respond(
            request, 200,
            [("Session", "77;timeout=60"), ("Transport", "RTP/AVP/TCP;unicast;interleaved=\(channel)-\(channel + 1)")])
    }

    /// Checks an answer without `qop` (RFC 2617, 3.2.2.1).
    private func isPermitted(_ request: RTSPRequest) -> Bool {
        guard needsLogin, let user = script.user else { return true }
        let secret = Self.hash("\(user.name):camera:\(user.password)")
        let expected = Self.hash("\(secret):n0:\(Self.hash("\(request.method):\(request.target)"))")
        let answer = request.headers["Authorization"] ?? ""
        return answer.contains("username=\"\(user.name)\"") && answer.contains("response=\"\(expected)\"")
    }

    private static func hash(_ text: String) -> String {
        var hash = IncrementalHash(.md5)
        hash.update(data: Array(text.utf8))
        return hash.finalize().hexadecimal
    }

    private func respond(_ request: RTSPRequest, _ status: Int, _ fields: [(String, String)], body: String = "") {
        var headers = RTSPHeaders()
        headers.add("CSeq", request.headers["CSeq"] ?? "0")
        for (name, value) in fields { headers.add(name, value) }
        let reason = [200: "OK", 302: "Found", 401: "Unauthorized"][status] ?? "Error"
        write(RTSPResponse(status, reason, headers: headers, body: Array(body.utf8)).bytes)
    }

    private var description: String {
        let sets = script.sets.map { Data($0).base64EncodedString() }
        let (name, parameters) =
            script.codec == .hevc
            ? ("H265", zip(["vps", "sps", "pps"], sets).map { "sprop-\($0)=\($1)" }.joined(separator: ";"))
            : ("H264", "packetization-mode=1;sprop-parameter-sets=\(sets.joined(separator: ","))")
        var lines = [
            "v=0", "s=Fake", "a=control:*", "m=video 0 RTP/AVP 96", "a=rtpmap:96 \(name)/90000",
            "a=fmtp:96 \(parameters)", "a=control:track1",
        ]
        switch script.audio {
        case nil: break
        case .law?: lines += ["m=audio 0 RTP/AVP 0", "a=control:track2"]
        case .aac?:
            lines += [
                "m=audio 0 RTP/AVP 97", "a=rtpmap:97 mpeg4-generic/48000/2",
                "a=fmtp:97 mode=AAC-hbr;config=1190;sizelength=13;indexlength=3;indexdeltalength=3", "a=control:track2",
            ]
        }
        return lines.joined(separator: "\r\n") + "\r\n"
    }
}
