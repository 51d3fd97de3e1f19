import FileSystem
import Foundation
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderStorage

/// `recorder keep` and `recorder unkeep`, and what other commands show of them.
@Suite struct KeepCommandTests {
    private let movie = ["--camera", "test", "--microphone", "none", "--size", "320x240"]

    /// Makes files of the recorder front, each a minute long, and enters them.
    private func enter(_ names: [String], _ command: Command) throws {
        let state = StateDirectory(environment: ["HOME": command.path("home")])
        let catalogue = RecordingCatalogue(try RecordingName(parsing: "front"), in: state)
        let first = Date().timeIntervalSince1970 - Double(names.count) * 60
        for (index, name) in names.enumerated() {
            try Data(count: 1000).write(to: URL(fileURLWithPath: command.path("work/\(name)")))
            let begin = first + Double(index) * 60
            try catalogue.add(
                command.path("work/\(name)"), .init(started: begin, duration: 60),
                at: Moment(wall: begin + 60, uptime: 0, boot: ""))
        }
    }

    private func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func keep_file_isListedAndNotDeleted() async throws {
        try await Command.inDirectory { command in
            try enter(["a.mov", "b.mov"], command)
            let kept = try await command.run("keep", "a.mov", "--note", "broken gate")
            #expect(kept.exitCode == 0 && kept.output == "kept \(command.path("work/a.mov")) · 1.0 kB\n")
            let again = try await command.run("keep", "a.mov")
            #expect(again.output == "was kept already: \(command.path("work/a.mov")) · 1.0 kB\n")
            let list = try await command.run("list")
            #expect(list.outputLines.first?.hasSuffix("/a.mov · kept: broken gate") == true, "\(list.output)")
            #expect(list.outputLines.last?.hasSuffix("/b.mov") == true)
            let json = try object(try await command.run("list", "--json").output)
            let recordings = try #require(json["recordings"] as? [[String: Any]])
            #expect(recordings.map { $0["kept"] as? Bool } == [true, false])
            #expect(recordings[0]["note"] as? String == "broken gate" && recordings[0]["keptSince"] is String)
            #expect(recordings[1]["note"] is NSNull && recordings[1]["keptSince"] is NSNull)
            let retention = try await command.run("retention", "front", "--output", "c.mov", "--keep-size", "1B")
            #expect(retention.output.isEmpty, "\(retention.output)")
            #expect(command.files(in: "work") == ["a.mov", "a.mov.keep", "b.mov"])
            let free = try await command.run("unkeep", "a.mov", "--json")
            let entry = try #require((try object(free.output)["recordings"] as? [[String: Any]])?.first)
            #expect(entry["wasKept"] as? Bool == true && entry["kept"] is NSNull)
            _ = try await command.run("retention", "front", "--output", "c.mov", "--keep-size", "1B")
            #expect(command.files(in: "work") == ["b.mov"])
        }
    }

    @Test func keep_last_keepsTheFilesOfThatTime() async throws {
        try await Command.inDirectory { command in
            try enter(["a.mov", "b.mov", "c.mov"], command)
            let kept = try await command.run("keep", "front", "--last", "90s", "--json")
            #expect(kept.exitCode == 0, "\(kept.errors)")
            let files = try #require(try object(kept.output)["recordings"] as? [[String: Any]])
            #expect(files.compactMap { ($0["file"] as? String)?.lastComponent } == ["b.mov", "c.mov"])
            let none = try await command.run("keep", "front", "--from", "2020-01-01 10:00", "--to", "2020-01-01 11:00")
            #expect(none.exitCode == 66 && none.errors.contains("front has no recording from 2020-01-01T10:00:00"))
        }
    }

