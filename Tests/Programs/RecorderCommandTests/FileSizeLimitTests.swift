import Foundation
import MediaTypes
import TestSupport
import Testing

/// Files with a size limit: the recording continues in the next file, and every frame is in one of them.
@Suite(.serialized, .timeLimit(.minutes(10))) struct FileSizeLimitTests {
    private let recording = [
        "start", "--foreground", "--camera", "test", "--microphone", "none", "--size", "640x480", "--frame-rate", "25",
        "--key-frame-interval", "500ms", "--output", "take.mov",
    ]

    private func frames(_ command: Command) throws -> Int {
        try command.files(in: "work").reduce(0) { count, name in
            let probe = try Probe(command.path("work/" + name), decodes: true)
            // If not even the index fits, the file plays as it was recorded.
            let isAsRecorded = name.hasSuffix(".recording.mov")
            #expect(probe.complaints.isEmpty || isAsRecorded, "\(name): \(probe.complaints)")
            return count + (probe.video?.frames ?? 0)
        }
    }

    private func size(_ name: String, _ command: Command) -> Int {
        let facts = try? FileManager.default.attributesOfItem(atPath: command.path("work/" + name))
        return (facts?[.size] as? NSNumber)?.intValue ?? 0
    }

    @Test func recording_fileSizeLimitOfTheProcess_splitsInTime() async throws {
        try await Command.inDirectory { command in
            let script = "ulimit -f 120; \(Command.leavingTemporaryFilesAlone) exec \"$0\" \"$@\""
            let words = ["bash", "-c", script, command.executablePath] + recording + ["--duration", "6s"]
            let result = try await command.start(program: "/usr/bin/env", words).result()
            #expect(result.exitCode == 0, "\(result.errors)")
            let names = command.files(in: "work")
            #expect(
                names.count >= 2 && names.allSatisfy { size($0, command) <= 120 << 10 && !$0.contains("recording") })
            #expect(try VideoAccount([result]).isKept(in: try frames(command), of: 150), "\(result.errors)")
        }
    }

    @Test func recording_fileSizeLimitSetLater_keepsEveryFrame() async throws {
        try await Command.inDirectory { command in
            let running = try command.start(recording + ["--duration", "8s"])
            try await waitUntil { size("take.recording.mov", command) > 8_000 }
            // From now on, no file can be larger.
            let limit = size("take.recording.mov", command) + 100_000
            let limited = try TestSupport.Command.run("prlimit", "--pid", "\(running.processID)", "--fsize=\(limit)")
            #expect(limited.status == 0)
            let result = try await running.result()
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(result.errors.contains("continues in a new file"))
            #expect(command.files(in: "work").count >= 2)
            #expect(try VideoAccount([result]).isKept(in: try frames(command), of: 200), "\(result.errors)")
        }
    }
}
