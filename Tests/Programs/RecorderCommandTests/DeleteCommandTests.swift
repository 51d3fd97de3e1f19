import FileSystem
import Foundation
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderStorage

/// `recorder delete`: the files that a user can delete, and those that are always kept.
@Suite struct DeleteCommandTests {
    private let front: RecordingName
    init() throws { front = try RecordingName(parsing: "front") }

    private func state(_ command: Command) -> StateDirectory {
        StateDirectory(environment: ["HOME": command.path("home")])
    }

    /// Makes files of the recorder front and enters them.
    private func enter(_ names: [String], root: String? = nil, _ command: Command) throws {
        let catalogue = RecordingCatalogue(front, in: state(command))
        for name in names {
            let path = command.path("work/\(name)")
            try FileManager.default.createDirectory(
                atPath: path.parentDirectory, withIntermediateDirectories: true)
            try Data(count: 1000).write(to: URL(fileURLWithPath: path))
            try catalogue.add(path, root: root.map { command.path($0) })
        }
    }

    private func configure(_ text: String, _ command: Command) throws {
        let directory = command.path("home/.config/recorder")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(directory)/front.yaml"))
    }

    @Test func delete_recordings_removesTheirEmptyDirectories() async throws {
        try await Command.inDirectory { command in
            try enter(["day/a.mov", "day/b.mov"], root: "work", command)
            let shown = try await command.run("delete", "day/a.mov", "--dry-run")
            #expect(shown.output == "would delete \(command.path("work/day/a.mov")) · 1.0 kB\n")
            #expect(command.files(in: "work/day") == ["a.mov", "b.mov"])
            let deleted = try await command.run("delete", "day/a.mov", "--yes")
            #expect(deleted.exitCode == 0 && deleted.output == "deleted \(command.path("work/day/a.mov")) · 1.0 kB\n")
            #expect(command.files(in: "work/day") == ["b.mov"])
            let list = try await command.run("list")
            #expect(list.output.contains("b.mov") && !list.output.contains("a.mov"))
            _ = try await command.run("delete", "day/b.mov", "--yes")
            #expect(command.files(in: "work").isEmpty)
        }
    }

    @Test func delete_noTerminal_requiresYes() async throws {
        try await Command.inDirectory { command in
            try enter(["a.mov"], command)
            let result = try await command.run("delete", "a.mov")
            #expect(result.exitCode == 64 && result.errors.contains("--yes"))
            #expect(command.files(in: "work") == ["a.mov"])
        }
    }

    @Test func delete_foreignOrChangedFiles_areKept() async throws {
        try await Command.inDirectory { command in
            try enter(["a.mov", "b.mov", "c.mov"], command)
            try Data(count: 5).write(to: URL(fileURLWithPath: command.path("work/other.mov")))
            try Data(count: 999).write(to: URL(fileURLWithPath: command.path("work/b.mov")))
            try FileManager.default.createSymbolicLink(
                atPath: command.path("work/link.mov"), withDestinationPath: command.path("work/c.mov"))
            let result = try await command.run(
                "delete", "--yes", "--json", "other.mov", "b.mov", "link.mov", "none.mov", "a.mov")
            #expect(result.exitCode == 77)
            #expect(command.files(in: "work") == ["b.mov", "c.mov", "link.mov", "other.mov"])
            #expect(result.errors.contains("other.mov: not in any recorder's catalogue"))
            #expect(result.errors.contains("b.mov: it was changed after it was recorded"))
            let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
            #expect((object?["removed"] as? [[String: Any]])?.count == 1)
            #expect((object?["kept"] as? [Any])?.count == 4)
        }
    }

