import Foundation
import Glibc
import NIOCore
import RealTime
import RecorderControl
import TestSupport
import Testing

@testable import WebService

/// Malicious or broken clients of the page's server: each gets a clear answer or none, and others are served as before.
@Suite(.serialized, .timeLimit(.minutes(10))) struct AttackTests {
    /// Returns the page's limits with a change that a test reaches at once.
    private func limits(_ change: (inout ControlLimits) -> Void) -> ControlLimits {
        var limits = ControlLimits.page
        change(&limits)
        return limits
    }

    private func isServing(_ web: WebFixture) throws -> Bool { try web.send("GET", "/api/session").status == 200 }

    private static let post = "POST /api/login HTTP/1.1\r\nHost: lab.example\r\nOrigin: https://lab.example\r\n"

    // MARK: Requests

    @Test func body_gigabyteInChunks_isNotRead() async throws {
        try await WebFixture.run { web in
            let connection = try RawConnection(web.socket)
            try connection.send(Self.post + "Transfer-Encoding: chunked\r\n\r\n")
            let chunk = "2000\r\n\(String(repeating: " ", count: 0x2000))\r\n"
            var sent = 0
            while sent < 131_072, try connection.trySend(chunk) { sent += 1 }
            // The kernel's buffers are sent, and no more of the gigabyte.
            #expect(sent < 1000)
            #expect(try RawAnswer(connection.readToEnd()).status == 413)
            #expect(try isServing(web))
        }
    }

    @Test func client_sendsTooSlowly_isDisconnected() async throws {
        try await WebFixture.run(limits: limits { $0.requestTime = .milliseconds(300) }) { web in
            let silent = try RawConnection(web.socket)
            let headers = try RawConnection(web.socket)
            let body = try RawConnection(web.socket)
            try headers.send("GET /api/session HTTP/1.1\r\nX-Slow: ")
            try body.send(Self.post + "Content-Length: 60000\r\n\r\n{")
            let began = ContinuousClock.now
            // Sends one byte at a time, each well within the idle time.
            while try headers.trySend("a"), ContinuousClock.now - began < .seconds(120) { usleep(10_000) }
            #expect(ContinuousClock.now - began < .seconds(120))
            #expect(try RawAnswer(body.readToEnd()).status == 408)
            #expect(try silent.readToEnd().isEmpty)
            #expect(try isServing(web))
        }
    }

    @Test func cookie_forged_isRefused() async throws {
        try await WebFixture.run { web in
            let ann = try await web.cookie("ann")
            let secret = ann.dropFirst("Cookie: recorder=".count).dropLast(2)
            for forged in [
                "recorder", "recorder=", "recorder=\(secret.dropLast())", "recorder=\(secret)x", "recorder=null",
                "Recorder=\(secret)", "recorder2=\(secret)", "recorder=\(String(secret.reversed()))",
                "recorder=../../accounts.json", "recorder=%00", "=\(secret)", ";;;=;recorder==\(secret)",
                // Only the first cookie counts, so that no other can be injected after it.
                "recorder=x; recorder=\(secret)", String(repeating: "recorder=x;", count: 1000),
            ] {
                let answer = try web.send("GET", "/api/recorders", headers: "Cookie: \(forged)\r\n")
                #expect(answer.status == 401, "\(forged.prefix(80))")
            }
            let own = try web.send("GET", "/api/recorders", headers: ann)
            #expect(own.status == 200)
        }
    }

    @Test func path_anySpelling_leadsNowhereElse() async throws {
        try await WebFixture.run { web in
            let ann = try await web.cookie("ann")
            for name in [
                "..", ".", "%2e%2e", "..%2f..%2fetc", "%2fetc%2fpasswd", "front%00", "%00", "front%2f..", "-rf",
                ".front",
                String(repeating: "a", count: 5000), "%ff%fe", "front%0d%0aX:1", "~root", "*", "front;id", "$(id)",
            ] {
                for (method, rest) in [("GET", "snapshot"), ("POST", "stop"), ("POST", "..%2fstop")] {
                    let path = "/api/recorders/\(name)/\(rest)"
                    let answer = try web.send(method, path, headers: ann)
                    #expect(answer.status == 404, "\(path.prefix(80)): \(answer.status)")
                }
            }
            for line in ["GET * HTTP/1.1", "GET  HTTP/1.1", "GET /\u{0} HTTP/1.1"] {
                let connection = try RawConnection(web.socket)
                try connection.send("\(line)\r\nHost: lab.example\r\nConnection: close\r\n\r\n")
                let answer = try RawAnswer(connection.readToEnd())
                #expect((400..<500).contains(answer.status), "\(line): \(answer.status)")
            }
            #expect(try isServing(web))
        }
    }

    // MARK: Files

    /// Runs the body with one recording that ben may see, and its path under /api.
    private func withRecording(
        limits: ControlLimits = .page, _ body: (WebFixture, RecordingFixture, String, String) async throws -> Void
    ) async throws {
        try await WebFixture.run(limits: limits) { web in
            let fixture = try RecordingFixture(index: web.recordings)
            defer { fixture.stop() }
            try fixture.write("a-front.mov")
            try fixture.scan()
            let recording = try await fixture.recordings { $0.count == 1 }[0]
            try await body(web, fixture, try await web.cookie("ben"), "/api/recordings/\(recording.id)")
        }
    }

    @Test func range_extreme_getsTheWholeFileOrIsRefused() async throws {
        try await withRecording { web, fixture, ben, path in
            let size = try Data(contentsOf: URL(fileURLWithPath: fixture.path("a-front.mov"))).count
            let thousand = (0..<1000).map { "\($0)-\($0)" }.joined(separator: ",")
            for (range, status, length) in [
                ("-5-", 200, size), ("--5", 200, size), (thousand, 200, size), ("9-4", 200, size), ("0x0-4", 200, size),
                ("0-\(Int.max)9", 206, size), ("-\(Int.max)9", 206, size), ("-1", 206, 1), ("\(size)-", 416, nil),
                ("\(Int.max)-", 416, nil), ("\(Int.max)0-\(Int.max)1", 416, nil), ("-0", 416, nil),
            ] as [(String, Int, Int?)] {
                let answer = try web.send("HEAD", path + "/file", headers: ben + "Range: bytes=\(range)\r\n")
                #expect(answer.status == status, "\(range.prefix(80)): \(answer.status)")
                if let length { #expect(answer.headers["content-length"] == "\(length)", "\(range.prefix(80))") }
            }
        }
    }

    @Test func download_clientDoesNotRead_isDisconnected() async throws {
        try await withRecording(limits: limits { $0.stallTime = .milliseconds(300) }) { web, fixture, ben, _ in
            fixture.stop()
            // A sparse file: a gigabyte that uses no space.
            #expect(truncate(fixture.path("a-front.mov"), 1 << 30) == 0)
            try fixture.scan()
            let found = try await fixture.recordings { $0.first?.identity.size == 1 << 30 }
            let path = "/api/recordings/\(try #require(found.first).id)/file"
            let before = memory
            let readers = try (0..<20).map { _ in
                let connection = try RawConnection(web.socket)
                try connection.send("GET \(path) HTTP/1.1\r\nHost: lab.example\r\n\(ben)\r\n")
                return connection
            }
            #expect(eventually { readers.allSatisfy(\.isClosedByPeer) })
            #expect(memory - before < 64 << 20)
            // Their places are free again.
            let answer = try web.send("GET", path, headers: ben + "Range: bytes=0-3\r\n")
            #expect(answer.status == 206)
        }
    }

    @Test func damagedMovie_isListedAndItsStillRefused() async throws {
        try await withRecording { web, fixture, ben, _ in
            try fixture.write("broken-front.mov", bytes: (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            try fixture.write("empty-front.mov", bytes: [])
            for recording in try await fixture.recordings(where: { $0.count == 3 }) where recording.info.problem != nil
            {
                let path = "/api/recordings/\(recording.id)"
                #expect(try web.send("GET", path, headers: ben).status == 200)
                let still = try web.send("GET", path + "/still", headers: ben)
                #expect((400..<500).contains(still.status), "\(recording.file): \(still.status) \(still.body)")
                #expect(!still.body.contains(fixture.directory.url.path))
                #expect(try web.send("HEAD", path + "/file", headers: ben).status == 200)
            }
        }
    }

    @Test func directory_vanishes_removesItsRecordings() async throws {
        try await withRecording { web, fixture, ben, path in
            try FileManager.default.removeItem(atPath: fixture.directory.path("videos"))
            // The answer comes at once, before the index is updated.
            let file = try web.send("GET", path + "/file", headers: ben)
            #expect(file.status == 404 && !file.body.contains("videos"), "\(file.body)")
            try await fixture.recordings { $0.isEmpty }
            let list = try web.send("GET", "/api/recordings", headers: ben)
            #expect(list.status == 200 && list.body.contains(#""total":0"#))
            #expect(try web.send("GET", path, headers: ben).status == 404)
        }
    }

    // MARK: Viewers

    /// Adds a viewer, from its request on.
    private func watch(_ web: WebFixture, _ cookie: String) throws -> RawConnection {
        let connection = try RawConnection(web.socket)
        try connection.send("GET /api/watch?recorders=front HTTP/1.1\r\nHost: lab.example\r\n\(cookie)\r\n")
        return connection
    }

    /// Gigabytes for viewers that read nothing: others receive all of it, memory stays bounded, and the slow ones are
    /// disconnected.
    @Test func viewer_doesNotRead_isDisconnectedWithoutHarm() async throws {
        try await WebFixture.run(limits: limits { $0.stallTime = .milliseconds(1000) }) { web in
            try await FakeRecorder.run(in: web.runtime) { recorder in
                let ann = try await web.cookie("ann")
                let slow = try (0..<10).map { _ in try watch(web, ann) }
                let quick = try watch(web, ann)
                let received = Locked(0)
                Thread {
                    while let part = try? quick.read(), !part.isEmpty { received.withLock { $0 += part.count } }
                }.start()
                try await waitUntil { recorder.watcherCount == 1 }
                let (before, size) = (memory, 200_000)
                var number = 0
                while number < 400 || !slow.allSatisfy(\.isClosedByPeer) {
                    recorder.movie(number, size: size)
                    number += 1
                    // The feed is as slow as a camera, so that viewers can keep up.
                    try await waitUntil { received.withLock { $0 } >= number * size }
                    #expect(number < 20_000)
                }
                // 3 MiB for each viewer, plus the buffers of the kernel and the connection.
                #expect(memory - before < 128 << 20)
                #expect(try isServing(web))
            }
        }
    }

    @Test func viewers_fiveHundred_shareOneStreamAndLeakNothing() async throws {
        try await WebFixture.run(pages: 1000) { web in
            try await FakeRecorder.run(in: web.runtime) { recorder in
                let ann = try await web.cookie("ann")
                let idle = entries("/proc/self/fd")
                var viewers = try (0..<500).map { _ in try watch(web, ann) }
                try await waitUntil { recorder.watcherCount == 1 }
                recorder.movie(0)
                for viewer in viewers {
                    let text = try viewer.read(until: "mdat")
                    #expect(text.contains("ftyp") && text.contains(#""view""#), "\(text.debugDescription)")
                }
                // All of them share one stream of the recorder.
                #expect(recorder.watcherCount == 1)
                viewers.removeAll()
                try await waitUntil { entries("/proc/self/fd") < idle + 50 }
                try await waitUntil { recorder.watcherCount == 0 }
                #expect(try isServing(web))
            }
        }
    }

    @Test func stream_endedByTheRecorder_isRequestedAgain() async throws {
        try await WebFixture.run { web in
            try await FakeRecorder.run(in: web.runtime) { recorder in
                let viewer = try watch(web, try await web.cookie("ann"))
                try await waitUntil { recorder.watcherCount == 1 }
                recorder.movie(0)
                // Without an answer, it is no stream yet that could end.
                _ = try viewer.read(until: "mdat")
                recorder.endStreams()
                _ = try viewer.read(until: "ended its stream")
                // The server requests the stream again, and it resumes at the next keyframe.
                try await waitUntil { recorder.watcherCount == 1 }
                recorder.movie(10)
                #expect(try viewer.read(until: "mdat").contains("ftyp"))
            }
        }
    }

    @Test func viewer_asksForUnknownNames_hidesNoRecorder() async throws {
        try await WebFixture.run { web in
            let page = try #require(web.watch.enter("page", choosing: []))
            for round in 0..<300 { web.watch.choose((0..<256).map { "none-\(round)-\($0)" }, for: "page") }
            try await FakeRecorder.run("late", in: web.runtime) { recorder in
                let list = try web.send("GET", "/api/recorders", headers: try await web.cookie("ann"))
                #expect(list.body.contains(#""name":"late""#), "\(list.body)")
                // Both of its streams are sent too.
                #expect(web.watch.choose(["late"], small: ["late"], for: "page"))
                try await waitUntil { recorder.watcherCount == 1 && recorder.smallWatcherCount == 1 }
            }
            web.watch.leave(page)
            let long = try web.send(
                "GET", "/api/watch?recorders=" + String(repeating: "a", count: 13_000),
                headers: try await web.cookie("ann"))
            #expect(long.status == 400)
        }
    }

    // MARK: -

    /// The resident bytes of this process.
    private var memory: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
    }

    private func entries(_ directory: String) -> Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).count
    }
}
