import Foundation
import TestSupport
import Testing

/// Commands with too few resources: each reports the reason and ends, without a trap, hang or crash.
///
/// Disabled under a sanitizer, which needs its own address space.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(if: ["-asan", "-tsan"].allSatisfy { !(CommandLine.arguments.first ?? "").contains($0) }))
struct ResourceLimitTests {
    private static let recording = [
        "run", "front", "--camera", "test", "--microphone", "test", "--size", "320x240", "--duration", "500ms",
        "--output", "front.mov",
    ]

    /// Runs a command with limits in prlimit(1) syntax. A command that hangs is killed.
    private func run(_ command: Command, _ limits: [String], _ words: [String]) throws -> TestSupport.Command {
        try TestSupport.Command.run(
            [
                "env", "-C", command.path("work"), "HOME=\(command.path("home"))",
                "XDG_RUNTIME_DIR=\(command.path("run"))", "timeout", "-s", "KILL", "600", "prlimit",
            ] + limits + [command.executablePath] + words)
    }

    @Test(
        arguments: [
            (["--nofile=12:12"], ["status"], "RLIMIT_NOFILE"), (["--nofile=12:12"], recording, "RLIMIT_NOFILE"),
            (["--nofile=64:64"], recording, "RLIMIT_NOFILE"), (["--as=340000000"], ["status"], "RLIMIT_AS"),
            (["--as=600000000"], recording, "RLIMIT_AS"), (["--data=100000000"], ["status"], "RLIMIT_DATA"),
        ] as [([String], [String], String)])
    func command_tooFewResources_namesTheLimit(limits: [String], words: [String], name: String) async throws {
        try await Command.inDirectory { command in
            let result = try run(command, limits, words)
            #expect(result.status == 69, "\(result.errors)")
            let lines = result.errors.split(separator: "\n").filter { $0.contains("recorder: ") }
            #expect(lines.count == 1 && lines[0].contains(name) && lines[0].contains("ulimit"), "\(result.errors)")
            #expect(command.files(in: "work").isEmpty)
        }
    }

    @Test func run_softFileLimit_isRaised() async throws {
        try await Command.inDirectory { command in
            let result = try run(command, ["--nofile=12:1024"], Self.recording)
            #expect(result.status == 0, "\(result.errors)")
            #expect(command.files(in: "work") == ["front.mov"])
        }
    }

    /// A few kilobytes that decode to frames of a hundred megabytes each.
    @Test func framesAndReencode_veryLargeFrames_reportTooLittleMemory() async throws {
        try await Command.inDirectory { command in
            let movie = command.path("work/large.mov")
            let made = try TestSupport.Command.run(
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=size=8192x8192:rate=25:duration=0.4", "-c:v",
                "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", movie)
            try #require(made.status == 0, "\(made.errors)")
            // Half of the limit is for frames, and one needs a hundred megabytes.
            let result = try run(
                command, ["--as=700000000"], ["frames", movie, "--count", "2", "--output", "%03d.png"])
            #expect(result.status > 0, "\(result.errors)")
            #expect(result.errors.contains("not enough memory"), "\(result.errors)")
            // The limit is enough for decoding, but not for x264.
            let encoding = try run(command, ["--as=1300000000"], ["reencode", movie, "-o", "new.mov"])
            #expect(encoding.status > 0, "\(encoding.errors)")
            #expect(encoding.errors.contains("not enough memory"), "\(encoding.errors)")
            #expect(command.files(in: "work") == ["large.mov"])
        }
    }
}
