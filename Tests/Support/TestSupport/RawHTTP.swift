import Foundation
import Glibc

/// A raw connection that knows no HTTP, so that it can do what no client would.
public final class RawConnection: Sendable {
    public struct Failure: Error { public let what: String }

    private let descriptor: Int32

    /// - Parameter path: path of a Unix socket.
    public init(_ path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { throw Failure(what: "path") }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let code = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else {
            Glibc.close(descriptor)
            throw Failure(what: "connect: \(errno)")
        }
        // All operations time out: a server that does not answer fails the test.
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { Glibc.close(descriptor) }

    public func send(_ text: String) throws {
        guard try trySend(text) else { throw Failure(what: "send: the other side has closed") }
    }

    /// Sends a text. Returns false if the other side has closed.
    public func trySend(_ text: String) throws -> Bool {
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

    /// Returns true if the other side has closed, even if data can still be read.
    public var isClosedByPeer: Bool {
        var wanted = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&wanted, 1, 0) == 1 && wanted.revents & Int16(POLLHUP) != 0
    }

    /// Reads available data, at least a byte; empty at the end.
    public func read() throws -> [UInt8] {
        var part = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &part, part.count, 0)
        if count < 0, errno == ECONNRESET { return [] }
        guard count >= 0 else { throw Failure(what: "read: \(errno)") }
        return Array(part.prefix(count))
    }

    /// Reads until a text has come, for at most five minutes. An answer without end may send other data all the time,
    /// so that `read` never times out.
    ///
    /// - Returns: everything up to there.
    public func read(until words: String) throws -> String {
        let began = ContinuousClock.now
        var text = ""
        while !text.contains(words) {
            let part = try read()
            guard !part.isEmpty, ContinuousClock.now - began < .seconds(300) else {
                throw Failure(what: "read: no “\(words)” in “\(text.suffix(2000))”")
            }
            text += String(decoding: part, as: UTF8.self)
        }
        return text
    }

    public func readToEnd() throws -> String { String(decoding: try readBytes(), as: UTF8.self) }

    /// Reads all data until the other side closes.
    public func readBytes() throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let part = try read()
            if part.isEmpty { return all }
            all += part
        }
    }
}

/// An answer as it was received.
public struct RawAnswer {
    public let status: Int
    /// The headers, with names in lower case.
    public let headers: [String: String]
    public let body: String

    public struct Malformed: Error { public let text: String }

    public init(_ text: String) throws {
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

    /// Joins chunks (RFC 9112, 7.1) of text that has no CRLF except at the ends.
    private static func joined(_ text: Substring) -> String {
        var lines = text.components(separatedBy: "\r\n")[...]
        var body = ""
        while let size = lines.popFirst().flatMap({ Int($0, radix: 16) }), size > 0 {
            body += lines.popFirst() ?? ""
        }
        return body
    }
}
