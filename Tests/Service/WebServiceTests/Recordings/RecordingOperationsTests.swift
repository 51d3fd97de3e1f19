import Foundation
import RecorderStorage
import TestSupport
import Testing

@testable import WebService

/// Recordings over HTTP.
@Suite(.timeLimit(.minutes(10))) struct RecordingOperationsTests {
    private struct List: Decodable {
        struct Entry: Decodable {
            let id: String
            let file: String
        }
        let recordings: [Entry]
        let next: String?
        let total: Int
    }

    /// Runs the body with one recording, a viewer's cookie, and the recording's path under /api.
    private func run(
        _ name: String = "a-front.mov", _ body: (WebFixture, RecordingFixture, String, String) async throws -> Void
    ) async throws {
        try await WebFixture.run { web in
            let fixture = try RecordingFixture(index: web.recordings)
            try fixture.write(name)
            try fixture.scan()
            let recording = try await fixture.recordings { $0.count == 1 }[0]
            try await body(web, fixture, try await web.cookie("ben"), "/api/recordings/\(recording.id)")
            fixture.stop()
        }
    }

    @Test func recordings_notLoggedIn_areRefused() async throws {
        try await run { web, _, _, path in
            for path in ["/api/recordings", path, path + "/file", path + "/still"] {
                let status1 = try web.send("GET", path).status
                #expect(status1 == 401, "\(path)")
            }
        }
    }

    @Test func recordings_viewer_seesNoDirectories() async throws {
        try await run { web, fixture, ben, path in
            let answer = try web.send("GET", "/api/recordings?recorder=front&limit=10", headers: ben)
            let list = try JSONDecoder().decode(List.self, from: Data(answer.body.utf8))
            #expect(list.total == 1 && list.next == nil && list.recordings.map(\.file) == ["a-front.mov"])
            #expect(!answer.body.contains(fixture.directory.url.path) && answer.body.contains(#""indexing":null"#))
            let one = try web.send("GET", path, headers: ben)
            #expect(one.status == 200 && one.body.contains(#""problem":null"#) && !one.body.contains("videos"))
            for query in [
                "limit=0", "limit=201", "recorder=", "from=-1", "to=nan", "path=/etc", "recorder=a&recorder=b",
            ] {
                let status2 = try web.send("GET", "/api/recordings?\(query)", headers: ben).status
                #expect(status2 == 400, "\(query)")
            }
            let after = try web.send("GET", "/api/recordings?after=x", headers: ben).status
            #expect(after == 404)
        }
    }

    @Test func keep_operator_keepsUntilUnkeep() async throws {
        try await run { web, fixture, ben, path in
            let (ann, file) = (try await web.cookie("ann"), fixture.path("a-front.mov"))
            try RecordingCatalogue(RecordingName(parsing: "front"), in: web.lists).add(file)
            func keep(_ cookie: String, _ body: String, _ action: String = "keep") throws -> RawAnswer {
                try web.send("POST", "\(path)/\(action)", headers: cookie, body)
            }
            let own = #"{"file":"a-front.mov"}"#
            let ofViewer = try keep(ben, own)
            let ofAnother = try keep(ann, #"{"file":"b-front.mov"}"#)
            let invalid = try keep(ann, #"{"file":"a-front.mov","note":"a\nb"}"#)
            #expect(ofViewer.status == 403 && ofAnother.status == 409 && invalid.status == 400)
            #expect(!FileManager.default.fileExists(atPath: file + ".keep"))
            let kept = try keep(ann, #"{"file":"a-front.mov","note":"gate"}"#)
            #expect(kept.status == 200 && kept.body.contains(#""isKept":true"#), "\(kept.body)")
            #expect(kept.body.contains(#""note":"gate""#) && FileManager.default.fileExists(atPath: file + ".keep"))
            let list = try web.send("GET", "/api/recordings", headers: ben)
            #expect(list.body.contains(#""isKept":true"#))
            let line = try web.send("GET", "/api/timeline?from=0&to=2000000000", headers: ben)
            #expect(line.body.contains(#""isKept":true"#), "\(line.body)")
            let refused = try web.send("DELETE", path, headers: ann, own)
            #expect(refused.status == 403 && !refused.body.contains("videos"), "\(refused.body)")
            let free = try keep(ann, own, "unkeep")
            #expect(free.status == 200 && free.body.contains(#""isKept":false"#), "\(free.body)")
            let deleted = try web.send("DELETE", path, headers: ann, own)
            #expect(deleted.status == 204, "\(deleted.body)")
        }
    }

    @Test func delete_notMadeByARecorder_isRefused() async throws {
        try await run { web, fixture, ben, path in
            let (ann, file) = (try await web.cookie("ann"), fixture.path("a-front.mov"))
            func delete(_ cookie: String, _ name: String = "a-front.mov") throws -> RawAnswer {
                try web.send("DELETE", path, headers: cookie, #"{"file":"\#(name)"}"#)
            }
            let ofViewer = try delete(ben)
            let ofAnother = try delete(ann, "b-front.mov")
            let unknown = try delete(ann)
            #expect(ofViewer.status == 403 && ofAnother.status == 409 && unknown.status == 403)
            #expect(!unknown.body.contains("videos") && unknown.body.contains("a-front.mov"))
            #expect(FileManager.default.fileExists(atPath: file))
            try RecordingCatalogue(RecordingName(parsing: "front"), in: web.lists).add(file)
            let own = try delete(ann)
            #expect(own.status == 204, "\(own.body)")
            #expect(!FileManager.default.fileExists(atPath: file))
            try await fixture.recordings { $0.isEmpty }
            let again = try delete(ann)
            #expect(again.status == 404)
        }
    }

    @Test func request_pathInTheID_isNotFound() async throws {
        try await run { web, fixture, ben, path in
            let id = String(path.dropFirst("/api/recordings/".count))
            for trick in [
                "..%2f..%2fetc%2fpasswd", "%2e%2e", "1", "0", "-1", id + "0", id + "%00", "-" + id, id + "-1",
                "a-front.mov", fixture.path("a-front.mov").replacing("/", with: "%2f"), "x-9223372036854775808",
                id.replacing("-", with: "-0"), "1%20OR%201=1", "'",
            ] {
                for rest in ["", "/file", "/still"] {
                    let answer = try web.send("GET", "/api/recordings/\(trick)\(rest)", headers: ben)
                    #expect(answer.status == 404, "\(trick)\(rest)")
                }
            }
        }
    }

    @Test func file_wholeOrRange_isSent() async throws {
        try await run("a \"ü\"-front.mov") { web, fixture, ben, path in
            let bytes = try Data(contentsOf: URL(fileURLWithPath: fixture.path("a \"ü\"-front.mov")))
            let size = bytes.count
            let whole = try web.send("HEAD", path + "/file", headers: ben)
            #expect(whole.status == 200 && whole.headers["content-length"] == "\(size)")
            #expect(whole.headers["accept-ranges"] == "bytes" && whole.headers["content-type"] == "video/quicktime")
            #expect(
                whole.headers["content-disposition"]
                    == #"attachment; filename="a ___-front.mov"; filename*=UTF-8''a%20%22%C3%BC%22-front.mov"#)
            let shown = try web.send("HEAD", path + "/file?inline=yes", headers: ben)
            #expect(shown.headers["content-disposition"]?.hasPrefix("inline; ") == true)

            let head = try web.send("GET", path + "/file", headers: ben + "Range: bytes=4-7\r\n")
            #expect(head.status == 206 && head.headers["content-range"] == "bytes 4-7/\(size)" && head.body == "ftyp")
            let beyond = try web.send("GET", path + "/file", headers: ben + "Range: bytes=\(size)-\r\n")
            #expect(beyond.status == 416 && beyond.headers["content-range"] == "bytes */\(size)")
            let several = try web.send("HEAD", path + "/file", headers: ben + "Range: bytes=0-1,4-5\r\n")
            #expect(several.status == 200)
            let tag = try #require(whole.headers["etag"])
            let known = try web.send("GET", path + "/file", headers: ben + "If-None-Match: \(tag)\r\n")
            #expect(known.status == 304 && known.body.isEmpty)
            let other = try web.send("HEAD", path + "/file", headers: ben + "If-Range: \"1\"\r\nRange: bytes=4-7\r\n")
            #expect(other.status == 200)
        }
    }

    @Test func file_large_isSentCompletely() async throws {
        try await run { web, fixture, ben, path in
            let index = web.recordings
            fixture.stop()
            // The file is larger than one read. It grew without the index's knowledge, and is entered again.
            let file = fixture.path("a-front.mov")
            let bytes = (0..<700_000).map { UInt8(0x61 + $0 % 26) }
            try Data(bytes).write(to: URL(fileURLWithPath: file))
            let status4 = try web.send("GET", path + "/file", headers: ben).status
            #expect(status4 == 409)
            try fixture.scan()
            try await waitUntil { ((try? index.page(.init()))?.recordings.first?.identity.size ?? 0) == 700_000 }
            let list = try index.page(.init())
            let id = try #require(list.recordings.first?.id)
            let answer = try web.send("GET", "/api/recordings/\(id)/file", headers: ben)
            #expect(answer.status == 200 && Array(answer.body.utf8) == bytes)
        }
    }

    @Test func file_missingOrALink_isNotFound() async throws {
        try await run { web, fixture, ben, path in
            fixture.stop()
            try FileManager.default.removeItem(atPath: fixture.path("a-front.mov"))
            let status5 = try web.send("GET", path + "/file", headers: ben).status
            #expect(status5 == 404)
            symlink("/etc/passwd", fixture.path("a-front.mov"))
            for rest in ["/file", "/still"] {
                let answer = try web.send("GET", path + rest, headers: ben)
                #expect(answer.status == 404 && !answer.body.contains("videos"), "\(answer.body)")
            }
        }
    }

    @Test func still_validWidthAndTime_isAJPEG() async throws {
        try await run { web, fixture, ben, path in
            // The recording is 64×48.
            for (query, width) in [("", 64), ("?width=32", 32), ("?at=2&width=32", 32), ("?at=2&width=32", 32)] {
                let answer = try web.send("GET", path + "/still" + query, headers: ben)
                #expect(
                    answer.status == 200 && answer.headers["content-type"] == "image/jpeg", "\(answer.body.prefix(300))"
                )
                let image = fixture.directory.path("still.jpg")
                let bytes = try web.bytes(path + "/still" + query, headers: ben)
                try Data(bytes).write(to: URL(fileURLWithPath: image))
                let video = try Probe(image).video
                #expect(video?.codecName == "mjpeg" && video?.width == width, "\(query)")
                #expect(video?.height == width * 3 / 4, "\(query)")
            }
            for query in ["?width=15", "?at=-1", "?width=8193", "?x=1"] {
                let status6 = try web.send("GET", path + "/still" + query, headers: ben).status
                #expect(status6 == 400, "\(query)")
            }
            let behind = try web.send("GET", path + "/still?at=100000", headers: ben)
            #expect(behind.status == 404 && behind.body.contains("ends at"))
        }
    }
}
