import Foundation
import Glibc
import Logging
import MediaTypes
import RealTime
import TestSupport

@testable import RecorderService

/// A real server on a real socket, in front of a recording that a test owns.
struct ControlFixture {
    let control: FakeControl
    let directory: RuntimeDirectory
    let server: ControlServer
    let name: RecordingName
    let purpose: ControlServer.Purpose

    static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Runs the body and closes the server.
    static func run(
        _ control: FakeControl = FakeControl(), for purpose: ControlServer.Purpose = .control,
        limits: ControlLimits = ControlLimits(),
        admission: ControlAdmission? = nil, _ body: (ControlFixture) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { base in
            let directory = RuntimeDirectory(path: base + "/r")
            let name = try RecordingName(parsing: "front")
            try directory.prepare()
            let server = try await ControlServer(
                control, name, in: directory, for: purpose, limits: limits, admission: admission, log: log)
            let fixture = ControlFixture(
                control: control, directory: directory, server: server, name: name, purpose: purpose)
            do { try await body(fixture) } catch {
                await server.close()
                throw error
            }
            await server.close()
        }
    }

    var client: ControlClient { ControlClient(name, in: directory) }

    func connect() throws -> RawConnection {
        try RawConnection(purpose == .control ? directory.socket(name) : directory.liveSocket(name))
    }

    /// One request on a connection of its own.
    func send(_ method: String, _ path: String, _ body: String = "") throws -> RawAnswer {
        let connection = try connect()
        try connection.send(
            "\(method) \(path) HTTP/1.1\r\nHost: recorder\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        return try RawAnswer(connection.readToEnd())
    }
}

/// A connection without any notion of HTTP, so that it can do what no client would.
final class RawConnection: Sendable {
    struct Failure: Error { let what: String }

    private let descriptor: Int32

    init(_ path: String) throws {
        guard let address = SocketAddress(path) else { throw Failure(what: "path") }
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard address.withPointer({ Glibc.connect(descriptor, $0, $1) }) == 0 else {
            Glibc.close(descriptor)
            throw Failure(what: "connect: \(errno)")
        }
        // Nothing here waits for ever: a server that does not answer fails the test.
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { Glibc.close(descriptor) }

    func send(_ text: String) throws {
        guard try trySend(text) else { throw Failure(what: "send: the other side has closed") }
    }

    /// false when the other side has closed.
    func trySend(_ text: String) throws -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EPIPE || errno == ECONNRESET { return false }
            guard count > 0 else { throw Failure(what: "send: \(errno)") }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Whether the other side is gone, whatever of it is still to be read.
    var isClosedByPeer: Bool {
        var wanted = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&wanted, 1, 0) == 1 && wanted.revents & Int16(POLLHUP) != 0
    }

    /// What is there, at least a byte; empty at the end.
    func read() throws -> [UInt8] {
        var part = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &part, part.count, 0)
        if count < 0, errno == ECONNRESET { return [] }
        guard count >= 0 else { throw Failure(what: "read: \(errno)") }
        return Array(part.prefix(count))
    }

    func readToEnd() throws -> String {
        var all: [UInt8] = []
        while true {
            let part = try read()
            if part.isEmpty { return String(decoding: all, as: UTF8.self) }
            all += part
        }
    }
}

/// An answer as it came over the wire.
struct RawAnswer {
    let status: Int
    /// Names in lower case.
    let headers: [String: String]
    let body: String

    struct Malformed: Error { let text: String }

    init(_ text: String) throws {
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = parts[0].split(separator: "\r\n")
        guard parts.count == 2, let first = lines.first,
            let status = Int(first.split(separator: " ").dropFirst().first ?? "")
        else { throw Malformed(text: text) }
        self.status = status
        headers = Dictionary(
            lines.dropFirst().map { line in
                let pair = line.split(separator: ":", maxSplits: 1)
                return (pair[0].lowercased(), pair.count == 2 ? pair[1].trimmingCharacters(in: .whitespaces) : "")
            }, uniquingKeysWith: { first, _ in first })
        body = headers["transfer-encoding"] == "chunked" ? Self.joined(parts[1]) : String(parts[1])
    }

    var error: ControlErrorBody.Facts? {
        try? JSONDecoder().decode(ControlErrorBody.self, from: Data(body.utf8)).error
    }

    /// Chunks (RFC 9112, 7.1), of text without line ends of their own but at their ends.
    private static func joined(_ text: Substring) -> String {
        var lines = text.components(separatedBy: "\r\n")[...]
        var body = ""
        while let size = lines.popFirst().flatMap({ Int($0, radix: 16) }), size > 0 {
            body += lines.popFirst() ?? ""
        }
        return body
    }
}