    @Test func delete_keptFile_isRefusedUnlessAskedFor() async throws {
        try await Command.inDirectory { command in
            try enter(["a.mov", "b.mov"], command)
            let keep = try await command.run("keep", "a.mov", "--note", "broken gate")
            #expect(keep.exitCode == 0, "\(keep.errors)")
            let refused = try await command.run("delete", "a.mov", "b.mov", "--yes")
            #expect(refused.exitCode == 77 && refused.errors.contains("protects it: broken gate"), "\(refused.errors)")
            #expect(command.files(in: "work") == ["a.mov", "a.mov.keep"])
            let shown = try await command.run("delete", "a.mov", "--kept", "--dry-run")
            #expect(shown.output == "would delete \(command.path("work/a.mov")) · 1.0 kB · kept\n")
            let deleted = try await command.run("delete", "a.mov", "--kept", "--yes")
            #expect(deleted.exitCode == 0, "\(deleted.errors)")
            #expect(command.files(in: "work").isEmpty)
        }
    }

    @Test func delete_unfinishedOrNotUploadedFiles_areKept() async throws {
        try await Command.inDirectory { command in
            try enter(["a.mov"], command)
            try Data(count: 5).write(to: URL(fileURLWithPath: command.path("work/new.recording.mov")))
            let growing = try await command.run("delete", "new.recording.mov", "--yes")
            #expect(growing.exitCode == 75 && growing.errors.contains("being recorded"))
            try configure("camera: test\ncopy-to: nas:front\n", command)
            let waiting = try await command.run("delete", "a.mov", "--yes")
            #expect(waiting.exitCode == 75 && waiting.errors.contains("not copied to nas:front"), "\(waiting.errors)")
            #expect(command.files(in: "work") == ["a.mov", "new.recording.mov"])
            let catalogue = RecordingCatalogue(front, in: state(command))
            let entry = try #require(try catalogue.entry(command.path("work/a.mov")))
            try catalogue.recordCopied(entry, to: try catalogue.beginCopies(to: "nas:front"))
            let copied = try await command.run("delete", "a.mov", "--yes")
            #expect(copied.exitCode == 0, "\(copied.errors)")
            #expect(command.files(in: "work") == ["new.recording.mov"])
        }
    }

    @Test func delete_invalidConfiguration_deletesNothing() async throws {
        try await Command.inDirectory { command in
            try enter(["a.mov"], command)
            try configure("copy-to: [", command)
            let result = try await command.run("delete", "a.mov", "--yes")
            #expect(result.exitCode != 0 && result.errors.contains("recorder config check front"))
            #expect(command.files(in: "work") == ["a.mov"])
        }
    }

    @Test func delete_mirroredFile_deletesBothOnceBothAreFinalized() async throws {
        try await Command.inDirectory { command in
            try enter(["first/a.mov"], root: "work/first", command)
            let second = command.path("work/second")
            try FileManager.default.createDirectory(atPath: second, withIntermediateDirectories: true)
            try configure("camera: test\nmirror: \(second)\n", command)
            try Data(count: 700).write(to: URL(fileURLWithPath: second + "/a.recording.mov"))
            let torn = try await command.run("delete", "first/a.mov", "--yes")
            #expect(torn.exitCode == 75 && torn.errors.contains("is incomplete"), "\(torn.errors)")
            #expect(command.files(in: "work/first") == ["a.mov"])
            try FileManager.default.removeItem(atPath: second + "/a.recording.mov")
            try Data(count: 1000).write(to: URL(fileURLWithPath: second + "/a.mov"))
            let copies = RecordingCatalogue(path: state(command).finishedOnMirror(front))
            try copies.add(second + "/a.mov", root: second)
            let alone = try await command.run("delete", "second/a.mov", "--yes")
            #expect(alone.exitCode == 77 && alone.errors.contains("the mirror of another"))
            let both = try await command.run("delete", "first/a.mov", "--yes")
            #expect(both.exitCode == 0, "\(both.errors)")
            #expect(command.files(in: "work/second").isEmpty && command.files(in: "work/first").isEmpty)
            #expect(try copies.recordings.isEmpty)
        }
    }
}
