import Foundation
import Glibc
import TestSupport
import Testing

/// `recorder copy` as users and the service call it.
@Suite(.timeLimit(.minutes(10))) struct CopyCommandTests {
    @Test func copy_noRemote_reportsTheMissingSetting() async throws {
        try await Command.inDirectory { command in
            let result = try await command.run("copy", "front")
            #expect(result.exitCode == 78)
            #expect(result.errors.contains("no remote is configured; add `copy-to: nas:recordings/front` to"))
        }
    }

    /// A typing error in a cron job.
    @Test func copyOnce_unknownName_fails() async throws {
        try await Command.inDirectory { command in
            let there = command.path("there")
            let result = try await command.run("copy", "nosuchname", "--once", "--copy-to", there)
            #expect(result.exitCode == 1 && result.errors.contains("has recorded nothing"), "\(result.errors)")
            #expect(command.files(in: "there").isEmpty)
        }
    }

    @Test(
        arguments: [
            ("nosuch:front", 69, "cannot use nosuch:front: rclone has no such remote"),
            ("/proc/nosuch/front", 74, "a.mov"),
        ] as [(String, Int32, String)])
    func copyOnce_unwritableRemote_fails(remote: String, code: Int32, words: String) async throws {
        try await Command.inDirectory { command in
            let recorded = try await command.run(
                "start", "front", "--foreground", "--camera", "test", "--microphone", "none", "--size", "160x120",
                "--duration", "1s", "--output", "a.mov")
            #expect(recorded.exitCode == 0, "\(recorded.errors)")
            let copying = try command.start(["copy", "front", "--once", "--copy-to", remote])
            try await waitUntil { !copying.isRunning }
            let result = try await copying.result()
            #expect(result.exitCode == code, "\(result.errors)")
            #expect(result.errorLines.last?.contains(words) == true, "\(result.errors)")
        }
    }

    /// A kill between the final name and the catalogue: the next start enters the file, and it is uploaded.
    @Test func copy_fileMissingFromTheCatalogue_isUploaded() async throws {
        try await Command.inDirectory { command in
            func record(_ name: String) async throws {
                let result = try await command.run(
                    "start", "front", "--foreground", "--camera", "test", "--microphone", "none", "--size", "160x120",
                    "--duration", "1s", "--output", name)
                #expect(result.exitCode == 0, "\(result.errors)")
            }
            try await record("a.mov")
            let state = command.path("home/.local/state/recorder")
            try FileManager.default.removeItem(atPath: state + "/front.finished.sqlite")
            try JSONEncoder().encode([command.path("work/a.recording.mov")])
                .write(to: URL(fileURLWithPath: state + "/front.unfinished.json"))
            try await record("b.mov")
            let there = command.path("there")
            try FileManager.default.createDirectory(atPath: there, withIntermediateDirectories: true)
            let copied = try await command.run("copy", "front", "--once", "--copy-to", there)
            #expect(copied.exitCode == 0, "\(copied.errors)")
            #expect(command.files(in: "there") == ["a.mov", "b.mov"])
        }
    }

    /// Otherwise rclone would continue, and the next copier would send the same file again.
    @Test func rclone_copierKilled_ends() async throws {
        try await Command.inDirectory { command in
            let recorded = try await command.run(
                "start", "front", "--foreground", "--camera", "test", "--microphone", "none", "--size", "320x240",
                "--duration", "1s", "--output", "a.mov")
            #expect(recorded.exitCode == 0)
            let there = command.path("there")
            try FileManager.default.createDirectory(atPath: there, withIntermediateDirectories: true)
            let copying = try command.start(["copy", "front", "--copy-to", there, "--copy-limit", "1kB/s"])
            func isSending() -> Bool {
                let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
                return processes.contains { process in
                    let words = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
                    return String(decoding: words, as: UTF8.self).contains("\(there)/a.mov.partial")
                }
            }
            try await waitUntil { isSending() }
            copying.send(SIGKILL)
            _ = try await copying.result()
            try await waitUntil { !isSending() }
        }
    }

    @Test func copy_finishedRecording_isUploadedAndReported() async throws {
        try await Command.inDirectory { command in
            let there = command.path("there")
            try FileManager.default.createDirectory(atPath: there, withIntermediateDirectories: true)
            try """
            output: \(command.path("work"))/a.mov
            camera: test
            microphone: none
            size: 160x120
            copy-to: \(there)
            hook: {copied: 'echo "$RECORDER_EVENT $RECORDER_COPY" >>\(command.path("hook"))'}

            """.write(toFile: command.path("front.yaml"), atomically: true, encoding: .utf8)
            let configuration = ["--config", command.path("front.yaml")]
            let copying = try command.start(["copy", "front"] + configuration)
            try await waitUntil { copying.errors.contains("copying the recordings of front to \(there)") }
            #expect(try await command.run(["copy", "front"] + configuration).exitCode == 75)
            #expect(try await command.run(["start", "front"] + configuration).exitCode == 0)
            let status = try await command.run("status", "front", "--json")
            #expect(status.output.contains("\"copies\":{\"backlog\":{\"bytes\":0,\"files\":0"))
            #expect(try await command.run("status", "front").output.contains("copies to \(there): all files copied"))
            #expect(try await command.run("stop", "front").exitCode == 0)
            let (own, copy) = (command.path("work/a.mov"), there + "/a.mov")
            try await waitUntil { FileManager.default.contentsEqual(atPath: own, andPath: copy) }
            try await waitUntil {
                (try? String(contentsOfFile: command.path("hook"), encoding: .utf8)) == "copied \(copy)\n"
            }
            copying.send(SIGTERM)
            #expect(try await copying.result().exitCode == 0)
        }
    }
}
