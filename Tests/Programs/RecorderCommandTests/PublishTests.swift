import Foundation
import Glibc
import RecorderStorage
import TestSupport
import Testing

/// The program of `recorder-publish@.service`, with FFmpeg as the receiver.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PublishTests {
    private let testSources = ["--camera", "test", "--microphone", "test", "--size", "320x240"]

    /// Starts publishing `front`.
    ///
    /// - Parameters:
    ///   - options: The contents of the credential.
    ///   - programs: A directory whose programs replace those of the system; nil for none.
    private func publish(
        _ command: Command, to place: String, options: String = "#", programs: String? = nil
    ) throws -> Running {
        for name in ["publish", "credentials"] {
            try FileManager.default.createDirectory(atPath: command.path(name), withIntermediateDirectories: true)
        }
        try Data(options.utf8).write(to: URL(fileURLWithPath: command.path("credentials/options")))
        return try command.start(
            program: Project.path("systemd/recorder-publish"), ["front"],
            environment: [
                "TO": place, "RUNTIME_DIRECTORY": command.path("publish"),
                "CREDENTIALS_DIRECTORY": command.path("credentials"),
                "RECORDER_RUNTIME_DIRECTORY": command.path("run/recorder"),
                "PATH": (programs.map { $0 + ":" } ?? "") + "/usr/bin:/bin",
            ])
    }

    /// Writes shell scripts for `publish`. Returns their directory.
    private func replacePrograms(_ scripts: [String: String], in command: Command) throws -> String {
        let directory = command.path("programs")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        for (name, script) in scripts {
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: "\(directory)/\(name)"))
            #expect(chmod("\(directory)/\(name)", 0o755) == 0)
        }
        return directory
    }

    private func state(_ command: Command) -> String {
        (try? String(contentsOfFile: command.path("publish/state"), encoding: .utf8)) ?? ""
    }

    /// Stops the recorder and the publisher, and checks that the recording lost nothing.
    private func end(_ command: Command, _ publisher: Running) async throws {
        publisher.send(SIGTERM)
        let stop = try await command.run("stop", "--json")
        let status = try JSONDecoder().decode(RecordingStatus.self, from: Data(stop.output.utf8))
        #expect(status.video?.dropped.inAll == 0 && status.audio?.dropped.inAll == 0)
        #expect(try await publisher.result().exitCode == 0)
        #expect(state(command).hasPrefix("up 0\n"))
    }

    @Test func publish_toHLS_writesSegmentsThatPlay() async throws {
        try await Command.inDirectory { command in
            let start = try await command.run(["start", "front", "--output", "front.mov"] + testSources)
            #expect(start.exitCode == 0, "\(start.errors)")
            let publisher = try publish(command, to: "hls")
            try await waitUntil { state(command) == "up 1\nrestarts 0\n" || !publisher.isRunning }
            try await waitUntil {
                command.files(in: "publish/hls").contains("index.m3u8") || !publisher.isRunning
            }
            let list = try String(contentsOfFile: command.path("publish/hls/index.m3u8"), encoding: .utf8)
            let segment = try #require(list.split(separator: "\n").last { $0.hasSuffix(".ts") })
            let probe = try Probe(command.path("publish/hls/\(segment)"))
            #expect(Set(probe.streams.compactMap(\.codecName)) == ["h264", "aac"])
            try await end(command, publisher)
        }
    }

    @Test func publish_receiverDies_reconnectsWithTheSecretOnNoCommandLine() async throws {
        try await Command.inDirectory { command in
            let start = try await command.run(["start", "front", "--output", "front.mov"] + testSources)
            #expect(start.exitCode == 0, "\(start.errors)")
            let place = "srt://127.0.0.1:\(Int.random(in: 20_000..<30_000))"
            let publisher = try publish(command, to: place, options: "# for the lab\npassphrase=correct-horse\n")
            for number in 1...2 {
                let movie = command.path("work/\(number).ts")
                let received = try TestSupport.Command.run(
                    "timeout", "120", "ffmpeg", "-nostdin", "-loglevel", "error", "-i",
                    "\(place)?mode=listener&passphrase=correct-horse", "-t", "2", "-c", "copy", movie)
                #expect(received.status == 0, "\(received.errors)")
                #expect(try Set(Probe(movie).streams.compactMap(\.codecName)) == ["h264", "aac"])
            }
            let lines = try TestSupport.Command.run("pgrep", "-a", "-f", "credentials/options").text
            #expect(!lines.contains("correct-horse"), "\(lines)")
            try await waitUntil { !state(command).hasSuffix("restarts 0\n") }
            try await end(command, publisher)
        }
    }

    @Test func publish_streamChangesItsFormat_beginsAgain() async throws {
        try await Command.inDirectory { command in
            // A stream whose second header follows three seconds of video, and that does not end by itself.
            var stream = Data()
            for size in ["160x120", "320x240"] {
                let part = command.path("work/\(size).mp4")
                _ = try TestSupport.Command.run(
                    "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=\(size):rate=10", "-t", "3", "-c:v",
                    "libx264", "-g", "10", "-pix_fmt", "yuv420p", "-movflags", "frag_keyframe+empty_moov", part)
                stream += try Data(contentsOf: URL(fileURLWithPath: part))
            }
            try stream.write(to: URL(fileURLWithPath: command.path("stream.mp4")))
            let programs = try replacePrograms(
                ["curl": "cat \(command.path("stream.mp4"))\nexec sleep 1000"], in: command)
            let publisher = try publish(command, to: "hls", programs: programs)
            try await waitUntil { state(command).contains("restarts 1") || !publisher.isRunning }
            publisher.send(SIGTERM)
            let result = try await publisher.result()
            #expect(result.exitCode == 0 && result.errors.contains("the format of the stream has changed"), "\(result)")
        }
    }

    @Test func publish_withoutARecorder_triesAgain() async throws {
        try await Command.inDirectory { command in
            let publisher = try publish(command, to: "hls")
            try await waitUntil { state(command) == "up 0\nrestarts 2\n" || !publisher.isRunning }
            publisher.send(SIGTERM)
            let result = try await publisher.result()
            #expect(result.exitCode == 0 && result.errors.contains("next attempt in 2 s"), "\(result)")
        }
    }

    @Test func publish_failsAfterSending_triesAgainAfterASecond() async throws {
        try await Command.inDirectory { command in
            let programs = try replacePrograms(
                ["curl": "exec sleep 1000", "ffmpeg": "echo progress=continue"], in: command)
            let publisher = try publish(command, to: "hls", programs: programs)
            try await waitUntil { state(command) == "up 0\nrestarts 3\n" || !publisher.isRunning }
            publisher.send(SIGTERM)
            let errors = try await publisher.result().errors
            #expect(errors.contains("next attempt in 1 s") && !errors.contains("next attempt in 2 s"), "\(errors)")
        }
    }

    @Test func publish_directoryWithOtherFiles_isRefusedAndKeepsThem() async throws {
        try await Command.inDirectory { command in
            let directory = command.path("work/shared")
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            let others = URL(fileURLWithPath: directory).appendingPathComponent("1.ts")
            try Data("another recording".utf8).write(to: others)
            try FileManager.default.setAttributes([.modificationDate: Date.distantPast], ofItemAtPath: others.path)
            let result = try await publish(command, to: directory).result()
            #expect(result.exitCode == 64 && result.errors.contains("has other files"), "\(result)")
            #expect(try Data(contentsOf: others) == Data("another recording".utf8))
        }
    }

    @Test(arguments: ["", "media.example.org", "file.ts", "http://media.example.org/live"])
    func publish_invalidDestination_isRefused(place: String) async throws {
        try await Command.inDirectory { command in
            let result = try await publish(command, to: place).result()
            #expect(result.exitCode == 64 && result.errorLines.count == 1, "\(result)")
        }
    }
}
