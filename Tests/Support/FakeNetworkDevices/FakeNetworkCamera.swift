import Cryptography
import Foundation
import Glibc
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
    private let listener: Int32
    private let stop = WakeUp()
    private let log = Locked(Log())

    /// Begins to listen.
    package init(_ script: CameraScript) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        port = try CameraSockets.bind(listener)
        guard listen(listener, 4) == 0 else { throw CameraSockets.Failure(code: errno) }
        let (listener, stop, log) = (listener, stop, log)
        _ = try NamedThread("fake-camera") {
            while let client = CameraSockets.accept(listener, stop) {
                let number = log.withLock { log in
                    log.connections += 1
                    return log.connections
                }
                var script = script
                if script.isFaultOnce, number > 1 { script.fault = nil }
                CameraClient(client, script, stop) { request in log.withLock { $0.requests.append(request) } }.serve()
            }
            close(listener)
        }
    }

    deinit { stop.fire() }

    /// Closes the connection, and accepts no further one.
    package func end() { stop.fire() }

    package var url: String { "rtsp://127.0.0.1:\(port)/live" }
    /// The methods of all requests so far.
    package var requests: [String] { log.withLock { $0.requests } }
    package var connections: Int { log.withLock { $0.connections } }
}

/// Sockets of the loopback interface.
enum CameraSockets {
    struct Failure: Error { let code: Int32 }

    /// Binds a socket to a free port.
    static func bind(_ file: Int32) throws -> UInt16 {
        var address = loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(file, $0, size) == 0 ? getsockname(file, $0, &size) : -1
            }
        }
        guard result == 0 else { throw Failure(code: errno) }
        return UInt16(bigEndian: address.sin_port)
    }

    static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    /// Waits for a connection; nil once `stop` is fired.
    static func accept(_ listener: Int32, _ stop: WakeUp) -> Int32? {
        while true {
            guard isReadable(listener, stop, until: nil) else { return nil }
            let client = Glibc.accept(listener, nil, nil)
            if client >= 0 { return client }
        }
    }

    /// Waits until a descriptor is readable.
    ///
    /// - Parameter until: a time of the monotonic clock; nil to wait without limit.
    /// - Returns: false if the time has passed or `stop` is fired.
    static func isReadable(_ file: Int32, _ stop: WakeUp, until end: Int64?) -> Bool {
        let clock = MonotonicClock()
        while true {
            var waits = [
                pollfd(fd: stop.fileDescriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: file, events: Int16(POLLIN), revents: 0),
            ]
            let left = end.map { Int32(clamping: max(0, $0 - clock.nanoseconds) / 1_000_000) } ?? -1
            _ = poll(&waits, 2, left)
            if waits[0].revents != 0 { return false }
            if waits[1].revents != 0 { return true }
            if let end, clock.nanoseconds >= end { return false }
        }
    }
}

/// One connection of a fake camera. For one thread.
private final class CameraClient {
    private let file: Int32
    private let script: CameraScript
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
    private var isOver = false

    init(_ file: Int32, _ script: CameraScript, _ stop: WakeUp, note: @escaping (String) -> Void) {
        (self.file, self.script, self.stop, self.note) = (file, script, stop, note)
        var packets = CameraPackets(script)
        self.packets = packets.all()
    }

    deinit {
        close(file)
        if sender >= 0 { close(sender) }
    }

    func serve() {
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

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = recv(file, &buffer, buffer.count, 0)
        guard count > 0 else {
            isOver = true
            return
        }
        parser.append(buffer[..<count])
        while !isOver, let item = try? parser.next() {
            if case .message(.request(let request)) = item { answer(request) }
        }
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
            let channel = channels[packet.stream] + (packet.isControl ? 1 : 0)
            let count = packet.bytes.count
            let head: [UInt8] = [0x24, channel, UInt8(count >> 8), UInt8(count & 0xFF)]
            write(head + packet.bytes)
        }
    }

    private func write(_ bytes: [UInt8]) {
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
        guard isPermitted(request) else {
            return respond(request, 401, [("WWW-Authenticate", "Digest realm=\"camera\", nonce=\"n0\"")])
        }
        switch request.method {
        case "OPTIONS": respond(request, 200, [("Public", "OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN, GET_PARAMETER")])
        case "DESCRIBE":
            if script.fault == .halfHeader {
                write(Array("RTSP/1.0 200 OK\r\nCSeq: 2\r\nContent-Ty".utf8))
                isOver = true
            } else {
                respond(request, 200, [("Content-Type", "application/sdp")], body: description)
            }
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
        guard let user = script.user else { return true }
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
        write(
            RTSPResponse(status, status == 200 ? "OK" : "Unauthorized", headers: headers, body: Array(body.utf8)).bytes)
    }

    private var description: String {
        let sets = [script.sequenceSet, script.frameSet].map { Data($0).base64EncodedString() }
        var lines = [
            "v=0", "s=Fake", "a=control:*", "m=video 0 RTP/AVP 96", "a=rtpmap:96 H264/90000",
            "a=fmtp:96 packetization-mode=1;sprop-parameter-sets=\(sets.joined(separator: ","))", "a=control:track1",
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
