import Foundation
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderStorage

/// The output of `retention`, `list` and `start` about finished recordings.
@Suite struct RetentionCommandTests {
    private let movie = ["--camera", "test", "--microphone", "none", "--size", "320x240"]

    private func enter(_ names: [String], _ command: Command) throws {
        let state = StateDirectory(environment: ["HOME": command.path("home")])
        let catalogue = RecordingCatalogue(try RecordingName(parsing: "front"), in: state)
        for name in names {
            try Data(count: 1_000_000).write(to: URL(fileURLWithPath: command.path("work/\(name)")))
            try catalogue.add(command.path("work/\(name)"))
        }
    }

    @Test func retentionAndList_unknownName_fail() async throws {
        try await Command.inDirectory { command in
            for words in [["retention", "nosuch"], ["list", "nosuch"], ["retention", "nosuch", "--keep-for", "3d"]] {
                let result = try await command.run(words)
                #expect(result.exitCode == 1)
                #expect(result.errors == "recorder: nosuch has recorded nothing, and there is no nosuch.yaml\n")
            }
            #expect(command.files(in: "home").isEmpty)
            let list = try await command.run("list", "--json").output
            #expect(list == "{\"recordings\":[],\"interrupted\":[]}\n")
        }
    }

    @Test func retention_outputInAnotherDirectory_keepsTheUsualOne() async throws {
        try await Command.inDirectory { command in
            try enter(["a.mov", "b.mov"], command)
            try FileManager.default.createDirectory(
                atPath: command.path("work/elsewhere"), withIntermediateDirectories: false)
            let run = try await command.run(
                ["run", "front", "--output", "elsewhere/c.mov", "--keep-size", "1B", "--duration", "300ms"] + movie)
            #expect(run.exitCode == 0, "\(run.errors)")
            #expect(command.files(in: "work") == ["a.mov", "b.mov", "elsewhere"])
            let elsewhere = try await command.run("retention", "front", "--output", "none/c.mov", "--keep-size", "1B")
            #expect(elsewhere.output.isEmpty)
            #expect(elsewhere.errors.contains("3 of this recorder's recordings, in \(command.path("work"))"))
            let here = try await command.run("retention", "front", "--output", "c.mov", "--keep-size", "1B")
            #expect(here.output == "\(command.path("work/a.mov")) · 1.0 MB · more than 1B in total\n")
        }
    }

    @Test func startAndStatus_retention_reportTheDeletions() async throws {
        try await Command.inDirectory { command in
            try enter(["a.mov", "b.mov"], command)
            let start = try await command.run(
                ["start", "front", "--output", "%H-%M-%S.mov", "--keep-size", "1500k"] + movie)
            #expect(start.exitCode == 0, "\(start.errors)")
            #expect(start.output.contains("deleting 1 finished recording (1.0 MB) below \(command.path("work")):"))
            #expect(start.output.contains("\(command.path("work/a.mov")) · 1.0 MB · more than 1500k in total"))
            try await waitUntil { !command.files(in: "work").contains("a.mov") }
            #expect(command.files(in: "work").contains("b.mov"))
            let json = try await command.run("status", "front", "--json")
            let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
            let retention = try #require(object?["retention"] as? [String: Any])
            #expect((retention["planned"] as? [String: Any])?["files"] as? Int == 1)
            #expect((retention["removed"] as? [String: Any])?["bytes"] as? Int == 1_000_000)
            let status = try await command.run("status", "front")
            #expect(status.output.contains("deleted 1 finished recording (1.0 MB)"))
            _ = try await command.run("stop", "front")
        }
    }

    @Test func list_reportsStartDurationEndAndFile() async throws {
        try await Command.inDirectory { command in
            let run = try await command.run(
                ["run", "front", "--output", "%H%M%S.mov", "--segment", "1s", "--duration", "1500ms"] + movie)
            #expect(run.exitCode == 0, "\(run.errors)")
            let json = try await command.run("list", "front", "--json")
            let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
            let recordings = try #require(object?["recordings"] as? [[String: Any]])
            #expect(recordings.map { $0["ending"] as? String } == ["split", "duration"])
            #expect(recordings.allSatisfy { $0["isThere"] as? Bool == true && $0["started"] is String })
            let length = recordings.compactMap { $0["duration"] as? Double }.reduce(0, +)
            #expect(abs(length - 1.5) < 0.1)
            let last = try #require(recordings.last?["file"] as? String)
            try FileManager.default.moveItem(atPath: last, toPath: last + ".mine")
            let text = try await command.run("list")
            #expect(text.outputLines.count == 2)
            #expect(text.outputLines.last?.hasSuffix("· reached --duration · \(last) · moved or changed") == true)
        }
    }

    @Test func catalogue_damaged_isRebuiltFromOwnFilesOnly() async throws {
        try await Command.inDirectory { command in
            let words = ["run", "front", "--output", "%Y/%m-%d-%H%M%S.mov", "--duration", "1s"] + movie
            #expect(try await command.run(words).exitCode == 0)
            let year = try #require(command.files(in: "work").first)
            let name = try #require(command.files(in: "work/\(year)").first)
            let own = command.path("work/\(year)/\(name)")
            try FileManager.default.copyItem(atPath: own, toPath: command.path("work/\(year)/copy.mov"))
            let database = command.path("home/.local/state/recorder/front.finished.sqlite")
            try Data(repeating: 0x20, count: 9000).write(to: URL(fileURLWithPath: database))
            let options = ["retention", "front", "--output", "%Y/%m-%d-%H%M%S.mov", "--keep-for", "100ms"]
            let damaged = try await command.run(options)
            #expect(damaged.exitCode == 74)
            #expect(damaged.errors.contains("is damaged"))
            #expect(command.files(in: "work/\(year)") == [name, "copy.mov"].sorted())
            // Only the calendar determines the age, and only from the next boot on.
            let list = try await command.run("list", "front", "--json")
            #expect(list.output.contains(own))
            #expect(!list.output.contains("copy.mov"))
        }
    }
}
