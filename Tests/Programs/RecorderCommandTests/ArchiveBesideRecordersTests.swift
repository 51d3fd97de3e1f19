import Foundation
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderStorage

/// An archive on the recording machine: it runs at the lowest priority, and deletes nothing that a recorder's rules
/// keep.
@Suite(.timeLimit(.minutes(10))) struct ArchiveBesideRecordersTests {
    /// Returns the scheduling policies of all threads of a process (proc(5), the 41st field of `stat`): 5 is
    /// SCHED_IDLE.
    private func policies(_ process: String) -> [Int] {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return threads.compactMap { thread in
            guard
                let text = try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/stat", encoding: .utf8),
                let end = text.lastIndex(of: ")")
            else { return nil }
            let fields = text[end...].split(separator: " ")
            // The third field is the one after the name.
            return fields.count > 39 ? Int(fields[39]) : nil
        }
    }

    /// The recording lasts until the archive ends.
    @Test func archive_besideARecorder_isMadeAtTheLowestPriority() async throws {
        try await Command.inDirectory { command in
            try command.archiveMovies(["a.mov"], seconds: 20)
            try await command.archivePlan("--preset", "slow")
            let start = try await command.run(
                "start", "front", "--camera", "test", "--size", "160x120", "-o", "front.mov")
            #expect(start.exitCode == 0, "\(start.errors)")
            let run = try command.start(["archive", "run", "a.plan"], isAtLowestPriority: true)
            var seen: [Int] = []
            // These include the encoder's own threads. The worker begins with normal priority.
            let isIdle = { seen.count > 6 && seen.allSatisfy { $0 == 5 } }
            try await waitUntil {
                seen = command.archiveWorkers().first.map(policies) ?? []
                return isIdle() || !run.isRunning
            }
            #expect(isIdle(), "\(seen)")
            try await waitUntil { !run.isRunning }
            let end = try await run.result()
            #expect(end.exitCode == 0, "\(end.errors)")
            #expect(command.files(in: "work/out") == ["a.mov"])
            #expect(try await command.run("status", "front").output.contains("recording"))
        }
    }

    /// One recording that is still to be uploaded, and one that a crash left.
    @Test func replace_recordingNotUploaded_keepsItUntilUploaded() async throws {
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
            #expect(kept.errors.contains("not copied to nas:front yet"), "\(kept.errors)")
            #expect(command.files(in: "work/out") == ["one.mov"])
            #expect(command.files(in: "work/in") == ["one.mov", "two.recording.mov"])

            let catalogue = RecordingCatalogue(
                try RecordingName(parsing: "front"), in: StateDirectory(environment: ["HOME": command.path("home")]))
            let entry = try #require(try catalogue.entry(command.path("work/in/one.mov")))
            try catalogue.recordCopied(entry, to: try catalogue.beginCopies(to: "nas:front"))
            let replaced = try await command.run("archive", "run", "a.plan", "--replace")
            #expect(replaced.exitCode == 0, "\(replaced.errors)")
            #expect(command.files(in: "work/in") == ["two.recording.mov"])
            #expect(try await !command.run("list").output.contains("one.mov"))
        }
    }
}
