import Foundation
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// HTTP/1.0 clients do not know chunked transfer: their answer ends with the connection.
@Suite(.timeLimit(.minutes(10))) struct OldClientTests {
    /// Returns the complete answer to one request.
    private func ask(_ fixture: ControlFixture, _ request: String) throws -> RawAnswer {
        let connection = try fixture.connect()
        try connection.send(request)
        let text = try connection.readToEnd()
        #expect(text.hasPrefix("HTTP/1.0 "), "\(text.prefix(80))")
        let answer = try RawAnswer(text)
        #expect(answer.headers["transfer-encoding"] == nil && answer.headers["connection"] == "close")
        return answer
    }

    @Test func answer_toHTTP10_endsWithItsConnection() async throws {
        try await ControlFixture.run { fixture in
            for headers in ["", "Connection: keep-alive\r\n", "Expect: 100-continue\r\n"] {
                let answer = try ask(fixture, "GET /v1/status HTTP/1.0\r\nHost: recorder\r\n\(headers)\r\n")
                #expect(answer.status == 200 && answer.body.contains(#""name":"front""#))
            }
            #expect(try ask(fixture, "HEAD /v1/levels HTTP/1.0\r\nHost: recorder\r\n\r\n").body.isEmpty)
            #expect(try ask(fixture, "GET /v1/status HTTP/1.0\r\n\r\n").status == 403)
            #expect(
                try ask(fixture, "POST /v1/mark HTTP/1.0\r\nHost: recorder\r\nContent-Length: 999999\r\n\r\n").status
                    == 413)
        }
    }

    @Test func stream_toHTTP10_isNotChunked() async throws {
        var limits = ControlLimits()
        limits.levelInterval = .milliseconds(1)
        try await ControlFixture.run(limits: limits) { fixture in
            let connection = try fixture.connect()
            try connection.send("GET /v1/levels HTTP/1.0\r\nHost: recorder\r\n\r\n")
            var text = ""
            while text.components(separatedBy: "levelPeak").count < 4 {
                text += String(decoding: try connection.read(), as: UTF8.self)
            }
            fixture.control.state.withLock { $0.status.state = .stopping }
            let lines = try RawAnswer(text + connection.readToEnd()).body.split(separator: "\n")
            let levels = try lines.map { try JSONDecoder().decode(RecordingLevels.self, from: Data($0.utf8)) }
            #expect(levels.count > 3 && levels.last?.state == .stopping)
        }
    }

    /// Mixed versions on one connection are the client's fault. Each request is answered by its own version.
    @Test func requests_mixedVersions_areAnsweredByTheirOwn() async throws {
        try await ControlFixture.run { fixture in
            let connection = try fixture.connect()
            try connection.send(
                "GET /v1/status HTTP/1.1\r\nHost: recorder\r\n\r\nGET /v1/status HTTP/1.0\r\nHost: recorder\r\n\r\n")
            let text = try connection.readToEnd()
            #expect(text.hasPrefix("HTTP/1.1 200") && text.components(separatedBy: "HTTP/1.0 200").count == 2)
        }
    }
}
