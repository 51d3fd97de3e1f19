import Foundation
import MediaTypes
import RecorderStorage
import TestSupport
import Testing

/// Several recorders controlled as one, with the test sources, in real time.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SeveralRecordersTests {
    private let testSources = ["--camera", "test", "--microphone", "test", "--size", "320x240"]

    @Test func startAndStop_group_beginAndEndTogether() async throws {
        try await Command.inDirectory { command in
            let start = try await command.run(["start", "left", "right", "--group", "stage"] + testSources)
            #expect(start.exitCode == 0, "\(start.errors)")
            #expect(start.output.matches(of: /recording (left|right) → \/\S+\.mov \(pid \d+\)/).count == 2)
            let status = try await command.run("status", "@stage", "--json")
            let statuses = try status.output.split(separator: "\n").map {
                try JSONDecoder().decode(RecordingStatus.self, from: Data($0.utf8))
            }
            #expect(statuses.map(\.state) == [.recording, .recording] && statuses.map(\.group) == ["stage", "stage"])
            try await waitUntil { command.files(in: "run/recorder").filter { $0.hasSuffix(".sock") }.count == 2 }
            let stop = try await command.run("stop", "@stage", "--json")
            #expect(stop.exitCode == 0, "\(stop.errors)")
            let ends = try stop.output.split(separator: "\n").map {
                try JSONDecoder().decode(RecordingStatus.self, from: Data($0.utf8))
            }
            // Neither waits for the next recording, and their lengths match to the frame.
            #expect(ends.map(\.state) == [.stopping, .stopping])
            let lengths = try ends.map { try #require($0.duration) }
            #expect(abs(lengths[0] - lengths[1]) < 0.05, "\(lengths)")
            #expect(command.files(in: "run/recorder").allSatisfy { $0.hasSuffix(".lock") })
            let files = try ends.map { try #require($0.file) }
            let combined = try await command.run(["combine", "-o", "both.mov"] + files)
            #expect(combined.exitCode == 0, "\(combined.errors)")
            #expect(combined.errors.contains("in sync by the machine's own clock"))
            // The encoders had continued. No copy shows the frames after the end, which other frames depend on.
            let alone = try await shown(command, files[0])
            let together = try await shown(command, "both.mov")
            // libavformat may or may not count a frame that the end divides.
            #expect(alone.count == 1 && together.count == 2)
            #expect(together.allSatisfy { abs($0 - alone[0]) <= 1 }, "\(together) \(alone)")
        }
    }

    /// Returns the number of shown frames of each video track.
    private func shown(_ command: Command, _ path: String) async throws -> [Int] {
        let info = try await command.run("info", "--json", path)
        let summary = try JSONDecoder().decode(MovieSummary.self, from: Data(info.output.utf8))
        return summary.tracks.filter { $0.type == "video" }.compactMap { $0.shownFrameCount ?? $0.frameCount }
    }

    @Test func start_oneOfAGroupFails_startsNoneUnlessAllowed() async throws {
        try await Command.inDirectory { command in
            let files = command.path("home/.config/recorder")
            try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
            func configure(_ name: String, _ text: String) throws {
                try Data(text.utf8).write(to: URL(fileURLWithPath: "\(files)/\(name).yaml"))
            }
            try configure("left", "camera: test\nmicrophone: test\nsize: 320x240\ngroup: stage\n")
            try configure("right", "camera: /dev/no-such-camera\nmicrophone: none\ngroup: stage\n")
            let none = try await command.run("start", "@stage")
            #expect(none.exitCode != 0)
            #expect(none.errors.contains("/dev/no-such-camera"), "\(none.errors)")
            #expect(none.errors.contains("--as-many-as-can starts left"), "\(none.errors)")
            #expect(try await command.run("status").exitCode == 1)
            let some = try await command.run("start", "@stage", "--as-many-as-can")
            #expect(some.exitCode == none.exitCode)
            #expect(some.output.hasPrefix("recording left → "), "\(some.output)")
            let again = try await command.run("start", "left", "right")
            #expect(again.errors.contains("cannot start left: it is already recording"), "\(again.errors)")
            #expect(try await command.run("stop", "@stage").exitCode == 0)
        }
    }

    @Test func start_emptyGroup_isRefused() async throws {
        try await Command.inDirectory { command in
            let result = try await command.run("start", "@stage")
            #expect(result.exitCode == 64)
            #expect(result.errors.contains("no recorder belongs to group stage"))
            #expect(try await command.run("start", "a", "b", "--foreground").exitCode == 64)
        }
    }
}
