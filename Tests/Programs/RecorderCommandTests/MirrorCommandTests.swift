import Foundation
import Glibc
import TestSupport
import Testing

/// Mirrored recordings, as users make and complete them.
@Suite(.timeLimit(.minutes(10))) struct MirrorCommandTests {
    private let movie = ["--camera", "test", "--microphone", "test", "--size", "320x240", "--preset", "ultrafast"]

    private func make(_ command: Command, _ names: String...) throws {
        for name in names {
            try FileManager.default.createDirectory(
                atPath: command.path("work") + "/" + name, withIntermediateDirectories: true)
        }
    }

    private func names(_ directory: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: directory).filter { $0.hasSuffix(".mov") }.sorted()
    }

    @Test func mirror_signedFiles_areEqualOnBothDisks() async throws {
        try await Command.inDirectory { command in
            try make(command, "a", "b")
            let work = command.path("work")
            _ = try await command.run("key", "new", "-o", "front.key")
            let run = try await command.run(
                [
                    "run", "front", "-o", "a/%Y/t.mov", "--mirror", work + "/b", "--segment", "1s", "--duration",
                    "2500ms",
                    "--sign", "front.key",
                ] + movie)
            #expect(run.exitCode == 0, "\(run.errors)")
            let found = try names(work + "/a")
            #expect(found.count == 3)
            #expect(try found == names(work + "/b"))
            for name in found {
                #expect(FileManager.default.contentsEqual(atPath: "\(work)/a/\(name)", andPath: "\(work)/b/\(name)"))
            }
            let verified = try await command.run(["verify", "--key", "front.key.pub"] + found.map { "b/" + $0 })
            #expect(verified.exitCode == 0, "\(verified.output)\(verified.errors)")
        }
    }

    @Test func mirrorRepair_fileMissingOnOneDisk_isRestored() async throws {
        try await Command.inDirectory { command in
            try make(command, "a", "b")
            let work = command.path("work")
            let run = try await command.run(
                ["run", "front", "-o", "a/t.mov", "--mirror", work + "/b", "--segment", "1s", "--duration", "1800ms"]
                    + movie)
            #expect(run.exitCode == 0, "\(run.errors)")
            try FileManager.default.removeItem(atPath: work + "/a/t.mov")
            try Data("mine".utf8).write(to: URL(fileURLWithPath: work + "/a/notes.txt"))
            let repaired = try await command.run("mirror", "repair", "a", "b")
            #expect(repaired.exitCode == 0, "\(repaired.errors)")
            #expect(
                repaired.output == "\(work)/a/t.mov and \(work)/b/t.mov: intact and identical\n", "\(repaired.output)")
            #expect(try names(work + "/a") == names(work + "/b"))
            #expect(!FileManager.default.fileExists(atPath: work + "/b/notes.txt"))
            let again = try await command.run("mirror", "repair", "a", "b", "--json")
            #expect(again.exitCode == 0 && again.output.contains(#""outcome":"alike""#), "\(again.output)")
        }
    }

    @Test func mirror_missingDirectory_isRefusedBeforeRecording() async throws {
        try await Command.inDirectory { command in
            try make(command, "a")
            let work = command.path("work")
            // A service has no user to ask, and records without the mirror. `start` reports the error.
            let run = try await command.run(["start", "front", "-o", "a/t.mov", "--mirror", work + "/gone"] + movie)
            #expect(run.exitCode != 0 && run.errors.contains(work + "/gone"), "\(run.errors)")
            let relative = try await command.run(["run", "front", "-o", "a/t.mov", "--mirror", "gone"] + movie)
            #expect(relative.exitCode == 64 && relative.errors.contains("absolute path"), "\(relative.errors)")
            #expect(try names(work).isEmpty)
        }
    }
}
