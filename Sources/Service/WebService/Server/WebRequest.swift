import Foundation
import HTTPTypes
import Hummingbird
import MediaTypes
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
    /// Returns true while the user may still make this request. A body that is sent for a long time checks this before
    /// each piece, because the session can end before the body does.
    var isPermitted: @Sendable () -> Bool = { false }
    /// The client's address; nil on a Unix socket.
    let address: String?
    /// True if the client sent the request over TLS, to this server or to the proxy.
    let isSecure: Bool

    /// A user who is logged in.
    struct Visitor: Sendable, Equatable {
        /// The account's name; nil for the one-time address.
        let user: String?
        let role: UserAccount.Role
    }

    init(
        _ request: Request, names: [String: String], from address: String?, isSecure: Bool, trustsProxy: Bool,
        limit: Int
    ) async throws(ControlError) {
        self.names = names
        self.address = address
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
