import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The socket for viewers: a slow viewer harms no other, and no request can change anything.
@Suite(.timeLimit(.minutes(10))) struct LiveServerTests {
    private static func control(_ formats: [FormatDescription] = [LivePackets.video, LivePackets.audio]) -> FakeControl
    {
        let control = FakeControl()
        control.state.withLock { $0.formats = formats }
        return control
    }

    private static var limits: ControlLimits {
        var limits = ControlLimits.live
        limits.livePatience = .milliseconds(300)
        return limits
    }

    /// Sends the request, and waits until the server has `count` viewers.
    private func watch(_ fixture: ControlFixture, _ query: String = "", count: Int = 1) async throws -> RawConnection {
        let connection = try fixture.connect()
        try connection.send("GET /v1/live\(query) HTTP/1.1\r\nHost: recorder\r\n\r\n")
        try await waitUntil { fixture.control.feed.watcherCount == count }
        return connection
    }

    @Test func stream_firstAnswer_isHeaderAndFrame() async throws {
        try await ControlFixture.run(Self.control(), for: .live, limits: Self.limits) { fixture in
            let connection = try await watch(fixture)
            fixture.control.feed.accept(LivePackets.frame(0))
            var answer = ""
            while !answer.contains("mdat") { answer += String(decoding: try connection.read(), as: UTF8.self) }
            #expect(answer.hasPrefix("HTTP/1.1 200"))
            #expect(answer.lowercased().contains(#"content-type: video/mp4; codecs="avc1.64001e, mp4a.40.2""#))
            #expect(answer.contains("ftyp") && answer.contains("moov"))
            fixture.control.feed.accept(LivePackets.audioPacket(5))
            #expect(String(decoding: try connection.read(), as: UTF8.self).contains("moof"))
        }
    }

    @Test func stream_sub_isTheSubstream() async throws {
        try await ControlFixture.run(Self.control(), for: .live, limits: Self.limits) { fixture in
            let connection = try fixture.connect()
            try connection.send("GET /v1/live?stream=sub HTTP/1.1\r\nHost: recorder\r\n\r\n")
            try await waitUntil { fixture.control.smallFeed.watcherCount == 1 }
            fixture.control.smallFeed.accept(LivePackets.frame(0))
            var answer = ""
            while !answer.contains("mdat") { answer += String(decoding: try connection.read(), as: UTF8.self) }
            #expect(answer.hasPrefix("HTTP/1.1 200"))
            #expect(answer.lowercased().contains(#"content-type: video/mp4; codecs="avc1.64001e""#))
            #expect(fixture.control.told == ["watch small"] && fixture.control.feed.watcherCount == 0)
        }
    }

    @Test func stream_subWithoutOne_isRefusedWithTheReason() async throws {
        let control = Self.control()
        control.state.withLock { $0.error = MediaError(.invalidState, "cannot show it", reason: "it has none") }
        try await ControlFixture.run(control, for: .live, limits: Self.limits) { fixture in
            let answer = try fixture.send("GET", "/v1/live?stream=sub")
            #expect(answer.status == 409 && answer.body.contains("it has none"))
        }
    }

    @Test func viewer_disconnects_isRemoved() async throws {
        try await ControlFixture.run(Self.control(), for: .live, limits: Self.limits) { fixture in
            var connection: RawConnection? = try await watch(fixture)
            fixture.control.feed.accept(LivePackets.frame(0))
            _ = try connection?.read()
            connection = nil
            var number = 0
            try await waitUntil {
                number += 1
                fixture.control.feed.accept(LivePackets.frame(number))
                return fixture.control.feed.watcherCount == 0
            }
        }
    }

    /// During a pause, no packets arrive. A viewer that disconnects meanwhile must not keep its place.
    @Test func viewer_disconnectsWithoutPackets_isRemoved() async throws {
        var limits = Self.limits
        limits.liveSilence = .milliseconds(50)
        try await ControlFixture.run(Self.control(), for: .live, limits: limits) { fixture in
            var connection: RawConnection? = try await watch(fixture)
            fixture.control.feed.accept(LivePackets.frame(0))
            var answer = ""
            // Players ignore the `free` atom that keeps the connection alive.
            while !answer.contains("free") {
                answer += String(decoding: try #require(try connection?.read()), as: UTF8.self)
            }
            connection = nil
            try await waitUntil { fixture.control.feed.watcherCount == 0 }
        }
    }

    /// A gigabyte for a viewer that reads nothing: the feed never waits, and another viewer receives all of it.
    @Test func viewer_readsNothing_doesNotDelayOthers() async throws {
        var limits = Self.limits
        limits.liveBytes = 1 << 20
        try await ControlFixture.run(Self.control(), for: .live, limits: limits) { fixture in
            let slow = try await watch(fixture)
            let quick = try await watch(fixture, count: 2)
            let received = Locked(0)
            let reader = Thread {
                while let part = try? quick.read(), !part.isEmpty { received.withLock { $0 += part.count } }
            }
            reader.start()
            let big = 100_000
            var given = 0
            for number in 0..<200 {
                // This would wait forever if it waited for the viewer that does not read.
                fixture.control.feed.accept(LivePackets.frame(number, size: big))
                given += big
                // The feed is as slow as a camera, so that the quick viewer can keep up.
                try await waitUntil { received.withLock { $0 } >= given }
            }
            withExtendedLifetime(slow) {}
        }
    }

    @Test func viewer_aboveTheLimit_isRefused() async throws {
        var limits = Self.limits
        limits.liveStreams = 2
        try await ControlFixture.run(Self.control(), for: .live, limits: limits) { fixture in
            let first = try await watch(fixture)
            let second = try await watch(fixture, count: 2)
            let refused = try fixture.send("GET", "/v1/live")
            #expect(refused.status == 503 && refused.error?.code == "tooMany")
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test func stream_noPackets_isAnsweredWithAnError() async throws {
        try await ControlFixture.run(Self.control(), for: .live, limits: Self.limits) { fixture in
            let answer = try fixture.send("GET", "/v1/live")
            #expect(answer.status == 503 && answer.error?.code == "deviceLost")
            #expect(fixture.control.feed.watcherCount == 0)
        }
    }

    @Test func stream_unsupportedCodec_isReported() async throws {
        try await ControlFixture.run(Self.control([LivePackets.motionJPEG]), for: .live, limits: Self.limits) {
            fixture in
            let connection = try await watch(fixture)
            fixture.control.feed.accept(LivePackets.frame(0, of: LivePackets.motionJPEG))
            let answer = String(decoding: try connection.read(), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 422") && answer.contains("mjpeg") && answer.contains("snapshot"))
        }
    }

    @Test func liveSocket_commands_areRefused() async throws {
        let words = ["stop", "pause", "resume", "split", "record", "mark", "save", "reload"]
        let asked =
            words.map { ("POST", "/v1/\($0)", "", 404) } + [
                ("POST", "/v1/live", "", 405), ("GET", "/v1/live?sound=maybe", "", 400),
                ("GET", "/v1/live?stream=small", "", 400),
                ("GET", "/v1/live?tracks=all", "", 400), ("POST", "/v1/status", "x", 413),
                ("GET", "/v1/status", "", 200),
            ]
        try await ControlFixture.run(Self.control(), for: .live, limits: Self.limits) { fixture in
            for (method, path, body, expected) in asked {
                let answer = try fixture.send(method, path, body)
                #expect(answer.status == expected, "\(method) \(path)")
            }
            #expect(fixture.control.told.isEmpty)
        }
    }

    /// `stop` does not wait for viewers: the server ends at once.
    @Test func feed_ends_disconnectsReadersAndStalledViewers() async throws {
        let began = Locked(ContinuousClock.now)
        var limits = Self.limits
        limits.stallTime = .minutes(10)
        try await ControlFixture.run(Self.control(), for: .live, limits: limits) { fixture in
            let slow = try await watch(fixture)
            let quick = try await watch(fixture, count: 2)
            for number in 0..<100 { fixture.control.feed.accept(LivePackets.frame(number, size: 100_000)) }
            _ = try quick.read()
            began.withLock { $0 = .now }
            fixture.control.feed.end()
            #expect(fixture.control.feed.watcherCount == 0)
            withExtendedLifetime(slow) {}
        }
        #expect(ContinuousClock.now - began.withLock { $0 } < .seconds(300))
    }
}
