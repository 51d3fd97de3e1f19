import Foundation
import TestSupport
import Testing

/// Signing and verifying on the command line.
@Suite(.timeLimit(.minutes(10))) struct VerifyCommandTests {
    private let movie = ["--camera", "test", "--microphone", "test", "--size", "320x240"]

    @Test func verify_signedFiles_areGenuineUntilAltered() async throws {
        try await Command.inDirectory { command in
            let key = try await command.run("key", "new", "-o", "front.key")
            #expect(key.exitCode == 0 && key.output.contains("front.key.pub"))
            let again = try await command.run("key", "new", "-o", "front.key")
            #expect(again.exitCode == 73)
            let run = try await command.run(
                ["run", "front", "-o", "t.mov", "--sign", "front.key", "--segment", "1s", "--duration", "1800ms"]
                    + movie
            )
            #expect(run.exitCode == 0, "\(run.errors)")
            let verified = try await command.run("verify", "--key", "front.key.pub", "t.mov", "t-002.mov")
            #expect(verified.exitCode == 0, "\(verified.output)\(verified.errors)")
            #expect(verified.output.contains("genuine") && verified.output.contains("signed end"))
            let path = command.path("work") + "/t-002.mov"
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            bytes[bytes.count / 2] ^= 1
            try bytes.write(to: URL(fileURLWithPath: path))
            let altered = try await command.run("verify", "--key", "front.key.pub", "t.mov", "t-002.mov", "--json")
            #expect(altered.exitCode == 65)
            let object = try JSONSerialization.jsonObject(with: Data(altered.output.utf8)) as? [String: Any]
            let signatures = try #require(object?["signatures"] as? [[String: Any]])
            #expect(signatures.map { $0["verdict"] as? String } == ["genuine", "altered"])
        }
    }

    @Test(arguments: ["t.mp4", "t.m4v", "t.m4a"]) func verify_signedInEveryContainer_isGenuine(name: String)
        async throws
    {
        try await Command.inDirectory { command in
            _ = try await command.run("key", "new", "-o", "front.key")
            let camera = name.hasSuffix("a") ? ["--camera", "none", "--microphone", "test"] : movie
            let run = try await command.run(
                ["run", "front", "-o", name, "--sign", "front.key", "--duration", "1200ms"] + camera)
            #expect(run.exitCode == 0, "\(run.errors)")
            let verified = try await command.run("verify", "--key", "front.key.pub", name)
            #expect(verified.exitCode == 0 && verified.output.contains(", signed end"), "\(verified.output)")
            let other = try PythonJudge.run(
                "signature.py", command.path("work") + "/front.key.pub", command.path("work") + "/" + name)
            #expect(other.text.contains("\"genuine\", \"end\": true"), "\(other.text)")
        }
    }

    @Test(arguments: ["hevc", "av1"]) func verify_signedFilesOfOtherCodecs_areGenuine(codec: String) async throws {
        try await Command.inDirectory { command in
            _ = try await command.run("key", "new", "-o", "front.key")
            let run = try await command.run(
                [
                    "run", "front", "-o", "t.mov", "--sign", "front.key", "--codec", codec, "--segment", "1s",
                    "--duration", "1800ms",
                ] + movie)
            #expect(run.exitCode == 0, "\(run.errors)")
            let verified = try await command.run("verify", "--key", "front.key.pub", "t.mov", "t-002.mov")
            #expect(verified.exitCode == 0, "\(verified.output)\(verified.errors)")
            #expect(verified.output.contains("genuine") && verified.output.contains("signed end"))
            for name in ["t.mov", "t-002.mov"] {
                let probe = try Probe(command.path("work/" + name), decodes: true)
                #expect(probe.complaints == "" && probe.video?.codecName == codec)
            }
        }
    }

    @Test func verify_signedUncompressedAudio_isGenuine() async throws {
        try await Command.inDirectory { command in
            _ = try await command.run("key", "new", "-o", "front.key")
            let run = try await command.run(
                ["run", "front", "-o", "t.mov", "--sign", "front.key", "--duration", "1500ms", "--audio-codec", "pcm"]
                    + movie)
            #expect(run.exitCode == 0, "\(run.errors)")
            let verified = try await command.run("verify", "--key", "front.key.pub", "t.mov")
            #expect(verified.exitCode == 0, "\(verified.output)\(verified.errors)")
            let other = try PythonJudge.run(
                "signature.py", command.path("work") + "/front.key.pub", command.path("work") + "/t.mov")
            #expect(other.text.contains("genuine"), "\(other.text)")
        }
    }

    @Test(arguments: [("t.mov", "aac"), ("t.mov", "pcm"), ("t.mp4", "aac")])
    func verify_cutOfASignedRecording_isGenuine(name: String, codec: String) async throws {
        try await Command.inDirectory { command in
            _ = try await command.run("key", "new", "-o", "front.key")
            let run = try await command.run(
                ["run", "front", "-o", name, "--sign", "front.key", "--duration", "3s", "--audio-codec", codec] + movie)
            #expect(run.exitCode == 0, "\(run.errors)")
            let cut = "cut-" + name
            let made = try await command.run(
                "reencode", name, "-o", cut, "--codec", "passthrough", "--from", "1.234s", "--to", "2.5s")
            #expect(made.exitCode == 0 && !made.errors.contains("the signature"), "\(made.errors)")
            let verified = try await command.run("verify", "--key", "front.key.pub", cut)
            #expect(
                verified.exitCode == 0 && verified.output.contains("a cut that starts at 1.23 s"), "\(verified.output)")
            let other = try PythonJudge.run(
                "signature.py", command.path("work") + "/front.key.pub", command.path("work") + "/" + cut)
            #expect(other.text.contains("genuine"), "\(other.text)")
            // Programs that know nothing of signatures play it like any other movie.
            let played = try TestSupport.Command.run(
                "ffmpeg", "-v", "error", "-xerror", "-i", command.path("work") + "/" + cut, "-f", "null", "-")
            #expect(played.status == 0 && played.errors.isEmpty, "\(played.errors)")
        }
    }

    @Test func reencode_signatureCannotBeKept_reportsWhy() async throws {
        try await Command.inDirectory { command in
            _ = try await command.run("key", "new", "-o", "front.key")
            let run = try await command.run(
                ["run", "front", "-o", "t.mov", "--sign", "front.key", "--duration", "2s"] + movie)
            #expect(run.exitCode == 0, "\(run.errors)")
            for (name, more, reason) in [
                ("a.mp4", ["--codec", "passthrough"], "another container"), ("b.mov", [], "re-encoded"),
                ("c.mov", ["--codec", "passthrough", "--rotate", "90"], "rotation"),
                ("m.mov", ["--mask", "0,0 50,0 50,50"], "re-encoded"),
            ] {
                let made = try await command.run(["reencode", "t.mov", "-o", name] + more)
                #expect(made.exitCode == 0 && made.errors.contains("left out: the signature: "), "\(made.errors)")
                #expect(made.errors.contains(reason), "\(made.errors)")
                #expect(try await command.run("verify", "--key", "front.key.pub", name).exitCode == 65)
            }
            _ = try await command.run("reencode", "t.mov", "-o", "d.mov", "--codec", "passthrough", "--to", "1s")
            let again = try await command.run("reencode", "d.mov", "-o", "e.mov", "--codec", "passthrough")
            #expect(again.errors.contains("the file is a cut itself"), "\(again.errors)")
            let joined = try await command.run("reencode", "t.mov", "t.mov", "-o", "f.mov", "--codec", "passthrough")
            #expect(joined.errors.contains("left out: the signature: "), "\(joined.errors)")
        }
    }

    @Test func run_missingOrInvalidKey_isRefusedBeforeRecording() async throws {
        try await Command.inDirectory { command in
            let missing = try await command.run(["run", "front", "-o", "t.mov", "--sign", "gone.key"] + movie)
            #expect(missing.exitCode == 66 && missing.errors.contains("gone.key"), "\(missing.errors)")
            try Data("no key".utf8).write(to: URL(fileURLWithPath: command.path("work") + "/bad.key"))
            #expect(chmod(command.path("work") + "/bad.key", 0o600) == 0)
            let bad = try await command.run(["run", "front", "-o", "t.mov", "--sign", "bad.key"] + movie)
            #expect(bad.exitCode == 65 && bad.errors.contains("recorder key new"), "\(bad.errors)")
            #expect(!FileManager.default.fileExists(atPath: command.path("work") + "/t.mov"))
            let unsigned = try await command.run("verify", "--key", "bad.key", "t.mov")
            #expect(unsigned.exitCode == 65)
        }
    }

    @Test func verify_oldNameOfMinSSIM_namesTheNewOne() async throws {
        try await Command.inDirectory { command in
            let old = try await command.run("verify", "a.mov", "--against", "b.mov", "--likeness", "0.9")
            #expect(old.exitCode == 64 && old.output.isEmpty)
            #expect(old.errors == "recorder: --likeness is now --min-ssim\n")
            for (words, reason) in [
                (["--min-ssim", "0.9"], "--min-ssim needs --against"),
                (["--min-ssim", "1.1", "--against", "b.mov"], "--min-ssim must be from 0 to 1"),
            ] {
                let refused = try await command.run(["verify", "a.mov"] + words)
                #expect(refused.exitCode == 64 && refused.errors.contains(reason), "\(refused.errors)")
            }
        }
    }

    @Test func verify_runningRecording_isReportedAsSuch() async throws {
        try await Command.inDirectory { command in
            let run = try command.start(["run", "front", "-o", "t.mov", "--duration", "60s"] + movie)
            let name = "t.recording.mov"
            try await waitUntil { command.files(in: "work").contains(name) }
            var verified = try await command.run("verify", name)
            // Before the first fragment there is nothing to decode.
            let deadline = ContinuousClock.now + .seconds(20)
            while !verified.output.contains("being recorded: 0:0"), ContinuousClock.now < deadline {
                verified = try await command.run("verify", name)
            }
            #expect(verified.exitCode == 75, "\(verified.output)\(verified.errors)")
            #expect(verified.output.contains("verify it after the recording has stopped"), "\(verified.output)")
            run.send(SIGINT)
            #expect(try await run.result().exitCode == 0)
            #expect(try await command.run("verify", "t.mov").exitCode == 0)
        }
    }
}
