import Foundation
import MediaTypes
import RecorderStorage
import TestSupport
import Testing

/// `combine` on real recordings: browsers play the result, and recordings from machines with different clocks are in
/// sync.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CombinedMoviesTests {
    private let testSources = ["--camera", "test", "--microphone", "test", "--size", "320x240"]

    /// The result of Tests/Judges/plays.py.
    private struct Played: Decodable {
        var name: String
        var width: Int
        var height: Int
        var duration: Double
        var advanced: Double
        var end: Double
        var error: String?
        var caught: [String]
    }

    /// Two recorders that begin at the same instant. One pauses alone for a second, then both together.
    private func pausedRecordings(_ command: Command) async throws -> [String] {
        #expect(try await command.run(["start", "left", "right", "--group", "stage"] + testSources).exitCode == 0)
        func pass(_ seconds: Double) async throws {
            let status = try await command.run("status", "left", "--json")
            let begun = try JSONDecoder().decode(RecordingStatus.self, from: Data(status.output.utf8)).duration ?? 0
            try await eventually(command, "left") { ($0.duration ?? 0) >= begun + seconds }
        }
        try await pass(1)
        #expect(try await command.run("pause", "right").exitCode == 0)
        try await pass(1)
        #expect(try await command.run("resume", "right").exitCode == 0)
        try await pass(1)
        #expect(try await command.run("pause", "@stage").exitCode == 0)
        #expect(try await command.run("resume", "@stage").exitCode == 0)
        try await pass(1)
        let stop = try await command.run("stop", "@stage", "--json")
        #expect(stop.exitCode == 0, "\(stop.errors)")
        return try stop.output.split(separator: "\n").map {
            try #require(try JSONDecoder().decode(RecordingStatus.self, from: Data($0.utf8)).file)
        }
    }

    private func eventually(
        _ command: Command, _ name: String, _ condition: (RecordingStatus) -> Bool
    ) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            let status = try await command.run("status", name, "--json")
            if condition(try JSONDecoder().decode(RecordingStatus.self, from: Data(status.output.utf8))) { return }
        }
        Issue.record("\(name) did not come so far")
    }

    private func clock(_ command: Command, _ path: String) async throws -> RecordingClock {
        let info = try await command.run("info", "--json", path)
        return try #require(try JSONDecoder().decode(MovieSummary.self, from: Data(info.output.utf8)).clock)
    }

    @Test func combine_recordingsWithPauses_playsInChromium() async throws {
        try await Command.inDirectory { command in
            let files = try await pausedRecordings(command)
            let clocks = [try await clock(command, files[0]), try await clock(command, files[1])]
            // The shared pause is the last one, at the same instant and of the same length.
            #expect(clocks.map(\.pauses.count).sorted() == [1, 2])
            let shared = try clocks.map { try #require($0.pauses.last) }
            #expect(abs(shared[0].duration - shared[1].duration) < 1e-6)

            let passed = try await command.run(["combine", "-o", "passed.mp4"] + files)
            #expect(passed.exitCode == 0, "\(passed.errors)")
            #expect(passed.errors.contains("in sync by the machine's own clock; "), "\(passed.errors)")
            #expect(passed.errors.contains("without any recording are left out"), "\(passed.errors)")
            let laid = try await command.run(["combine", "-o", "laid.mp4", "--layout", "side-by-side"] + files)
            #expect(laid.exitCode == 0, "\(laid.errors)")

            let judge = try PythonJudge.run("plays.py", command.path("work"), "passed.mp4", "laid.mp4")
            #expect(judge.status == 0, "\(judge.text)\(judge.errors)")
            let played = try judge.text.split(separator: "\n").map {
                try JSONDecoder().decode(Played.self, from: Data($0.utf8))
            }
            #expect(played.map(\.name) == ["passed.mp4", "laid.mp4"])
            #expect(played.map(\.width) == [320, 640] && played.allSatisfy { $0.height == 240 })
            #expect(
                played.allSatisfy { $0.advanced > 0.3 && $0.end > 0 && $0.error == nil && $0.caught.isEmpty },
                "\(played)")
            // The browser also counts the few frames after the end that a copy keeps because others depend on them.
            #expect(abs(played[0].duration - played[1].duration) < 0.3, "\(played.map(\.duration))")
        }
    }

    /// Returns the time of a track's first frame.
    private func firstFrame(_ path: String, _ track: Int) throws -> Double {
        let shown = try TestSupport.Command.run(
            "ffprobe", "-v", "error", "-select_streams", "v:\(track)", "-show_entries", "packet=pts_time", "-of",
            "csv=p=0", path)
        let times = shown.text.split(whereSeparator: { "\n,".contains($0) }).compactMap { Double($0) }
        return try #require(times.min())
    }

    /// A time namespace acts as another boot, whose clock is 5000 s ahead. Both have the same wall clock.
    @Test func combine_differentMonotonicClocks_syncsByTheWallClock() async throws {
        try await Command.inDirectory { command in
            #expect(try await command.run(["start", "left"] + testSources).exitCode == 0)
            let other = try command.start(
                program: "/usr/bin/unshare",
                ["-rTf", "--monotonic", "5000", "--boottime", "5000", command.executablePath, "start", "right"]
                    + testSources)
            let begun = try await other.result()
            #expect(begun.exitCode == 0, "\(begun.errors)")
            try await eventually(command, "right") { ($0.duration ?? 0) >= 2 }
            var files: [String] = []
            for name in ["left", "right"] {
                let stop = try await command.run("stop", name, "--json")
                #expect(stop.exitCode == 0, "\(stop.errors)")
                let status = try JSONDecoder().decode(RecordingStatus.self, from: Data(stop.output.utf8))
                files.append(try #require(status.file))
            }
            let clocks = [try await clock(command, files[0]), try await clock(command, files[1])]
            #expect(clocks[0].boot != clocks[1].boot && clocks[1].start - clocks[0].start > 4000)
            let combined = try await command.run(["combine", "-o", "both.mov"] + files)
            #expect(combined.exitCode == 0, "\(combined.errors)")
            #expect(combined.errors.contains("wall clocks"), "\(combined.errors)")
            // The delay of the other recorder by the machine's own clock.
            let truth = clocks[1].start - 5000 - clocks[0].start
            let both = command.path("work/both.mov")
            let left = try firstFrame(both, 0) - firstFrame(files[0], 0)
            let right = try firstFrame(both, 1) - firstFrame(files[1], 0)
            // Each reading may be off by a millisecond.
            #expect(abs(right - left - truth) < 0.0025, "\(right - left) \(truth)")
        }
    }
}
