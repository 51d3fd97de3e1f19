import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Each request reaches the recording as one command, and all errors have one form.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ControlAPITests {
    @Test func client_eachCommand_reachesTheRecording() async throws {
        try await ControlFixture.run(FakeControl(RecordingStatus(name: "front", state: .armed))) { fixture in
            let client = fixture.client
            // Typed throws and #expect do not work together in Swift 6.3, so the answers come first.
            let states = [
                try await client.record(), try await client.pause(), try await client.resume(),
            ]
            #expect(states.map(\.state) == [.recording, .paused, .recording])
            let files = [
                try await client.split(),
                try await client.save(last: MediaTime(value: 30, timescale: 1), to: "/a b.mov"),
                try await client.save(last: nil, to: nil),
            ]
            #expect(files.map(\.file) == ["/videos/front.mov", "/a b.mov", "/videos/saved.mov"])
            let marked = try await client.mark("Zwei – 二")
            #expect(marked.name == "front")
            let frame = try await client.snapshot(.png)
            #expect(frame.count == 8)
            let changes = try await client.reload()
            #expect(changes == ["crf is 20"])
            let ends = [try await client.stop(), try await client.stop(disarms: true)]
            #expect(ends.map(\.state) == [.stopping, .stopping])
            #expect(
                fixture.control.told == [
                    "record", "pause", "resume", "split", "save 30.0 to /a b.mov", "save all to its place",
                    "mark Zwei – 二", "snapshot png", "reload", "stop", "stop and disarm",
                ])
        }
    }

    @Test func error_ofTheRecording_reachesTheClientUnchanged() async throws {
        try await ControlFixture.run { fixture in
            let error = MediaError(
                .invalidState, "cannot pause front", reason: "it is armed: nothing is recorded",
                wayOut: "`recorder start front` starts it")
            fixture.control.state.withLock { $0.error = error }
            let answer = try fixture.send("POST", "/v1/pause")
            #expect(answer.status == 409)
            #expect(answer.headers["content-type"] == "application/json")
            #expect(
                answer.body
                    == #"{"error":{"code":"invalidState","message":"cannot pause front: it is armed: nothing is "#
                    + #"recorded","wayOut":"`recorder start front` starts it"}}"# + "\n")
            do throws(MediaError) {
                _ = try await fixture.client.pause()
                Issue.record("it paused")
            } catch let told { #expect(told == error) }
        }
    }

    @Test func error_eachCode_hasAnHTTPStatus() {
        let statuses = MediaError.Code.allCases.map { code in
            ControlError(MediaError(code, "cannot", reason: "why")).status.code
        }
        #expect(statuses.allSatisfy { (400...599).contains($0) })
        #expect(ControlError(MediaError(.invalidState, "a", reason: "b")).status.code == 409)
        #expect(ControlError(MediaError(.diskFull, "a", reason: "b")).status.code == 507)
        #expect(ControlError(MediaError(.deviceLost, "a", reason: "b")).status.code == 503)
        let full = MediaError(errno: ENOSPC, "cannot save")
        #expect(ControlError(full).body.error.message.hasSuffix("(ENOSPC)"))
    }

    @Test(
        arguments: [
            ("/v1/pause", #"{"now":true}"#, "now"), ("/v1/stop", #"{"disram":true}"#, "disram"),
            ("/v1/stop", #"{"disarm":1}"#, "disarm"), ("/v1/save", #"{"last":"30"}"#, "last"),
            ("/v1/save", #"{"last":0}"#, "last"), ("/v1/save", #"{"last":5e-324}"#, "last"),
            ("/v1/save", #"{"last":-3}"#, "last"),
            ("/v1/save", #"{"last":1e300}"#, "last"), ("/v1/save", #"{"last":1e999}"#, "JSON"),
            ("/v1/save", #"{"file":"relative.mov"}"#, "file"), ("/v1/save", #"{"file":"/a\u0000b"}"#, "file"),
            ("/v1/mark", "", "title"), ("/v1/mark", "{}", "title"), ("/v1/mark", #"{"title":""}"#, "title"),
            ("/v1/mark", #"{"title":"two\nlines"}"#, "title"), ("/v1/mark", #"{"title":null}"#, "title"),
            ("/v1/mark", #"["title"]"#, "object"), ("/v1/mark", #""title""#, "object"),
            ("/v1/mark", #"{"title":"a""#, "JSON"), ("/v1/mark", "title=a", "JSON"),
            ("/v1/record?now=1", "", "now"), ("/v1/pause", #"{"at":-1}"#, "at"), ("/v1/stop", #"{"at":-0.5}"#, "at"),
        ] as [(String, String, String)])
    func request_invalidField_isRefusedByName(path: String, body: String, name: String) async throws {
        try await ControlFixture.run { fixture in
            let answer = try fixture.send("POST", path, body)
            #expect(answer.status == 400)
            #expect(answer.error?.code == "badRequest")
            #expect(answer.error?.message.contains(name) == true, "\(answer.body)")
            #expect(fixture.control.told.isEmpty)
        }
    }

    @Test func titleAndPath_longestAllowed_areAccepted() throws {
        func title(_ count: Int) throws -> String {
            try MarkFields(title: String(repeating: "🎬", count: count), at: nil).text()
        }
        func path(_ count: Int) throws -> String? {
            try SaveFields(last: nil, file: "/" + String(repeating: "🎬", count: count - 1)).path()
        }
        #expect(try title(256).utf8.count == 1024)
        #expect(throws: ControlError.self) { try title(257) }
        #expect(try path(1023).map { $0.utf8.count < 4096 } == true)
        #expect(throws: ControlError.self) { try path(1024) }
    }

    @Test func body_deepOrBroken_isRefused() async throws {
        try await ControlFixture.run { fixture in
            for body in [
                String(repeating: "[", count: 60_000), String(repeating: #"{"title":"#, count: 6000),
                "{\"title\":\"\u{FFFD}\\uD800\"}", "\u{0}\u{1}\u{2}",
            ] {
                let refused = try fixture.send("POST", "/v1/mark", body)
                #expect(refused.status == 400)
            }
            #expect(fixture.control.told.isEmpty)
            let next = try fixture.send("GET", "/v1/status")
            #expect(next.status == 200)
        }
    }

    @Test func request_unknownPathOrWrongMethod_getsItsOwnStatus() async throws {
        try await ControlFixture.run { fixture in
            for path in ["/", "/v1", "/v1/status/", "/v1/../v1/status", "/v1/st%61tus", "/v2/status"] {
                let answer = try fixture.send("GET", path)
                #expect(answer.status == 404, "\(path)")
                #expect(answer.error?.code == "noSuchPath")
            }
            let read = try fixture.send("DELETE", "/v1/status")
            #expect(read.status == 405)
            #expect(read.headers["allow"] == "GET, HEAD")
            let changed = try fixture.send("GET", "/v1/stop")
            #expect(changed.status == 405)
            #expect(changed.headers["allow"] == "POST")
            #expect(changed.error?.code == "methodNotAllowed")
            #expect(fixture.control.told.isEmpty)
        }
    }

    @Test func head_anyPath_answersLikeGetWithoutContent() async throws {
        try await ControlFixture.run { fixture in
            let whole = try fixture.send("GET", "/v1/status")
            let head = try fixture.send("HEAD", "/v1/status")
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            #expect(head.headers["content-length"] == whole.headers["content-length"])
            #expect(try fixture.send("HEAD", "/v1/levels").status == 200)
        }
    }

    @Test func snapshot_largeImage_arrivesUnchanged() async throws {
        let frame = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let control = FakeControl()
        control.state.withLock { $0.frame = frame }
        try await ControlFixture.run(control) { fixture in
            let came = try await fixture.client.snapshot(.jpeg)
            #expect(came.bytes.elementsEqual(frame))
            control.state.withLock { $0.frame = [1] }
            #expect(try fixture.send("GET", "/v1/snapshot").headers["content-type"] == "image/jpeg")
            #expect(try fixture.send("GET", "/v1/snapshot?format=png").headers["content-type"] == "image/png")
            for (query, name) in [
                ("format=gif", "format"), ("fromat=png", "fromat"), ("format=png&format=png", "twice"),
            ] {
                let refused = try fixture.send("GET", "/v1/snapshot?\(query)")
                #expect(refused.status == 400)
                #expect(refused.error?.message.contains(name) == true, "\(refused.body)")
            }
        }
    }

    @Test func levels_untilTheRecordingEnds_arriveAsLines() async throws {
        var limits = ControlLimits()
        limits.levelInterval = .milliseconds(1)
        try await ControlFixture.run(limits: limits) { fixture in
            let connection = try fixture.connect()
            try connection.send("GET /v1/levels HTTP/1.1\r\nHost: recorder\r\nConnection: close\r\n\r\n")
            var text = String(decoding: try connection.read(), as: UTF8.self)
            while text.components(separatedBy: "levelPeak").count < 4 {
                text += String(decoding: try connection.read(), as: UTF8.self)
            }
            fixture.control.state.withLock { $0.status.state = .stopping }
            let answer = try RawAnswer(text + connection.readToEnd())
            #expect(answer.headers["content-type"] == "application/x-ndjson")
            let levels = try answer.body.split(separator: "\n").map {
                try JSONDecoder().decode(RecordingLevels.self, from: Data($0.utf8))
            }
            #expect(levels.count > 3)
            #expect(levels.first == RecordingLevels(.live))
            #expect(levels.last?.state == .stopping)
        }
    }
}
