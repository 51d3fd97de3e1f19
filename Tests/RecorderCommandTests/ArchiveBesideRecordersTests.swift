import Foundation
import Glibc
import TestSupport
import Testing

@testable import RecorderService

/// An archive is made on the machine that records: it gives way, and deletes nothing that a recorder's rules keep.
@Suite(.timeLimit(.minutes(5))) struct ArchiveBesideRecordersTests {
    /// proc(5), the third field of `stat`: T is stopped.
    private func state(_ process: String) -> Character? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        return text[end...].dropFirst(2).first
    }

    @Test func workersHoldStillWhileARecorderRecordsAndGoOnAfterwards() async throws {
        try await Command.inDirectory { command in
            try command.archiveFilms(["a.mov"], seconds: 120)
            try await command.archivePlan("--preset", "placebo")
            let run = try command.start(["archive", "run", "a.plan"])
            try await waitUntil { !command.hiddenArchives().isEmpty }
            let start = try await command.run(
                "start", "front", "--camera", "test", "--size", "320x240", "-o", "front.mov")
            #expect(start.exitCode == 0, "\(start.errors)")
            try await waitUntil { command.archiveWorkers().contains { state($0) == "T" } }
            #expect(command.files(in: "work/out").allSatisfy { $0.hasPrefix(".") })
            #expect(try await command.run("stop", "front").exitCode == 0)
            let end = try await run.result()
            #expect(end.exitCode == 0, "\(end.errors)")
            #expect(command.files(in: "work/out") == ["a.mov"])
        }
    }

    /// A recording that is still to be copied elsewhere, and one that was torn.
    @Test func whatARecordersRulesKeepIsNotReplaced() async throws {
        try await Command.inDirectory { command in
            try FileManager.default.createDirectory(atPath: command.path("work/in"), withIntermediateDirectories: true)
            let source = ["--camera", "test", "--size", "320x240"]
            for (name, file) in [("front", "one.mov"), ("other", "two.mov")] {
                let start = try await command.run(["start", name] + source + ["-o", "in/\(file)"])
                #expect(start.exitCode == 0, "\(start.errors)")
                let process = try #require(start.output.firstMatch(of: /\(pid (\d+)\)/).flatMap { pid_t($0.1) })
                if name == "front" {
                    #expect(try await command.run("stop", name).exitCode == 0)
                } else {
                    kill(process, SIGKILL)
                    try await waitUntil { kill(process, 0) != 0 }
                }
            }
            let home = command.path("home/.config/recorder")
            try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
            try Data("camera: test\ncopy-to: nas:front\n".utf8).write(to: URL(fileURLWithPath: "\(home)/front.yaml"))

            try await command.archivePlan()
            let plan = try String(contentsOfFile: command.path("work/a.plan"), encoding: .utf8)
            #expect(plan.contains(#""skipped""#) && plan.contains("two.recording.mov"), "\(plan)")
            let kept = try await command.run("archive", "run", "a.plan", "--replace")
            #expect(kept.errors.contains("no copy at nas:front yet"), "\(kept.errors)")
            #expect(command.files(in: "work/out") == ["one.mov"])
            #expect(command.files(in: "work/in") == ["one.mov", "two.recording.mov"])

            let catalogue = RecordingCatalogue(
                try RecordingName(parsing: "front"), in: StateDirectory(environment: ["HOME": command.path("home")]))
            let entry = try #require(try catalogue.entry(command.path("work/in/one.mov")))
            try catalogue.noteCopied(entry, to: try catalogue.beginCopies(to: "nas:front"))
            let replaced = try await command.run("archive", "run", "a.plan", "--replace")
            #expect(replaced.exitCode == 0, "\(replaced.errors)")
            #expect(command.files(in: "work/in") == ["two.recording.mov"])
            #expect(try await !command.run("list").output.contains("one.mov"))
        }
    }
}
