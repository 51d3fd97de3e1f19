import CommandInterface
package import Hummingbird
package import MediaTypes
import NIOCore

/// The answers of the JSON interfaces.
package enum ControlAnswer {
    package static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) -> Response {
        answer(ByteBuffer(string: JSONText.line(value) + "\n"), type: "application/json", status: status)
    }

    package static func error(_ error: ControlError) -> Response {
        var response = json(error.body, status: error.status)
        if let allow = error.allow { response.headers[.allow] = allow }
        if let seconds = error.retryAfter ?? (error.status == .serviceUnavailable ? 1 : nil) {
            response.headers[.retryAfter] = String(seconds)
        }
        return response
    }

    package static func text(_ text: String, type: String) -> Response { answer(ByteBuffer(string: text), type: type) }

    package static func data(_ data: MediaData, type: String) -> Response {
        answer(ByteBuffer(bytes: data.bytes), type: type)
    }

    private static func answer(_ body: ByteBuffer, type: String, status: HTTPResponse.Status = .ok) -> Response {
        // The state in an answer may change at any time, so no proxy may cache the answer.
        Response(
            status: status, headers: [.contentType: type, .cacheControl: "no-store"], body: .init(byteBuffer: body))
    }
}
