import HTTPTypes
import Hummingbird
import NIOCore
import RecorderControl

/// The page that a browser shows if the user opens an address and the request fails. Programs get JSON instead.
enum ErrorPage {
    static let type = "text/html; charset=utf-8"

    /// Returns true for a browser's request for a page. Requests of scripts and programs do not accept HTML.
    static func isWanted(_ head: HTTPRequest) -> Bool {
        head.method == .get && head.headerFields[.accept]?.contains("text/html") == true
    }

    static func answer(_ error: ControlError) -> Response {
        Response(
            status: error.status, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text(error))))
    }

    static func text(_ error: ControlError) -> String {
        let said = error.body.error
        let way = said.wayOut.isEmpty ? "" : "<p>\(escaped(said.wayOut)).</p>"
        return """
            <!doctype html>
            <html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>recorder</title><h1>\(escaped(said.message))</h1>\(way)<p><a href="/">Open the page</a></p></html>

            """
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