    @Test func keep_catalogueDamaged_isRebuiltWithThePin() async throws {
        try await Command.inDirectory { command in
            let output = ["--output", "%Y/%m-%d-%H%M%S.mov"]
            let run = ["run", "front", "--segment", "1s", "--duration", "1500ms"] + output + movie
            #expect(try await command.run(run).exitCode == 0)
            let year = try #require(command.files(in: "work").first)
            let names = command.files(in: "work/\(year)")
            #expect(names.count == 2)
            let kept = try #require(names.first)
            #expect(try await command.run("keep", "\(year)/\(kept)", "--note", "gate").exitCode == 0)
            let database = command.path("home/.local/state/recorder/front.finished.sqlite")
            try Data(repeating: 0x20, count: 9000).write(to: URL(fileURLWithPath: database))
            let retention = ["retention", "front", "--keep-size", "1B"] + output
            #expect(try await command.run(retention).exitCode == 74)
            let list = try await command.run("list")
            #expect(list.output.contains("/\(kept) · kept: gate"), "\(list.output)")
            let again = try await command.run(retention)
            #expect(again.exitCode == 0 && again.output.isEmpty, "\(again.output)\(again.errors)")
            #expect(command.files(in: "work/\(year)") == (names + [kept + ".keep"]).sorted())
        }
    }

    @Test(arguments: [
        ("keep", 64), ("keep front --last 5m --from 10:00", 64), ("keep front --to 10:00", 64),
        ("keep a.mov b.mov --last 5m", 64), ("keep front --from noon", 64), ("keep front --last 0", 64),
        ("keep none.mov", 66), ("unkeep none.mov", 66), ("keep nosuch --last 5m", 1),
        ("keep front --from 2026-01-02T00:00:00Z --to 2026-01-01T00:00:00Z", 64),
        ("keep a.mov --keep-range clip", 64), ("keep front --last 5m --keep-range all", 64),
        ("keep a.mov b.mov --resume", 64), ("keep front --resume --last 5m", 64),
    ])
    func keep_invalidArguments_fail(words: String, exitCode: Int32) async throws {
        try await Command.inDirectory { command in
            try enter(["a.mov", "b.mov"], command)
            let result = try await command.run(words.split(separator: " ").map(String.init))
            #expect(result.exitCode == exitCode, "\(result.errors)")
            #expect(result.errors.hasPrefix("recorder: ") && result.errorLines.count == 1, "\(result.errors)")
            #expect(command.files(in: "work") == ["a.mov", "b.mov"])
        }
    }

    @Test func keep_recordingInProgress_staysKeptWhenItIsFinalized() async throws {
        try await Command.inDirectory { command in
            let start = try await command.run(["start", "front", "--output", "a.mov"] + movie)
            #expect(start.exitCode == 0, "\(start.errors)")
            let kept = try await command.run("keep", "front", "--last", "1s", "--note", "gate")
            #expect(kept.exitCode == 0 && kept.output.contains(command.path("work/a.mov")), "\(kept.errors)")
            #expect(command.files(in: "work") == ["a.mov.keep", "a.recording.mov"])
            _ = try await command.run("stop", "front")
            #expect(command.files(in: "work") == ["a.mov", "a.mov.keep"])
            let list = try await command.run("list")
            #expect(list.output.contains("kept: gate"), "\(list.output)")
            let deleted = try await command.run("delete", "a.mov", "--yes")
            #expect(deleted.exitCode == 77)
        }
    }

    private struct Kept: Decodable {
        struct Entry: Decodable { let file: String }

        let recordings: [Entry]
        let clips: [Entry]
        let released: [String]
    }

    @Test func keep_rangeAsClip_replacesTheFiles() async throws {
        try await Command.inDirectory { command in
            let run = ["run", "front", "--segment", "1s", "--duration", "2500ms", "--output", "%H%M%S.mov"] + movie
            #expect(try await command.run(run).exitCode == 0)
            let kept = try await command.run(
                "keep", "front", "--last", "1h", "--keep-range", "clip", "--note", "gate", "--json")
            #expect(kept.exitCode == 0, "\(kept.errors)")
            let answer = try JSONDecoder().decode(Kept.self, from: Data(kept.output.utf8))
            #expect(answer.clips.count == 1 && Set(answer.released) == Set(answer.recordings.map(\.file)))
            let clip = try #require(answer.clips.first).file
            let verified = try await command.run("verify", clip)
            #expect(verified.exitCode == 0, "\(verified.output)")
            let list = try await command.run("list")
            #expect(list.output.contains("\(clip.lastComponent) · kept: gate"), "\(list.output)")
            // Only the clip is kept now, and nothing is left of its making.
            let pins = command.files(in: "work").filter { $0.hasSuffix(".keep") }
            #expect(pins == [clip.lastComponent + ".keep"])
            // The first clip is no source of the second one.
            let second = try await command.run("keep", "front", "--last", "1h", "--keep-range", "clip", "--json")
            let again = try JSONDecoder().decode(Kept.self, from: Data(second.output.utf8))
            #expect(again.clips.count == 1 && again.recordings.map(\.file) == answer.recordings.map(\.file))
            let retention = try await command.run("retention", "front", "--output", "%H%M%S.mov", "--keep-size", "1B")
            #expect(retention.exitCode == 0 && !retention.output.contains("-clip-"), "\(retention.errors)")
            #expect(FileManager.default.fileExists(atPath: clip))
            let left = command.files(in: "home/.local/state/recorder").filter { $0.contains(".range-") }
            #expect(left.isEmpty, "\(left)")
        }
    }

