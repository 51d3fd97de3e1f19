import Foundation
import RecorderStorage
import Testing

/// Typing errors that would record the wrong thing, reported before any device opens.
@Suite(.timeLimit(.minutes(10))) struct MistypedWordTests {
    private func configure(_ name: String, _ text: String, _ command: Command) throws {
        let directory = command.path("home/.config/recorder")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(directory)/\(name).yaml"))
    }

    @Test(arguments: [["start", "yrad"], ["run", "yrad"], ["start", "yrad", "--foreground", "--json"]])
    func start_nameSimilarToAConfiguration_isRefused(words: [String]) async throws {
        try await Command.inDirectory { command in
            try configure("yard", "camera: test\nmicrophone: none\n", command)
            let refused = try await command.run(words)
            #expect(refused.exitCode == 64)
            #expect(refused.output.isEmpty && refused.errorLines.count == 1)
            #expect(refused.errors.contains("did you mean “yard”?"), "\(refused.errors)")
            #expect(command.files(in: "run/recorder").isEmpty)
            #expect(command.files(in: "work").isEmpty && command.files(in: "home/Videos").isEmpty)
        }
    }

    @Test func run_similarNameWithOptions_records() async throws {
        try await Command.inDirectory { command in
            try configure("yard", "camera: test\n", command)
            let run = try await command.run(
                "run", "yrad", "--camera", "test", "--microphone", "none", "--size", "320x240", "--duration", "300ms",
                "-o", "a.mov")
            #expect(run.exitCode == 0, "\(run.errors)")
            #expect(command.files(in: "work") == ["a.mov"])
        }
    }

    @Test func environment_mistypedVariable_isRefusedAndUnknownOneReported() async throws {
        try await Command.inDirectory { command in
            let words = ["--camera", "test", "--microphone", "none", "--size", "320x240", "--duration", "300ms"]
            let refused = try await command.start(
                ["start"] + words, environment: ["RECORDER_OUTPTU": "/nowhere/a.mov"]
            ).result()
            #expect(refused.exitCode == 78)
            #expect(refused.errors.contains("did you mean “RECORDER_OUTPUT”?"), "\(refused.errors)")
            #expect(command.files(in: "home/Videos").isEmpty)
            let told = try await command.start(
                ["run", "--output", "a.mov"] + words,
                environment: ["RECORDER_UPLOAD_TOKEN": "x", "RECORDER_FILE": "/a.mov", "RECORDER_EVENT": "stop"]
            ).result()
            #expect(told.exitCode == 0, "\(told.errors)")
            #expect(told.errors.contains("ignoring unknown variable RECORDER_UPLOAD_TOKEN"))
            #expect(!told.errors.contains("RECORDER_FILE") && !told.errors.contains("RECORDER_EVENT"))
        }
    }

    @Test func start_nameSimilarToAnArmedRecorder_isRefused() async throws {
        try await Command.inDirectory { command in
            let goal = ServedRecording(RecordingStatus(name: "goal", state: .armed))
            try await ServedRecording.serve(goal, in: command) {
                let refused = try await command.run("start", "gaol")
                #expect(refused.exitCode == 64)
                #expect(refused.errors.contains("did you mean “goal”?"), "\(refused.errors)")
                #expect(try await command.run("stop", "gaol").errors.contains("did you mean “goal”?"))
                #expect(goal.told.isEmpty)
            }
        }
    }
}
