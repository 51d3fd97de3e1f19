package import HTTPTypes
package import MediaTypes

/// The reason why a request failed: an HTTP status, and the answer's body.
package struct ControlError: Error, Sendable {
    package let status: HTTPResponse.Status
    package let body: ControlErrorBody
    /// The methods that the path supports, if the request used another method.
    package var allow: String?
    /// Seconds after which the client may try again.
    package var retryAfter: Int?

    package init(_ status: HTTPResponse.Status, _ code: String, _ message: String, wayOut: String = "") {
        self.status = status
        body = ControlErrorBody(code: code, message: message, wayOut: wayOut)
    }

    package init(_ status: HTTPResponse.Status, _ body: ControlErrorBody) { (self.status, self.body) = (status, body) }

    /// Returns the words for the document that describes all requests of an interface.
    package static func description(_ document: String) -> String {
        "docs/reference/\(document).yaml describes every request"
    }

    /// Returns the error for an invalid request.
    package static func badRequest(_ message: String, wayOut: String = description("openapi")) -> Self {
        ControlError(.badRequest, "badRequest", message, wayOut: wayOut)
    }

    package static func forbidden(_ action: String, _ reason: String, wayOut: String = "") -> Self {
        ControlError(.forbidden, "notPermitted", "\(action): \(reason)", wayOut: wayOut)
    }

    package static func tooLarge(_ what: String, limit: Int) -> Self {
        ControlError(
            .contentTooLarge, "tooLarge", "cannot read the request: its \(what) is longer than \(limit) bytes")
    }

    package static func tooMany(_ what: String, limit: Int) -> Self {
        ControlError(
            .serviceUnavailable, "tooMany", "cannot serve more than \(limit) \(what) at the same time",
            wayOut: "try again when another client has disconnected")
    }

    /// Converts a failure to an HTTP status. Only this initializer does so.
    package init(_ error: MediaError) {
        let status: HTTPResponse.Status =
            switch error.code {
            case .invalidState, .busy, .outputExists: .conflict
            case .invalidSettings: .badRequest
            case .notFound, .cannotCreate, .unsupported, .deviceUnsuitable, .corruptData: .unprocessableContent
            case .notPermitted: .forbidden
            case .deviceLost, .cancelled: .serviceUnavailable
            case .diskFull: .init(code: 507, reasonPhrase: "Insufficient Storage")
            case .ioFailure, .codecFailure, .invalidSample: .internalServerError
            }
        let plain = MediaError(error.code, error.action, reason: error.reason, underlying: error.underlying)
        self.init(status, error.code.rawValue, plain.description, wayOut: error.wayOut)
    }
}

/// The body of every answer that reports an error: `{"error":{"code":…,"message":…,"wayOut":…}}`.
package struct ControlErrorBody: Codable, Sendable, Equatable {
    package struct Details: Codable, Sendable, Equatable {
        /// `MediaError.Code`, or one of `badRequest`, `noSuchPath`, `methodNotAllowed`, `timeout`, `tooLarge`,
        /// `tooMany`.
        package let code: String
        /// The action that failed, and the reason, in one line.
        package let message: String
        /// How to fix the error; empty if unknown.
        package let wayOut: String
    }

    package let error: Details

    init(code: String, message: String, wayOut: String) {
        error = Details(code: code, message: message, wayOut: wayOut)
    }

    /// The original error, before its conversion to HTTP.
    package var mediaError: MediaError {
        let code = MediaError.Code(rawValue: error.code) ?? (error.code == "badRequest" ? .invalidSettings : .ioFailure)
        let parts = error.message.split(separator: ": ", maxSplits: 1)
        return MediaError(
            code, String(parts.first ?? ""), reason: parts.count == 2 ? String(parts[1]) : "it gave no reason",
            wayOut: error.wayOut)
    }
}
