import Foundation
import MediaTypes
import RealTime
import RecorderControl
import RecorderStorage
import TestSupport
import Testing

@testable import WebService

/// `GET /metrics` of the page's server.
@Suite(.timeLimit(.minutes(10))) struct MetricsServerTests {
    private static let token = "0123456789abcdef"
    private static let bearer = "Authorization: Bearer \(token)\r\n"

    private func get(_ fixture: WebFixture, _ headers: String = MetricsServerTests.bearer) throws -> RawAnswer {
        try fixture.send("GET", "/metrics", headers: headers, origin: nil)
    }

    @Test func metrics_notEnabled_areNotFound() async throws {
        try await WebFixture.run { fixture in
            let ann = try await fixture.cookie("ann")
            let answer = try get(fixture, ann + Self.bearer)
            #expect(answer.status == 404 && answer.body.contains("noSuchPath"))
        }
    }

    @Test func metrics_ofTwoRecorders_haveTheirNames() async throws {
        try await WebFixture.run(token: Self.token) { fixture in
            try await FakeRecorder.run("front", in: fixture.runtime) { _ in
                try await FakeRecorder.run("back", in: fixture.runtime) { _ in
                    let answer = try get(fixture)
                    #expect(answer.status == 200)
                    #expect(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
                    for name in ["front", "back"] {
                        #expect(answer.body.contains("\nrecorder_up{recorder=\"\(name)\"} 1\n"))
                        #expect(
                            answer.body.contains("\nrecorder_state{recorder=\"\(name)\",state=\"recording\"} 1\n"))
                    }
                    #expect(answer.body.split(separator: "\n").count { $0 == "# TYPE recorder_state gauge" } == 1)
                }
            }
        }
    }

    @Test func metrics_clientAcceptsOpenMetrics_areOpenMetrics() async throws {
        try await WebFixture.run(token: Self.token) { fixture in
            let answer = try get(fixture, Self.bearer + "Accept: application/openmetrics-text;version=1.0.0\r\n")
            #expect(answer.headers["content-type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8")
            #expect(answer.body == "# EOF\n")
        }
    }

    @Test(arguments: [
        "", "Authorization: Bearer 0123456789abcdeF\r\n", "Authorization: Bearer\r\n", "Authorization: Bearer \r\n",
        "Authorization: Basic 0123456789abcdef\r\n", "Authorization: Bearer 0123456789abcdef0123456789abcdef\r\n",
    ])
    func metrics_missingOrWrongToken_areRefused(headers: String) async throws {
        try await WebFixture.run(token: Self.token) { fixture in
            let ann = try await fixture.cookie("ann")
            let answer = try get(fixture, ann + headers)
            #expect(answer.status == 401 && answer.headers["www-authenticate"] == "Bearer")
            #expect(!answer.body.contains("recorder_up"))
        }
    }

    @Test func metrics_recorderDoesNotAnswer_doesNotDelayTheOthers() async throws {
        var limits = MetricsCollector.Limits()
        limits.answer = 200_000_000
        limits.atOnce = 1
        try await WebFixture.run(token: Self.token, metricLimits: limits) { fixture in
            let silent = try SilentRecorder("a-silent-one", in: fixture.runtime)
            try await FakeRecorder.run("front", in: fixture.runtime) { _ in
                let body = try get(fixture).body
                #expect(body.contains("recorder_up{recorder=\"a-silent-one\"} 0\n"))
                #expect(body.contains("recorder_up{recorder=\"front\"} 1\n"))
                #expect(!body.contains("recorder_state{recorder=\"a-silent-one\""))
            }
            withExtendedLifetime(silent) {}
        }
    }

    @Test func metrics_recorderThatDied_areItsEnd() async throws {
        try await WebFixture.run(token: Self.token) { fixture in
            try FileManager.default.createDirectory(atPath: fixture.lists.path, withIntermediateDirectories: true)
            // A process noted its start, and is gone.
            try Data(#"{"began":"2026-11-20T10:00:00Z"}"#.utf8)
                .write(to: URL(fileURLWithPath: fixture.lists.path + "/front.ending.json"))
            let body = try get(fixture).body
            #expect(body.contains("recorder_up{recorder=\"front\"} 0\n"))
            #expect(body.contains("recorder_ended{recorder=\"front\",state=\"died\"} 1\n"))
        }
    }

    @Test func metrics_publisher_isReported() async throws {
        try await WebFixture.run(token: Self.token) { fixture in
            try await FakeRecorder.run("front", in: fixture.runtime) { _ in
                let path = PublishState.path(of: "front", beside: fixture.runtime.path)
                try FileManager.default.createDirectory(
                    atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path,
                    withIntermediateDirectories: true)
                try Data("up 1\nrestarts 3\n".utf8).write(to: URL(fileURLWithPath: path))
                let body = try get(fixture).body
                #expect(body.contains("recorder_publish_up{recorder=\"front\"} 1\n"))
                #expect(body.contains("recorder_publish_restarts_total{recorder=\"front\"} 3\n"))
            }
        }
    }

    @Test(arguments: ["", "up 1\n", "up one\nrestarts 2\n", "up 1\nrestarts -2\n", "up 1 2\nrestarts 3\n"])
    func publishState_invalidText_isNone(text: String) {
        #expect(PublishState(text) == nil)
    }

    @Test func collector_manyRequests_collectOnce() async {
        let count = Locked(0)
        let runtime = RuntimeDirectory(path: "/tmp/nothing-\(UUID().uuidString.prefix(8))")
        var limits = MetricsCollector.Limits()
        limits.reuse = Int64.max / 2
        let collector = MetricsCollector(runtime, limits: limits) {
            count.withLock { $0 += 1 }
            return []
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { _ = await collector.families() } }
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test func metricsQueryAndMethods_unknown_areRefused() async throws {
        try await WebFixture.run(token: Self.token) { fixture in
            let query = try fixture.send("GET", "/metrics?name=front", headers: Self.bearer, origin: nil)
            #expect(query.status == 400)
            #expect(try fixture.send("POST", "/metrics", headers: Self.bearer).status == 405)
            let head = try fixture.send("HEAD", "/metrics", headers: Self.bearer, origin: nil)
            #expect(head.status == 200 && head.body.isEmpty)
        }
    }
}