    @Test func keep_rangeOfSignedFilesAsClip_keepsTheProof() async throws {
        try await Command.inDirectory { command in
            #expect(try await command.run("key", "new", "--output", "key").exitCode == 0)
            let run =
                ["run", "front", "--segment", "1s", "--duration", "2500ms", "--output", "%H%M%S.mov", "--sign", "key"]
                + movie
            let recorded = try await command.run(run)
            #expect(recorded.exitCode == 0, "\(recorded.errors)")
            let kept = try await command.run("keep", "front", "--last", "1h", "--keep-range", "clip", "--json")
            #expect(kept.exitCode == 0, "\(kept.errors)")
            let answer = try JSONDecoder().decode(Kept.self, from: Data(kept.output.utf8))
            // A signature covers one file.
            #expect(answer.clips.count == answer.recordings.count && answer.clips.count > 1)
            for clip in answer.clips {
                let verified = try await command.run("verify", clip.file, "--key", "key.pub")
                #expect(verified.exitCode == 0, "\(verified.output)\(verified.errors)")
            }
        }
    }

    @Test func keep_settingInTheFile_decidesAboutRanges() async throws {
        try await Command.inDirectory { command in
            let directory = command.path("home/.config/recorder")
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try Data("camera: test\nkeep-range: both\n".utf8)
                .write(to: URL(fileURLWithPath: directory + "/front.yaml"))
            let run = ["run", "front", "--duration", "1s", "--output", "a.mov"] + movie
            #expect(try await command.run(run).exitCode == 0)
            let kept = try await command.run("keep", "front", "--last", "1h")
            #expect(kept.exitCode == 0, "\(kept.errors)")
            let pins = command.files(in: "work").filter { $0.hasSuffix(".keep") }
            #expect(pins.count == 2 && pins.contains("a.mov.keep"))
            let files = try await command.run("keep", "front", "--last", "1h", "--keep-range", "files")
            #expect(files.exitCode == 0 && files.output.contains("was kept already:"), "\(files.errors)")
        }
    }

    @Test func overwrite_keptFile_isNeverReplaced() async throws {
        try await Command.inDirectory { command in
            let options = ["front", "--output", "a.mov", "--duration", "300ms"] + movie
            let first = try await command.run(["run"] + options)
            #expect(first.exitCode == 0, "\(first.errors)")
            _ = try await command.run("keep", "a.mov")
            let bytes = FileContents.bytes(of: command.path("work/a.mov"))
            let refused = try await command.run(["start"] + options + ["--overwrite"])
            #expect(refused.exitCode == 73 && refused.errors.contains("protects it"), "\(refused.errors)")
            // A service cannot ask for another name.
            let numbered = try await command.run(["run"] + options + ["--overwrite"])
            #expect(numbered.exitCode == 0, "\(numbered.errors)")
            #expect(command.files(in: "work") == ["a-2.mov", "a.mov", "a.mov.keep"])
            let reencoded = try await command.run("reencode", "a-2.mov", "--output", "a.mov", "--overwrite")
            #expect(reencoded.exitCode == 73 && reencoded.errors.contains("protects it"), "\(reencoded.errors)")
            #expect(FileContents.bytes(of: command.path("work/a.mov")) == bytes)
        }
    }
}
