import AssetIO
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import WebService

/// Timelines and clips of real movies over HTTP.
@Suite(.timeLimit(.minutes(10))) struct ClipOperationsTests {
    private struct Told: Decodable {
        let id: String
        let state: String
        let progress: Double
        let duration: Double
        let bytes: Int64?
        let file: String
        let leftOut: [String]
        let problem: String?
    }

    private struct Line: Decodable {
        struct Recorder: Decodable {
            struct Span: Decodable {
                let begin: Double
                let end: Double
                let id: String?
            }
            let name: String
            let spans: [Span]
        }
        let first: Double?
        let last: Double?
        let recorders: [Recorder]
    }

    /// The time of the first movie's first frame.
    private static let began = ISO8601DateFormatter().date(from: "2026-11-20T10:00:00Z")?.timeIntervalSince1970 ?? 0
    private static let body = #"{"recorder":"front","from":\#(began + 1.5),"to":\#(began + 4.5)}"#

    /// Runs the body with two successive movies of three seconds, and a viewer's cookie.
    private func run(
        _ limits: Clips.Limits = .init(), now: @escaping @Sendable () -> Double = { 0 },
        _ body: (WebFixture, RecordingFixture, String) async throws -> Void
    ) async throws {
        try await WebFixture.run(clipLimits: limits, now: now) { web in
            let fixture = try RecordingFixture(index: web.recordings)
            try fixture.write("a-front.mov")
            try fixture.write("b-front.mov", began: "2026-11-20T10:00:03Z")
            try fixture.scan()
            try await fixture.recordings { $0.count == 2 }
            try await body(web, fixture, try await web.cookie("ben"))
            fixture.stop()
        }
    }

    private func told(_ answer: RawAnswer) throws -> Told {
        try JSONDecoder().decode(Told.self, from: Data(answer.body.utf8))
    }

    private func finished(_ web: WebFixture, _ ben: String, _ body: String = body) async throws -> Told {
        let begun = try web.send("POST", "/api/cuts", headers: ben, body)
        #expect(begun.status == 202, "\(begun.body)")
        let id = try told(begun).id
        var clip: Told?
        try await waitUntil {
            clip = try? told(try web.send("GET", "/api/cuts/\(id)", headers: ben))
            return clip.map { ["done", "failed"].contains($0.state) } ?? false
        }
        return try #require(clip)
    }

    @Test func clip_acrossTwoFiles_hasExactlyItsFrames() async throws {
        try await run { web, fixture, ben in
            let clip = try await finished(web, ben)
            #expect(
                clip.state == "done" && clip.progress == 1 && clip.problem == nil && clip.leftOut.isEmpty, "\(clip)")
            #expect(clip.file.hasPrefix("front-2026-11-20-") && clip.file.hasSuffix(".mov"))
            let path = fixture.directory.path("cut.mov")
            let bytes = try web.bytes("/api/cuts/\(clip.id)/file", headers: ben)
            #expect(Int64(bytes.count) == clip.bytes)
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            // FFmpeg does not show the frames before the start, which only decoding needs.
            let frames = try Probe.brightness(path)
            let format = try Probe(path).format
            #expect(frames.count == 90, "\(frames.count)")
            #expect(abs(format.seconds - 3) < 0.05 && abs(clip.duration - 3) < 0.05, "\(format)")
            let part = try web.send("GET", "/api/cuts/\(clip.id)/file", headers: ben + "Range: bytes=4-7\r\n")
            #expect(part.status == 206 && part.body == "ftyp")
        }
    }

    @Test func clip_secondRecordingBeginsBetweenKeyframes_endsBeforeIt() async throws {
        try await WebFixture.run { web in
            let fixture = try RecordingFixture(index: web.recordings)
            try fixture.write("a-front.mov")
            // A recording with a pre-roll shows its first frame between two keyframes.
            let whole = fixture.directory.file("whole.mov")
            try Data(fixture.bytes(began: "2026-11-20T10:00:03Z")).write(to: whole)
            let session = try ExportSession(asset: Asset(url: whole), preset: .passthrough)
            try session.configure {
                $0.timeRange = TimeRange(start: MediaTime(value: 1, timescale: 2), end: .positiveInfinity)
            }
            try await session.export(to: fixture.directory.file("videos/b-front.mov"))
            try fixture.scan()
            try await fixture.recordings { $0.count == 2 }
            let clip = try await finished(web, try await web.cookie("ben"))
            #expect(clip.state == "done" && abs(clip.duration - 1.5) < 0.05, "\(clip)")
            #expect(clip.leftOut.contains { $0.hasPrefix("the time from b-front.mov on") }, "\(clip)")
            fixture.stop()
        }
    }

    @Test func clip_ofARecordingInProgress_hasTheTimesOfItsMovie() async throws {
        try await WebFixture.run { web in
            let fixture = try RecordingFixture(index: web.recordings)
            try fixture.write("a-front.recording.mov", isFinished: false)
            try fixture.scan()
            try await fixture.recordings { $0.first?.info.hasVideo == true }
            fixture.stop()
            // The index does not know the pause yet. The movie has the first second and the last two of 13 seconds.
            try fixture.write("a-front.recording.mov", clock: RecordingFixture.pausedClock, isFinished: false)
            let ben = try await web.cookie("ben")
            func body(_ from: Double, _ to: Double) -> String {
                #"{"recorder":"front","from":\#(Self.began + from),"to":\#(Self.began + to)}"#
            }
            let paused = try web.send("POST", "/api/cuts", headers: ben, body(3, 8))
            #expect(paused.status == 404 && paused.body.contains("recorded nothing"), "\(paused.body)")
            let clip = try await finished(web, ben, body(0.5, 12))
            #expect(clip.state == "done" && abs(clip.duration - 1.5) < 0.05 && clip.leftOut.isEmpty, "\(clip)")
            // Nothing is recorded yet after the movie's end.
            let early = try web.send("POST", "/api/cuts", headers: ben, body(14, 20))
            #expect(early.status == 404, "\(early.body)")
        }
    }

    @Test func clip_finished_leavesNoNamedFile() async throws {
        try await run { web, _, ben in
            _ = try await finished(web, ben)
            let left = FileManager.default.enumerator(atPath: web.state + "/cuts")?.compactMap { $0 as? String } ?? []
            #expect(!left.contains { $0.hasSuffix(".mov") }, "\(left)")
        }
    }

    @Test func clip_deleted_isGone() async throws {
        try await run { web, _, ben in
            let clip = try await finished(web, ben)
            let dropped = try web.send("DELETE", "/api/cuts/\(clip.id)", headers: ben)
            #expect(dropped.status == 204)
            for (method, path) in [("GET", ""), ("GET", "/file"), ("DELETE", "")] {
                let answer = try web.send(method, "/api/cuts/\(clip.id)\(path)", headers: ben)
                #expect(answer.status == 404)
            }
        }
    }

    @Test func clip_notRequestedForAnHour_isForgotten() async throws {
        let clock = Locked(0.0)
        let now: @Sendable () -> Double = { clock.withLock { $0 } }
        try await run(now: now) { web, _, ben in
            let clip = try await finished(web, ben)
            for (moment, status) in [(3599.0, 200), (7100, 200), (10_800, 404)] {
                clock.withLock { $0 = moment }
                let answer = try web.send("GET", "/api/cuts/\(clip.id)", headers: ben)
                #expect(answer.status == status, "\(moment)")
            }
        }
    }

    @Test func clip_noDiskSpace_isRefused() async throws {
        var limits = Clips.Limits()
        limits.reserve = Int64.max / 4
        try await run(limits) { web, _, ben in
            let answer = try web.send("POST", "/api/cuts", headers: ben, Self.body)
            #expect(answer.status == 507 && answer.body.contains("to spare"), "\(answer.body)")
        }
    }

    @Test func clip_spaceKeptFreeByRecorders_isNotUsed() async throws {
        let fixture = try RecordingFixture()
        try fixture.write("a-front.mov")
        try fixture.scan()
        try await fixture.recordings { $0.count == 1 }
        let range = Self.began...(Self.began + 2)
        let folder = ClipFolder(in: fixture.directory.path("page"))
        // With less free space than that, retention would delete recordings.
        let full = Clips(fixture.index, in: folder, keepFree: { Int64.max / 2 })
        await #expect(throws: MediaError.self) { try await full.begin("front", range) }
        let roomy = Clips(fixture.index, in: folder, keepFree: { 0 })
        let clip = try await roomy.begin("front", range)
        try await waitUntil { roomy.clip(clip.id)?.state == .done }
        roomy.close()
        fixture.stop()
    }

    /// Leaves a directory with a clip, as a process with this number that crashed.
    private func leaveClip(in state: String, process: pid_t) throws -> String {
        try ClipFolder(in: state, process: process).make()
    }

    @Test func clipFolder_ofAnEndedProcess_isRemoved() throws {
        let directory = try TemporaryDirectory()
        let (mine, running) = (ClipFolder(in: directory.url.path), ClipFolder(in: directory.url.path))
        let (here, there) = (try mine.make(), try running.make())
        // The number of the second one is in use again, by this process.
        let gone = try [999_999_999, getpid()].map { try leaveClip(in: directory.url.path, process: $0) }
        let other = directory.path("cuts/movies")
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        mine.removeStale()
        let exists = { FileManager.default.fileExists(atPath: $0) }
        #expect(exists(here) && exists(there) && exists(other))
        #expect(!gone.contains(where: exists))
        withExtendedLifetime(running) {}
    }

    @Test func clips_tooManyAtATime_areRefused() async throws {
        var limits = Clips.Limits()
        (limits.working, limits.waiting) = (1, 0)
        limits.clips = 0
        try await run(limits) { web, _, ben in
            let answer = try web.send("POST", "/api/cuts", headers: ben, Self.body)
            #expect(answer.status == 409 && answer.body.contains("too many"))
        }
    }

    @Test func clip_invalidRequest_getsAClearAnswer() async throws {
        try await run { web, fixture, ben in
            let anonymous = try web.send("POST", "/api/cuts", Self.body)
            #expect(anonymous.status == 401)
            for (body, status) in [
                (#"{"recorder":"front","from":5,"to":6}"#, 404), (#"{"recorder":"unknown","from":5,"to":6e9}"#, 404),
                (#"{"recorder":"../x","from":5,"to":6}"#, 400), (#"{"recorder":"front","from":6,"to":5}"#, 400),
                (#"{"recorder":"front","from":-1,"to":5}"#, 400), (#"{"recorder":"front","from":1,"to":1e300}"#, 400),
                (#"{"recorder":"front","from":1}"#, 400), (#"{"recorder":"front","from":"1","to":2}"#, 400), ("", 400),
            ] {
                let answer = try web.send("POST", "/api/cuts", headers: ben, body)
                #expect(answer.status == status, "\(body): \(answer.body)")
            }
            for id in ["x", "..%2f..", "%00", String(repeating: "a", count: 300)] {
                let answer = try web.send("GET", "/api/cuts/\(id)", headers: ben)
                #expect(answer.status == 404, "\(id)")
            }
            // A movie changes or disappears before it is exported, and the index does not know it yet.
            fixture.stop()
            try fixture.write("b-front.mov", bytes: [1, 2, 3])
            let changed = try await finished(web, ben)
            #expect(changed.state == "failed" && changed.problem == "it has changed", "\(changed)")
            try FileManager.default.removeItem(atPath: fixture.path("b-front.mov"))
            let missing = try await finished(web, ben)
            #expect(missing.state == "failed" && missing.problem == "it no longer exists", "\(missing)")
        }
    }

    @Test func timeline_showsRecordedTimeRanges() async throws {
        try await run { web, _, ben in
            let range = "from=\(Self.began - 10)&to=\(Self.began + 10)"
            let answer = try web.send("GET", "/api/timeline?\(range)", headers: ben)
            let line = try JSONDecoder().decode(Line.self, from: Data(answer.body.utf8))
            #expect(line.first == Self.began && abs((line.last ?? 0) - Self.began - 6) < 0.1)
            #expect(line.recorders.map(\.name) == ["front"] && line.recorders[0].spans.count == 2, "\(answer.body)")
            #expect(line.recorders[0].spans.map(\.begin) == [Self.began, Self.began + 3])
            let coarse = try web.send("GET", "/api/timeline?from=0&to=\(Self.began * 2)", headers: ben)
            let years = try JSONDecoder().decode(Line.self, from: Data(coarse.body.utf8))
            #expect(years.recorders[0].spans.count == 1 && years.recorders[0].spans[0].id == nil)
            let elsewhen = try web.send("GET", "/api/timeline?from=5&to=6", headers: ben)
            #expect(elsewhen.status == 200 && elsewhen.body.contains(#""recorders":[]"#))
            for query in ["", "from=1", "from=2&to=1", "from=x&to=2", "\(range)&step=-1", "\(range)&recorder=..%2f"] {
                let answer = try web.send("GET", "/api/timeline?\(query)", headers: ben)
                #expect(answer.status == 400, "\(query)")
            }
            let anonymous = try web.send("GET", "/api/timeline?\(range)")
            #expect(anonymous.status == 401)
        }
    }
}
