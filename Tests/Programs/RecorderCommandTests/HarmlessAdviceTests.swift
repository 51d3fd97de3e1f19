import Foundation
import Glibc
import TestSupport
import Testing

/// No message advises a step that can lose a recording, and a repair is reported on the terminal.
@Suite(.serialized, .timeLimit(.minutes(10))) struct HarmlessAdviceTests {
    private let sources = ["--camera", "test", "--microphone", "none", "--size", "160x120"]

    private func start(_ name: String, _ file: String, _ command: Command) async throws -> Command.Result {
        try await command.run(["start", name] + sources + ["-o", file])
    }

    /// Kills a recorder during a recording.
    private func crash(_ name: String, _ command: Command) async throws {
        let lock = command.path("run/recorder/\(name).lock")
        let text = try String(contentsOfFile: lock, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        let process = try #require(Int32(text))
        kill(process, SIGKILL)
        try await waitUntil {
            kill(process, 0) != 0 || !FileManager.default.isReadableFile(atPath: "/proc/\(process)/exe")
        }
    }

    private func isHarmless(_ text: String) -> Bool {
        ["--overwrite", "move ", "delete", "rm "].allSatisfy { !text.contains($0) }
    }

    @Test func start_fixedNameAfterACrash_reportsWhereTheRecordingIs() async throws {
        try await Command.inDirectory { command in
            #expect(try await start("kk", "kk2.mov", command).exitCode == 0)
            try await crash("kk", command)
            let (source, movie) = (command.path("work/kk2.recording.mov"), command.path("work/kk2.mov"))
            let second = try await start("kk", "kk2.mov", command)
            #expect(second.exitCode == 73)
            let lines = second.errorLines
            #expect(lines.count == 2 && isHarmless(second.errors), "\(second.errors)")
            #expect(
                lines.first?.hasPrefix("recorder: repaired an interrupted recording: \(source) → \(movie): ") == true)
            #expect(lines.last?.contains("a repaired recording has this name") == true)
            let third = try await start("kk", "kk2.mov", command)
            #expect(third.exitCode == 73 && isHarmless(third.errors), "\(third.errors)")
            #expect(command.files(in: "work") == ["kk2.mov"])
        }
    }

    @Test func start_otherNameAfterACrash_reportsTheRepair() async throws {
        try await Command.inDirectory { command in
            #expect(try await start("kk", "a.mov", command).exitCode == 0)
            try await crash("kk", command)
            let words = ["start", "kk"] + sources + ["-o", "a.mov", "--overwrite"]
            let second = try await command.run(words + ["--json"])
            #expect(second.exitCode == 0, "\(second.errors)")
            let object = try JSONSerialization.jsonObject(with: Data(second.output.utf8)) as? [String: Any]
            let repaired = try #require(object?["repaired"] as? [[String: Any]])
            #expect(repaired.map { $0["source"] as? String } == [command.path("work/a.recording.mov")])
            #expect(repaired.map { $0["file"] as? String } == [command.path("work/a-2.mov")])
        }
    }

    @Test func start_fileOfAnotherRecorder_namesThatRecorder() async throws {
        try await Command.inDirectory { command in
            #expect(try await start("dup", "dup.mov", command).exitCode == 0)
            let other = try await start("other", "dup.mov", command)
            #expect(other.exitCode == 73 && isHarmless(other.errors), "\(other.errors)")
            #expect(other.errors.contains("dup.recording.mov exists: dup is recording it; choose another name"))
            try await crash("dup", command)
            let late = try await start("other", "dup.mov", command)
            #expect(late.exitCode == 73 && isHarmless(late.errors), "\(late.errors)")
            #expect(late.errors.contains("`recorder repair \(command.path("work/dup.recording.mov"))` finalizes"))
        }
    }

    @Test func start_existingMovie_isRefusedWithoutAdviceToReplaceIt() async throws {
        try await Command.inDirectory { command in
            let movie = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=160x120:d=1:r=10", "-c:v", "libx264"]
            try MadeFile.copy(of: movie, to: URL(fileURLWithPath: command.path("work/a.mov")))
            try MadeFile.copy(of: movie, to: URL(fileURLWithPath: command.path("work/b.mov")))
            for words in [["start", "k", "-o", "a.mov"] + sources, ["reencode", "a.mov", "-o", "b.mov"]] {
                let refused = try await command.run(words)
                #expect(refused.exitCode == 73 && isHarmless(refused.errors), "\(refused.errors)")
            }
        }
    }
}
