import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The service matches docs/reference/openapi.yaml, judged by Python's openapi-spec-validator and its JSON schema
/// validator.
@Suite(.timeLimit(.minutes(10))) struct ControlDocumentTests {
    /// One request and its answer.
    private struct Exchange: Encodable {
        let method: String
        let path: String
        let status: Int
        let type: String
        let body: String
    }

    @Test func api_eachOperation_matchesTheOpenAPIDocument() async throws {
        var exchanges: [Exchange] = []
        func ask(_ fixture: ControlFixture, _ method: String, _ path: String, _ body: String = "") throws {
            let answer = try fixture.send(method, path, body)
            exchanges.append(
                Exchange(
                    method: method, path: path, status: answer.status, type: answer.headers["content-type"] ?? "",
                    body: answer.body))
        }
        // Two states: every value is known, and hardly any is.
        for status in [RecordingStatus.live, RecordingStatus(name: "front", state: .armed)] {
            try await ControlFixture.run(FakeControl(status)) { fixture in
                try ask(fixture, "GET", "/v1/status")
                try ask(fixture, "GET", "/metrics")
                for path in ["record", "pause", "resume", "split", "reload"] {
                    try ask(fixture, "POST", "/v1/\(path)")
                    try ask(fixture, "POST", "/v1/\(path)", "{}")
                }
                try ask(fixture, "POST", "/v1/save", #"{"last":30.5,"file":"/videos/goal.mov"}"#)
                try ask(fixture, "POST", "/v1/save")
                try ask(fixture, "POST", "/v1/mark", #"{"title":"Second half"}"#)
                try ask(fixture, "GET", "/v1/snapshot")
                try ask(fixture, "GET", "/v1/snapshot?format=png")
                try ask(fixture, "POST", "/v1/stop", #"{"disarm":true}"#)
                try ask(fixture, "GET", "/v1/levels")
            }
        }
        let watched = FakeControl()
        watched.state.withLock { $0.formats = [LivePackets.video] }
        try await ControlFixture.run(watched, for: .live) { fixture in
            try ask(fixture, "GET", "/v1/status")
            try ask(fixture, "GET", "/v1/live?sound=perhaps")
            let connection = try fixture.connect()
            try connection.send("GET /v1/live HTTP/1.1\r\nHost: recorder\r\nConnection: close\r\n\r\n")
            try await waitUntil { watched.feed.watcherCount == 1 }
            watched.feed.accept(LivePackets.frame(0))
            var answer = ""
            while !answer.contains("mdat") { answer += String(decoding: try connection.read(), as: UTF8.self) }
            let live = try RawAnswer(answer)
            exchanges.append(
                Exchange(
                    method: "GET", path: "/v1/live", status: live.status, type: live.headers["content-type"] ?? "",
                    body: ""))
        }
        try await ControlFixture.run { fixture in
            // Refused requests, and paths that the document does not describe.
            try ask(fixture, "POST", "/v1/mark", "{}")
            try ask(fixture, "POST", "/v1/save", #"{"last":-1}"#)
            try ask(fixture, "GET", "/v1/snapshot?format=gif")
            try ask(fixture, "GET", "/v1/nothing")
            try ask(fixture, "PUT", "/v1/status")
            for code in MediaError.Code.allCases {
                fixture.control.state.withLock { $0.error = MediaError(code, "cannot", reason: "why", wayOut: "so") }
                try ask(fixture, "POST", "/v1/pause")
                try ask(fixture, "GET", "/v1/snapshot")
            }
        }
        let judgement = try judge(exchanges)
        #expect(judgement.status == 0, "\(judgement.text)\(judgement.errors)")
    }

    /// The judge finds an answer that does not fit the document.
    @Test func validator_answerThatDoesNotMatch_isReported() throws {
        let wrong = Exchange(
            method: "POST", path: "/v1/split", status: 200, type: "application/json", body: #"{"file":"/a","bytes":-1}"#
        )
        let judgement = try judge([wrong])
        #expect(judgement.status == 1)
        #expect(judgement.text.contains("POST /v1/split → 200: bytes: -1 is less than the minimum of 0"))
        #expect(judgement.text.contains("get /metrics: no exchange that succeeded"))
    }

    private func judge(_ exchanges: [Exchange]) throws -> Command {
        let directory = try TemporaryDirectory()
        try JSONEncoder().encode(exchanges).write(to: directory.file("exchanges.json"))
        let document = Project.path("docs/reference/openapi.yaml")
        return try PythonJudge.run("openapi.py", document, directory.path("exchanges.json"))
    }
}
