import Foundation
import TestSupport
import Testing

/// `recorder waveform`, its numbers read by Python and its image by ffmpeg.
@Suite(.timeLimit(.minutes(10))) struct WaveformTests {
    /// Makes two seconds: a sine of half scale on the left in the first one, silence on the right.
    private func audio(_ command: Command, _ name: String = "tone.wav") throws {
        let made = try TestSupport.Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "aevalsrc=0.5*sin(2*PI*441*t)*lt(t\\,1)|0:s=44100:d=2",
            command.path("work/\(name)"))
        try #require(made.status == 0, "\(made.errors)")
    }

    @Test func waveform_noOutput_makesAnImageBesideTheAudio() async throws {
        try await Command.inDirectory { command in
            try audio(command)
            let result = try await command.run("waveform", "tone.wav", "--size", "400x200")
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(result.output == command.path("work/tone-waveform.png") + "\n")
            let pixels = try TestSupport.Command.run(
                "ffmpeg", "-v", "error", "-i", command.path("work/tone-waveform.png"), "-f", "rawvideo", "-pix_fmt",
                "rgb24",
                "-")
            let bytes = Array(pixels.output)
            try #require(bytes.count == 400 * 200 * 3)
            func isBright(_ x: Int, _ y: Int) -> Bool { bytes[(y * 400 + x) * 3 + 2] > 0x90 }
            // The audio is in the upper lane, in the left half, and half as high as the lane.
            let columns = { (x: Int) in (0..<90).filter { isBright(x, $0) }.count }
            #expect((36...50).contains(columns(100)), "\(columns(100))")
            #expect(columns(300) == 0)
            #expect(!(100..<170).contains { isBright(100, $0) })
            let again = try await command.run("waveform", "tone.wav")
            #expect(again.exitCode == 73 && again.errorLines.count == 1)
            #expect(command.files(in: "work") == ["tone-waveform.png", "tone.wav"])
        }
    }

    @Test func waveform_json_matchesTheSignal() async throws {
        try await Command.inDirectory { command in
            try audio(command)
            let result = try await command.run("waveform", "tone.wav", "--json", "--buckets", "4")
            #expect(result.exitCode == 0 && result.outputLines.count == 1, "\(result.errors)")
            let python = try TestSupport.Command.run(
                "python3", "-c",
                """
                import json, sys
                o = json.load(sys.stdin)
                print(o["sampleRate"], o["channels"], o["frames"], o["buckets"], o["duration"], o["start"])
                print([[round(float(v), 2) for v in c] for c in o["peak"]])
                print([[round(float(v), 3) for v in c] for c in o["rms"]])
                """, input: Data(result.output.utf8))
            #expect(
                python.text == """
                    44100 2 88200 4 2 0
                    [[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
                    [[0.354, 0.354, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]

                    """, "\(python.errors)")
            #expect(command.files(in: "work") == ["tone.wav"])
            let part = try await command.run(
                "waveform", "tone.wav", "--json", "--from", "500ms", "--to", "1.5s", "--output", "p.jpg")
            let object = try JSONSerialization.jsonObject(with: Data(part.output.utf8)) as? [String: Any]
            #expect(object?["start"] as? Double == 0.5 && object?["duration"] as? Double == 1)
            #expect(object?["file"] as? String == command.path("work/p.jpg"))
            #expect(object?["buckets"] as? Int == 1600)
            #expect(try Probe(command.path("work/p.jpg")).video?.width == 1600)
        }
    }

    @Test func waveform_badInput_failsInOneLine() async throws {
        try await Command.inDirectory { command in
            try audio(command)
            let cases: [([String], Int32, String)] = [
                (["missing.wav"], 66, "missing.wav"), (["tone.wav", "--track", "7"], 64, "track 7"),
                (["tone.wav", "--from", "3s"], 64, "2.00 s"),
                (["tone.wav", "--from", "1s", "--to", "500ms"], 64, "--to"),
                (["tone.wav", "--buckets", "0"], 64, "--buckets"), (["tone.wav", "--size", "1x1"], 64, "--size"),
                (["tone.wav", "--json", "--size", "100x100"], 64, "--size"),
                (["tone.wav", "--output", "no/a.png"], 73, "no"), (["tone.wav", "--output", "a.gif"], 64, "a.gif"),
            ]
            for (arguments, exitCode, mentions) in cases {
                let result = try await command.run(["waveform"] + arguments)
                #expect(result.exitCode == exitCode && result.errorLines.count == 1, "\(arguments): \(result.errors)")
                #expect(result.errors.contains(mentions) && result.output.isEmpty, "\(arguments): \(result.errors)")
            }
            #expect(command.files(in: "work") == ["tone.wav"])
        }
    }
}
