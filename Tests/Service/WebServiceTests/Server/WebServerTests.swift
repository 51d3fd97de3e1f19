import CommandInterface
import Foundation
import Glibc
import MediaTypes
import NIOCore
import RecorderControl
import RecorderStorage
import TestSupport
import Testing

@testable import WebService

/// The answers of the page's server, by role.
@Suite(.timeLimit(.minutes(10))) struct WebServerTests {
    @Test func page_anyClient_getsItAndNoOtherFile() async throws {
        try await WebFixture.run { fixture in
            let page = try fixture.send("GET", "/")
            #expect(page.status == 200 && page.body == "<!doctype html>")
            let policy = page.headers["content-security-policy"] ?? ""
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'") && !policy.contains("unsafe"))
            #expect(page.headers["x-content-type-options"] == "nosniff")
            let script = try fixture.send("GET", "/page/parts/main.js")
            #expect(script.headers["content-type"] == "text/javascript; charset=utf-8")
            let tag = try #require(script.headers["etag"])
            let again = try fixture.send("GET", "/page/parts/main.js", headers: "If-None-Match: \(tag)\r\n")
            #expect(again.status == 304 && again.body.isEmpty)
            for path in [
                "/page/notes.txt", "/page/../state/accounts.json", "/page/%2e%2e/state/accounts.json",
                "/page//etc/passwd", "/page/parts/../../s", "/page/parts/main.js%00.html", "/index.html", "/page/",
                "/..", "//etc/passwd", "/page/parts",
            ] {
                #expect(try fixture.send("GET", path).status == 404, "\(path)")
            }
        }
    }

    @Test func api_notLoggedIn_isRefused() async throws {
        try await WebFixture.run { fixture in
            for (method, path) in [
                ("GET", "/api/recorders"), ("GET", "/api/watch"), ("POST", "/api/watch/x"),
                ("POST", "/api/recorders/front/stop"), ("GET", "/api/recorders/front/snapshot"),
            ] {
                #expect(try fixture.send(method, path).status == 401, "\(path)")
                let forged = "Cookie: recorder=0000; recorder=\r\n"
                #expect(try fixture.send(method, path, headers: forged).status == 401, "\(path)")
            }
            let session = try fixture.send("GET", "/api/session")
            #expect(session.status == 200 && session.body.contains(#""role":null"#))
        }
    }

    @Test func recorderThatDied_isShownWithItsCauseAndNoDirectory() async throws {
        let end = RecorderEnd(
            name: "front", state: .died, ended: "2026-11-20T10:00:00Z", error: "its process is gone without a word",
            file: "/data/secret/a.recording.mov", wayOut: "`recorder repair /data/secret/a.recording.mov` finalizes it",
            log: "/state/secret/front.log")
        let runtime = RuntimeDirectory(path: "/tmp/nothing-\(UUID().uuidString.prefix(8))")
        let watch = RecorderWatch(runtime, recorded: { ["back"] }, ended: { [end] })
        let recorders = await watch.recorders()
        #expect(recorders.map(\.name) == ["back", "front"])
        #expect(recorders.map(\.state) == [.notRunning, .died] && recorders[1].allowed == [.acknowledge])
        let json = JSONText.line(recorders[1])
        #expect(json.contains("its process is gone") && json.contains("a.recording.mov` finalizes it"), "\(json)")
        #expect(!json.contains("secret"), "\(json)")
    }

    @Test(arguments: [
        (EADDRINUSE, MediaError.Code.busy, "another program is listening there"),
        (EADDRNOTAVAIL, .notFound, "does not have this address"), (ENOENT, .cannotCreate, "directory does not exist"),
    ])
    func refusedAddress_isReportedByTheSystemsCode(code: Int32, kind: MediaError.Code, words: String) {
        let error = WebServer.refusal(IOError(errnoCode: code, reason: "bind(descriptor:ptr:bytes:)"), of: "10.0.0.1")
        #expect(error.code == kind && error.description.contains(words) && !error.description.contains("descriptor"))
    }

    @Test func recorderThatDied_isClearedByAnOperatorOnce() async throws {
        try await WebFixture.run { fixture in
            let (ann, ben) = (try await fixture.cookie("ann"), try await fixture.cookie("ben"))
            try FileManager.default.createDirectory(atPath: fixture.lists.path, withIntermediateDirectories: true)
            // A process noted its start, and is gone.
            try Data(#"{"began":"2026-11-20T10:00:00Z"}"#.utf8)
                .write(to: URL(fileURLWithPath: fixture.lists.path + "/front.ending.json"))
            func acknowledge(_ cookie: String, _ name: String = "front") throws -> Int {
                try fixture.send("POST", "/api/recorders/\(name)/acknowledge", headers: cookie).status
            }
            func recorders() throws -> String { try fixture.send("GET", "/api/recorders", headers: ben).body }
            let died = try recorders()
            #expect(died.contains(#""state":"died""#) && died.contains(#""allowed":["acknowledge"]"#), "\(died)")
            #expect(try acknowledge(ben) == 403)
            #expect(try recorders() == died)
            #expect(try acknowledge(ann, "back") == 409)
            #expect(try acknowledge(ann, "..%2f") == 404)
            #expect(try acknowledge(ann) == 204)
            let cleared = try recorders()
            #expect(cleared.contains(#""state":"notRunning""#) && cleared.contains(#""ended":null"#), "\(cleared)")
            #expect(try acknowledge(ann) == 409)
        }
    }

    @Test func commands_viewer_areRefused() async throws {
        try await WebFixture.run { fixture in
            let (ann, ben) = (try await fixture.cookie("ann"), try await fixture.cookie("ben"))
            for cookie in [ann, ben] {
                let list = try fixture.send("GET", "/api/recorders", headers: cookie)
                #expect(list.status == 200 && list.body.contains(#""state":"notRunning""#), "\(list.body)")
            }
            #expect(try fixture.send("POST", "/api/recorders/front/stop", headers: ben).status == 403)
            // No recorder is running.
            let stop = try fixture.send("POST", "/api/recorders/front/stop", headers: ann)
            #expect(stop.status == 404 && stop.body.contains("not recording"))
            #expect(try fixture.send("POST", "/api/recorders/front/reload", headers: ann).status == 404)
            #expect(try fixture.send("POST", "/api/recorders/..%2f/stop", headers: ann).status == 404)
            #expect(
                try fixture.send("POST", "/api/recorders/front/mark", headers: ann, "{\"titel\":\"x\"}").status == 400)
        }
    }

    @Test func loginAndLogout_workOverHTTP() async throws {
        try await WebFixture.run { fixture in
            let answer = try fixture.send("POST", "/api/login", #"{"user":"ann","password":"correct horse"}"#)
            let cookie = try #require(answer.headers["set-cookie"])
            #expect(answer.status == 200 && cookie.contains("HttpOnly; SameSite=Strict") && !cookie.contains("Secure"))
            let header = "Cookie: \(cookie.prefix { $0 != ";" })\r\n"
            #expect(try fixture.send("GET", "/api/session", headers: header).body.contains("operator"))
            #expect(try fixture.send("POST", "/api/logout", headers: header).status == 204)
            #expect(try fixture.send("GET", "/api/recorders", headers: header).status == 401)
            let secure = try fixture.send(
                "POST", "/api/login", headers: "X-Forwarded-Proto: https\r\n",
                #"{"user":"ann","password":"correct horse"}"#)
            #expect(secure.headers["set-cookie"]?.contains("; Secure") == true)
            #expect(try fixture.send("POST", "/api/login", #"{"user":"ann","password":"wrong"}"#).status == 401)
            #expect(try fixture.send("POST", "/api/login", #"{"user":"","password":"x"}"#).status == 400)
        }
    }

    @Test func request_otherOriginOrHost_isRefused() async throws {
        try await WebFixture.run { fixture in
            let ann = try await fixture.cookie("ann")
            for origin in ["https://evil.example", "null", "https://lab.example.evil.example", "file://", nil] {
                let answer = try fixture.send("POST", "/api/recorders/front/stop", headers: ann, origin: origin)
                #expect(answer.status == 403, "\(origin ?? "none")")
            }
            #expect(try fixture.send("GET", "/api/session", headers: ann, origin: "https://evil.example").status == 403)
            #expect(try fixture.send("GET", "/api/session", headers: ann, origin: nil).status == 200)
            for host in ["evil.example", "lab.example.evil.example", "localhost", "127.0.0.1:80", "lab.example@evil"] {
                let answer = try fixture.send("GET", "/api/session", host: host, origin: nil)
                #expect(answer.status == 421 || answer.status == 400, "\(host)")
            }
            #expect(try fixture.send("GET", "/api/session", host: "LAB.example:8443", origin: nil).status == 200)
        }
    }

    @Test func wrongAddress_openedInABrowser_showsAPage() async throws {
        try await WebFixture.run { fixture in
            let browser = "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n"
            for (path, host, status) in [
                ("/nonsense", "lab.example", 404), ("/open?secret=used", "lab.example", 403),
                ("/", "other.example", 421),
            ] {
                let answer = try fixture.send("GET", path, headers: browser, host: host, origin: nil)
                #expect(answer.status == status, "\(path)")
                #expect(answer.headers["content-type"] == "text/html; charset=utf-8", "\(path)")
                #expect(answer.body.contains("<h1>cannot "), "\(answer.body)")
                let program = try fixture.send("GET", path, host: host, origin: nil)
                #expect(program.headers["content-type"] == "application/json", "\(path)")
            }
        }
        #expect(ErrorPage.text(ControlError(.notFound, "noSuchPath", "no <b>&\"")).contains("no &lt;b&gt;&amp;&quot;"))
    }

    @Test func request_wrongMethod_isRefusedAndHEADHasNoBody() async throws {
        try await WebFixture.run { fixture in
            let answer = try fixture.send("DELETE", "/api/session")
            #expect(answer.status == 405 && answer.headers["allow"] == "GET, HEAD")
            let head = try fixture.send("HEAD", "/api/session")
            #expect(head.status == 200 && head.body.isEmpty)
        }
    }

    @Test func request_literalAndNamedSegment_prefersTheLiteralOne() async throws {
        try await WebFixture.run { fixture in
            // `{action}` matches it too; `Allow` would then be “POST, POST”.
            let answer = try fixture.send("PUT", "/api/recorders/front/acknowledge")
            #expect(answer.status == 405 && answer.headers["allow"] == "POST")
        }
    }

    @Test(arguments: ["/api/session/", "//api/session", "/api/recordings/", "/api/recordings//file", "/api", "/open/"])
    func request_anotherPathThanTheRoutes_isNotFound(path: String) async throws {
        try await WebFixture.run { fixture in
            let answer = try fixture.send("GET", path)
            #expect(answer.status == 404 && answer.body.contains("noSuchPath"))
        }
    }

    @Test func request_tooLong_isRefused() async throws {
        try await WebFixture.run { fixture in
            let connection = try RawConnection(fixture.socket)
            try connection.send(
                "POST /api/login HTTP/1.1\r\nHost: lab.example\r\nOrigin: https://lab.example\r\n"
                    + "Content-Length: 1073741824\r\n\r\n")
            #expect(try RawAnswer(connection.readToEnd()).status == 413)
            let long = "X: " + String(repeating: "x", count: 20_000) + "\r\n"
            #expect(try fixture.send("GET", "/api/session", headers: long).status == 431)
            #expect(try fixture.send("GET", "/api/session").status == 200)
        }
    }

    @Test func pages_aboveTheLimit_areRefusedUntilOneDisconnects() async throws {
        try await WebFixture.run(pages: 2) { fixture in
            let ann = try await fixture.cookie("ann")
            func watch() throws -> RawConnection {
                let connection = try RawConnection(fixture.socket)
                try connection.send("GET /api/watch?recorders=front HTTP/1.1\r\nHost: lab.example\r\n\(ann)\r\n")
                let answer = String(decoding: try connection.read(), as: UTF8.self)
                guard answer.hasPrefix("HTTP/1.1 200") else { throw TooLate() }
                return connection
            }
            var pages = [try watch(), try watch()]
            #expect(throws: TooLate.self) { _ = try watch() }
            pages.removeAll()
            // A disconnected viewer is noticed at the next send, which happens every two seconds.
            let isFree = eventually { (try? watch()) != nil }
            #expect(isFree)
        }
    }

    /// Over HTTP/2, the server notices that a slow client reads only when the next piece can be written.
    @Test func watch_largeFrame_isSentInSmallPieces() async throws {
        try await WebFixture.run { fixture in
            try await FakeRecorder.run(in: fixture.runtime) { recorder in
                let ann = try await fixture.cookie("ann")
                let viewer = try RawConnection(fixture.socket)
                try viewer.send("GET /api/watch?recorders=front HTTP/1.1\r\nHost: lab.example\r\n\(ann)\r\n")
                try await waitUntil { recorder.watcherCount == 1 }
                recorder.movie(0, size: 200_000)
                var answer: [UInt8] = []
                while answer.count < 200_000 {
                    let part = try viewer.read()
                    try #require(!part.isEmpty)
                    answer += part
                }
                // Each write is one chunk (RFC 9112, 7.1).
                let head = try #require(answer.firstRange(of: Array("\r\n\r\n".utf8)))
                var rest = answer[head.upperBound...]
                var sizes: [Int] = []
                while let end = rest.firstRange(of: Array("\r\n".utf8)),
                    let size = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16)
                {
                    sizes.append(size)
                    rest = rest[end.upperBound...].dropFirst(size + 2)
                }
                #expect(sizes.reduce(0, +) > 190_000 && sizes.allSatisfy { $0 <= WebRequest.piece }, "\(sizes)")
            }
        }
    }

    @Test func watchRequest_unknownPage_isNotFound() async throws {
        try await WebFixture.run { fixture in
            let ann = try await fixture.cookie("ann")
            let answer = try fixture.send("POST", "/api/watch/unknown", headers: ann, #"{"recorders":["front"]}"#)
            #expect(answer.status == 404)
            let many = "[" + Array(repeating: "\"a\"", count: 300).joined(separator: ",") + "]"
            #expect(try fixture.send("POST", "/api/watch/x", headers: ann, "{\"recorders\":\(many)}").status == 400)
        }
    }
}
