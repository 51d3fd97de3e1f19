import FakeDevices
import Foundation
import Glibc
import NIOCore
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Misbehaving clients: the connection ends, memory stays bounded, and the next client is served.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ControlAbuseTests {
    /// Limits that a test reaches at once.
    private func small(_ change: (inout ControlLimits) -> Void) -> ControlLimits {
        var limits = ControlLimits()
        change(&limits)
        return limits
    }

    /// Returns true if the server still answers other clients.
    private func isServing(_ fixture: ControlFixture) throws -> Bool {
        try fixture.send("GET", "/v1/status").status == 200
    }

    @Test(arguments: [
        "no HTTP at all\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "GET /v1/status HTTP/1.1\r\nbroken header\r\n\r\n",
        "GET /v1/status HTTP/1.1\r\nHost: recorder\r\nContent-Length: -1\r\n\r\n",
        "POST /v1/mark HTTP/1.1\r\nHost: recorder\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST /v1/mark HTTP/1.1\r\nHost: recorder\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "CONNECT r:80 HTTP/1.1\r\nHost: recorder\r\n\r\n",
        "GET /v1/status HTTP/1.1\r\nHost: recorder\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    ])
    func connection_notHTTP_isAnsweredAndClosed(bytes: String) async throws {
        try await ControlFixture.run { fixture in
            let connection = try fixture.connect()
            try connection.send(bytes)
            let answer = try RawAnswer(connection.readToEnd())
            #expect(answer.status == 400, "\(answer)")
            #expect(answer.error?.code == "badRequest")
            #expect(try isServing(fixture))
        }
    }

    @Test func request_incomplete_isAnsweredWithTimeout() async throws {
        try await ControlFixture.run(limits: small { $0.requestTime = .milliseconds(200) }) { fixture in
            let connection = try fixture.connect()
            try connection.send("POST /v1/mark HTTP/1.1\r\nHost: recorder\r\nContent-Length: 100\r\n\r\n{\"title\":")
            let answer = try RawAnswer(connection.readToEnd())
            #expect(answer.status == 408)
            #expect(answer.error?.code == "timeout")
            #expect(fixture.control.told.isEmpty)
            #expect(try isServing(fixture))
        }
    }

    @Test func connection_incompleteRequestByteByByte_isClosed() async throws {
        try await ControlFixture.run(limits: small { $0.requestTime = .milliseconds(300) }) { fixture in
            let silent = try fixture.connect()
            let slow = try fixture.connect()
            let began = ContinuousClock.now
            _ = try slow.trySend("GET /v1/status HTTP/1.1\r\nX-Slow: ")
            // Sends one byte at a time, each well within the idle time.
            while try slow.trySend("a"), ContinuousClock.now - began < .seconds(120) { usleep(10_000) }
            #expect(ContinuousClock.now - began < .seconds(120))
            #expect(try silent.readToEnd().isEmpty)
            #expect(try isServing(fixture))
        }
    }

    @Test func connection_idleAfterItsAnswer_isClosed() async throws {
        try await ControlFixture.run(limits: small { $0.requestTime = .milliseconds(200) }) { fixture in
            let connection = try fixture.connect()
            try connection.send("GET /v1/status HTTP/1.1\r\nHost: recorder\r\n\r\n")
            #expect(try connection.readToEnd().hasPrefix("HTTP/1.1 200 OK"))
        }
    }

    @Test func answer_longerThanTheRequestTime_isNotTruncated() async throws {
        let control = FakeControl()
        try await ControlFixture.run(
            control,
            limits: small { limits in
                limits.requestTime = .milliseconds(50)
                limits.levelInterval = .milliseconds(20)
            }
        ) { fixture in
            let connection = try fixture.connect()
            try connection.send("GET /v1/levels HTTP/1.1\r\nHost: recorder\r\n\r\n")
            var lines = 0
            while lines < 20 { lines += try connection.read().count { $0 == UInt8(ascii: "{") } }
            #expect(lines >= 20)
        }
    }

    @Test func headers_tooLong_areRefused() async throws {
        try await ControlFixture.run { fixture in
            for request in [
                "GET /v1/status HTTP/1.1\r\nX-Long: \(String(repeating: "a", count: 20_000))\r\n\r\n",
                "GET /\(String(repeating: "a", count: 20_000)) HTTP/1.1\r\n\r\n",
                "GET /v1/status HTTP/1.1\r\n\(String(repeating: "A: b\r\n", count: 200))\r\n",
            ] {
                let connection = try fixture.connect()
                _ = try connection.trySend(request)
                let answer = try RawAnswer(connection.readToEnd())
                #expect(answer.status == 431)
                #expect(answer.error?.code == "tooLarge")
            }
            #expect(try isServing(fixture))
        }
    }

    @Test func body_tooLong_isRefusedBeforeItIsRead() async throws {
        try await ControlFixture.run { fixture in
            let told = try fixture.connect()
            try told.send("POST /v1/mark HTTP/1.1\r\nHost: recorder\r\nContent-Length: 999999999\r\n\r\n")
            #expect(try RawAnswer(told.readToEnd()).status == 413)

            let untold = try fixture.connect()
            try untold.send("POST /v1/mark HTTP/1.1\r\nHost: recorder\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "2000\r\n\(String(repeating: " ", count: 0x2000))\r\n"
            var sent = 0
            while sent < 1000, try untold.trySend(chunk) { sent += 1 }
            // The kernel's buffers fill, and nothing more is sent: the server has stopped reading.
            #expect(sent < 1000)
            #expect(try RawAnswer(untold.readToEnd()).status == 413)
            let fits = #"{"title":"a"}"# + String(repeating: " ", count: 65_000)
            #expect(try fixture.send("POST", "/v1/mark", fits).status == 200)
            #expect(try isServing(fixture))
        }
    }

    @Test func connections_aboveTheLimit_areServedWhenOthersEnd() async throws {
        try await ControlFixture.run(
            limits: small { limits in
                limits.connections = 4
                limits.requestTime = .milliseconds(200)
            }
        ) { fixture in
            // The server accepts a few connections at a time from its queue, and these are many more.
            let idle = try (0..<20).map { _ in try fixture.connect() }
            #expect(try isServing(fixture))
            #expect(try idle.allSatisfy { try $0.readToEnd().isEmpty })
        }
    }

    @Test func levelStreams_atTheLimit_leaveRoomForCommands() async throws {
        try await ControlFixture.run(limits: small { $0.levelStreams = 2 }) { fixture in
            var streams = try (0..<2).map { _ in try fixture.connect() }
            for stream in streams {
                try stream.send("GET /v1/levels HTTP/1.1\r\nHost: recorder\r\n\r\n")
                #expect(try !stream.read().isEmpty)
            }
            let refused = try fixture.send("GET", "/v1/levels")
            #expect(refused.status == 503)
            #expect(refused.error?.code == "tooMany")
            #expect(refused.headers["retry-after"] == "1")
            #expect(try isServing(fixture))
            // A client that disconnects frees its place.
            streams.removeFirst()
            #expect(
                try eventually {
                    let next = try fixture.connect()
                    try next.send("GET /v1/levels HTTP/1.1\r\nHost: recorder\r\n\r\n")
                    return try String(decoding: next.read(), as: UTF8.self).hasPrefix("HTTP/1.1 200")
                })
        }
    }

    @Test func levelStream_clientThatNeverReads_isDisconnected() async throws {
        let control = FakeControl()
        try await ControlFixture.run(
            control,
            limits: small { limits in
                limits.levelInterval = .zero
                limits.stallTime = .milliseconds(300)
            }
        ) { fixture in
            let connection = try fixture.connect()
            try connection.send("GET /v1/levels HTTP/1.1\r\nHost: recorder\r\n\r\n")
            // The server makes lines until the kernel's buffer and the connection's buffer are full, and then stops.
            var before = -1
            #expect(
                eventually {
                    let now = control.state.withLock { $0.levelsAsked }
                    defer { before = now }
                    if now == before, now > 0 { return true }
                    usleep(100_000)
                    return false
                })
            #expect(control.state.withLock { $0.levelsAsked } < 20_000)
            // Then the connection ends. Only what was in the kernel's buffer arrives.
            #expect(eventually { connection.isClosedByPeer })
            #expect(try connection.readToEnd().contains("levelPeak"))
            #expect(try isServing(fixture))
        }
    }

    @Test func levelStream_slowClient_isServed() async throws {
        try await ControlFixture.run(
            limits: small { limits in
                limits.levelInterval = .zero
                limits.stallTime = .seconds(1)
            }
        ) { fixture in
            func asked() throws -> RawConnection {
                let connection = try fixture.connect()
                try connection.send("GET /v1/levels HTTP/1.1\r\nHost: recorder\r\n\r\n")
                return connection
            }
            var connection = try asked()
            var (began, read) = (ContinuousClock.now, ContinuousClock.now)
            // This lasts several stall times, and the buffers are full at the end of most of them.
            while ContinuousClock.now - began < .seconds(4) {
                let isEnded = try connection.read().isEmpty
                let now = ContinuousClock.now
                if isEnded {
                    // Only a client that the machine has kept from reading for long may be cut off. It begins again.
                    try #require(now - read > .milliseconds(500))
                    connection = try asked()
                    began = now
                }
                read = now
                usleep(1000)
            }
        }
    }

    @Test func requests_endlessWithoutReading_areNotBuffered() async throws {
        try await ControlFixture.run(limits: small { $0.stallTime = .milliseconds(300) }) { fixture in
            let connection = try fixture.connect()
            // The client keeps sending requests and reads no answer.
            let request = String(repeating: "GET /metrics HTTP/1.1\r\nHost: recorder\r\n\r\n", count: 100)
            var sent = 0
            while sent < 1000, try connection.trySend(request) { sent += 1 }
            #expect(sent < 1000)
            #expect(try isServing(fixture))
        }
    }

    @Test func requests_hundreds_leakNoDescriptorsOrThreads() async throws {
        try await ControlFixture.run { fixture in
            for _ in 0..<20 { _ = try fixture.send("GET", "/v1/status") }
            let (descriptors, threads) = (entries("/proc/self/fd"), entries("/proc/self/task"))
            for index in 0..<500 {
                switch index % 4 {
                case 0: #expect(try fixture.send("GET", "/v1/status").status == 200)
                case 1: #expect(try fixture.send("POST", "/v1/pause").status == 200)
                case 2: #expect(try fixture.send("POST", "/v1/mark", "{").status == 400)
                default:
                    // The client disconnects before its answer.
                    try fixture.connect().send("GET /metrics HTTP/1.1\r\nHost: recorder\r\n\r\n")
                }
            }
            #expect(eventually { entries("/proc/self/fd") <= descriptors + 4 })
            #expect(eventually { entries("/proc/self/task") <= threads + 4 })
            #expect(fixture.control.told.count == 125)
        }
    }

    @Test func close_openLevelStream_doesNotWait() async throws {
        try await ControlFixture.run(limits: small { $0.stallTime = .minutes(10) }) { fixture in
            let connection = try fixture.connect()
            try connection.send("GET /v1/levels HTTP/1.1\r\nHost: recorder\r\n\r\n")
            #expect(try !connection.read().isEmpty)
            let began = ContinuousClock.now
            await fixture.server.close()
            #expect(ContinuousClock.now - began < .seconds(300))
            _ = try connection.readToEnd()
        }
    }

    /// A slow command does not delay others.
    @Test func commands_slowOneRunning_areAnsweredConcurrently() async throws {
        let control = FakeControl(splitWaits: true)
        try await ControlFixture.run(control) { fixture in
            let client = fixture.client
            let split = Task { try await client.split() }
            try await waitUntil { control.told == ["split"] }
            let paused = try await client.pause()
            #expect(paused.state == .paused)
            control.splitMayEnd.set(())
            let closed = try await split.value
            #expect(closed.file == "/videos/front.mov")
        }
    }

    private func entries(_ directory: String) -> Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).count
    }
}
