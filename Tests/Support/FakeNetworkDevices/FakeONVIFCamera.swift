import Foundation
import Glibc
import RealTime

/// A camera with ONVIF in software, on the loopback interface. It answers each probe twice, and serves one request over
/// HTTP at a time, on a thread of its own, until `end`.
package final class FakeONVIFCamera: Sendable {
    package enum Manner: Sendable, Hashable {
        /// Gives its streams to everybody.
        case open
        /// Answers with HTTP 401.
        case locked
        /// Accepts connections, and answers nothing.
        case deaf
        /// Sends a body without an end.
        case endless
        /// Names a media service on another machine.
        case elsewhere
    }

    /// The port of UDP that gets probes.
    package let probePort: UInt16
    /// The port of its services.
    package let servicePort: UInt16
    private let stop = WakeUp()
    private let log = Locked<[String]>([])

    /// Begins to listen.
    package init(_ manner: Manner) throws {
        let probes = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        probePort = try CameraSockets.bind(probes)
        servicePort = try CameraSockets.bind(listener)
        guard listen(listener, 4) == 0 else { throw CameraSockets.Failure(code: errno) }
        let answers = ONVIFAnswers(manner: manner, port: servicePort)
        let (stop, log) = (stop, log)
        _ = try NamedThread("fake-onvif") {
            while true {
                var waits = [stop.fileDescriptor, probes, listener].map {
                    pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
                }
                _ = poll(&waits, 3, -1)
                if waits[0].revents != 0 { break }
                if waits[1].revents != 0 { Self.answerProbe(probes, answers) }
                if waits[2].revents != 0 {
                    let client = accept(listener, nil, nil)
                    guard client >= 0 else { continue }
                    Self.serve(client, answers, stop) { name in log.withLock { $0.append(name) } }
                    close(client)
                }
            }
            close(probes)
            close(listener)
        }
    }

    deinit { stop.fire() }

    package func end() { stop.fire() }

    /// The names of all requests so far.
    package var requests: [String] { log.withLock { $0 } }

    private static func answerProbe(_ file: Int32, _ answers: ONVIFAnswers) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let room = buffer.count
        var source = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &source) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let count = recvfrom(file, &buffer, room, 0, address, &size)
                guard count > 0 else { return }
                let probe = String(decoding: buffer.prefix(count), as: UTF8.self)
                guard let answer = answers.match(to: probe) else { return }
                for _ in 0..<2 { _ = sendto(file, answer, answer.count, 0, address, size) }
            }
        }
    }

    /// Reads one request, and answers it.
    private static func serve(
        _ client: Int32, _ answers: ONVIFAnswers, _ stop: WakeUp, note: (String) -> Void
    ) {
        var received: [UInt8] = []
        while !isComplete(received) {
            var buffer = [UInt8](repeating: 0, count: 8192)
            guard CameraSockets.isReadable(client, stop, until: nil) else { return }
            let room = buffer.count
            let count = recv(client, &buffer, room, 0)
            guard count > 0 else { return }
            received += buffer.prefix(count)
        }
        let request = String(decoding: received, as: UTF8.self)
        note(answers.name(of: request))
        switch answers.manner {
        case .deaf:
            // Until the other side closes the connection.
            _ = CameraSockets.isReadable(client, stop, until: nil)
        case .endless:
            let bytes = Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [UInt8](repeating: 0x20, count: 1 << 20)
            write(client, bytes)
        case .open, .locked, .elsewhere: write(client, answers.response(to: request))
        }
    }

    /// Checks for a request with its whole body.
    private static func isComplete(_ received: [UInt8]) -> Bool {
        let text = String(decoding: received, as: UTF8.self)
        guard let head = text.range(of: "\r\n\r\n"), let field = text.range(of: "Content-Length: "),
            let count = Int(text[field.upperBound...].prefix { $0.isNumber })
        else { return false }
        return text[head.upperBound...].utf8.count >= count
    }

    private static func write(_ client: Int32, _ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
