import Foundation
import HTTPTypes
import Hummingbird
import MediaTypes
import NIOCore
import RecorderControl
import RecorderStorage

/// One complete request to the page's server.
struct WebRequest: CompleteRequest {
    let method: HTTPRequest.Method
    /// The variable segments of the path, by their names in the route.
    let names: [String: String]
    let headers: HTTPFields
    let content: RequestContent
    /// The secret from the cookie.
    let secret: String?
    /// The user; nil if no user is logged in.
    var visitor: Visitor?
    /// Returns true while the user may still make this request. The session can end before a long body does.
    var isPermitted: @Sendable () -> Bool = { false }
    /// The client's address; nil on a Unix socket.
    let address: String?
    /// True if the client sent the request over TLS, to this server or to the proxy.
    let isSecure: Bool
    /// The event loop of the client's connection.
    private let loop: any EventLoop

    /// A user who is logged in.
    struct Visitor: Sendable, Equatable {
        /// The account's name; nil for the one-time address.
        let user: String?
        let role: UserAccount.Role
    }

    init(
        _ request: Request, names: [String: String], from address: String?, on loop: any EventLoop, isSecure: Bool,
        trustsProxy: Bool, limit: Int
    ) async throws(ControlError) {
        self.names = names
        self.address = address
        self.loop = loop
        method = request.method
        headers = request.headers
        self.isSecure = isSecure || trustsProxy && request.headers[.forwardedProto]?.lowercased() == "https"
        secret = Self.cookie(request.headers[values: .cookie])
        content = try await RequestContent(request, limit: limit)
    }

    /// Returns the session cookie (RFC 6265, 4.2).
    private static func cookie(_ values: [String]) -> String? {
        for value in values {
            for pair in value.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == SessionCookie.name else {
                    continue
                }
                return parts[1].trimmingCharacters(in: .whitespaces)
            }
        }
        return nil
    }

    // MARK: Long bodies

    /// The maximum number of bytes that are written at once.
    static let piece = 32 << 10

    /// Writes bytes of a body that is sent for a long time, at the client's pace.
    ///
    /// The bytes are written in pieces. Over HTTP/2, a client counts as reading only if another write begins within the
    /// stall time (`RequestGuard`), and a slow client needs longer than that for some megabytes. Each piece waits until
    /// the event loop has processed the previous one: only then is it known whether the connection accepts more.
    ///
    /// - Throws: `CancellationError` if the user may no longer make the request. The error closes the connection, so that
    ///   the client does not take the beginning of a file for the complete file.
    func write(_ bytes: ByteBuffer, to writer: inout any ResponseBodyWriter) async throws {
        var rest = bytes
        while let piece = rest.readSlice(length: min(rest.readableBytes, Self.piece)), piece.readableBytes > 0 {
            guard isPermitted() else { throw CancellationError() }
            try await writer.write(piece)
            if rest.readableBytes > 0 { try await loop.submit {}.get() }
        }
    }

    // MARK: Fields

    /// Returns a number from the query; nil if it is missing. Throws an error if the number is not in the range.
    func number(_ name: String, in range: ClosedRange<Double>) throws(ControlError) -> Double? {
        guard let text = query[name] else { return nil }
        guard let number = Double(text), number.isFinite, range.contains(number) else {
            throw .badRequest(
                "cannot use the query: “\(name)” must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(ControlError) -> Int? {
        guard let text = query[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .badRequest(
                "cannot use the query: “\(name)” must be a whole number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number
    }

    /// Returns a time from the query, in seconds since 1970.
    func time(_ name: String) throws(ControlError) -> Double? { try number(name, in: Self.times) }

    /// Returns the recorder that the query names; nil if it names none.
    func recorder() throws(ControlError) -> String? {
        guard let name = query["recorder"] else { return nil }
        guard (try? RecordingName(parsing: name)) != nil else {
            throw .badRequest("cannot use the query: “recorder” is not a valid recorder name")
        }
        return name
    }

    func flag(_ name: String) throws(ControlError) -> Bool {
        guard let text = query[name] else { return false }
        guard text == "yes" else { throw .badRequest("cannot use the query: “\(name)” must be “yes” or absent") }
        return true
    }

    /// The accepted times, in seconds since 1970: to the end of the year 9999.
    static let times = 0.0...253_402_300_799
}

/// The cookie that identifies the session.
enum SessionCookie {
    static let name = "recorder"

    static func set(_ secret: String, isSecure: Bool) -> String {
        "\(name)=\(secret); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(Int(Sessions.lifetime))"
            + (isSecure ? "; Secure" : "")
    }

    static let clear = "\(name)=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"
}

extension HTTPField.Name {
    fileprivate static let forwardedProto = HTTPField.Name("X-Forwarded-Proto")!
}
