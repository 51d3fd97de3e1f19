import Foundation
import Testing

/// User errors: one line that names the cause, the right exit code, and no files left.
@Suite(.timeLimit(.minutes(10))) struct BadInputTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let arguments: [String]
        let exitCode: Int32
        /// The text that the line must contain.
        let mentions: String

        init(_ arguments: String, _ exitCode: Int32, _ mentions: String) {
            self.arguments = arguments.split(separator: " ").map(String.init)
            self.exitCode = exitCode
            self.mentions = mentions
        }

        var testDescription: String { arguments.joined(separator: " ") }
    }

    private static let cases = [
        // Devices.
        Case("start --camera /dev/video99 --microphone none", 69, "/dev/video99"),
        Case("start --camera no-such-camera --microphone none", 69, "no-such-camera"),
        Case("start --camera /dev/null --microphone none", 69, "/dev/null"),
        Case("start --camera test --microphone hw:CARD=Nowhere", 69, "hw:CARD=Nowhere"),
        Case("start --camera test --microphone none --size 321x241", 69, "320x240"),
        Case("start --camera test --microphone none --frame-rate 5000", 69, "1000"),
        // The output.
        Case("start --camera test --output missing/a.mov", 73, "missing"),
        Case("start --camera test --output /dev/null/a.mov", 73, "/dev/null"),
        Case("start --camera test --output there.mov", 73, "there.mov"),
        Case("start --camera test --output directory.mov", 73, "directory.mov"),
        Case("start --camera test --output a.avi", 64, ".mov"),
        Case("start --camera test --output a/", 64, "a/"),
        // Invalid options.
        Case("start --camera none --microphone none", 64, "--microphone none"),
        Case("start --camera none --size 1280x720", 64, "--size"),
        Case("start --camera test --codec passthrough --output a.mov --microphone none", 64, "--codec"),
        Case("start --codec passthrough --pixel-format yuyv", 64, "--pixel-format"),
        Case("start --camera none --microphone test --audio-codec pcm --output a.mp4", 64, ".mp4"),
        Case("start --duration never", 64, "--duration"),
        Case("start --duration 0", 64, "--duration"),
        Case("start --size huge", 64, "--size"),
        Case("start --frame-rate -1", 64, "frame-rate"),
        Case("start --pixel-format rainbow", 64, "rainbow"),
        Case("start --control brightness", 64, "--control"),
        Case("start --codec vp9", 64, "vp9"),
        Case("start --codec passthrough --crf 20", 64, "passthrough"),
        Case("start --codec hevc --crf 60", 64, "0 to 51"),
        Case("start --codec av1 --every 10s", 64, "--every"),
        Case("start --codec av1 --camera test --microphone none --size 64x32 --output a.mov", 64, "64 to 8192"),
        Case("start --crf 20 --bit-rate 6M", 64, "--bit-rate"),
        Case("start --crf 99", 64, "--crf"),
        Case("start --preset quickly", 64, "quickly"),
        Case("start --bit-rate fast", 64, "--bit-rate"),
        Case("start --key-frame-interval x", 64, "--key-frame-interval"),
        Case("start --audio-codec mp3", 64, "mp3"),
        Case("start --audio-codec pcm --audio-bit-rate 128k", 64, "--audio-bit-rate"),
        Case("start --channels 0", 64, "--channels"),
        Case("start --sample-rate 1", 64, "--sample-rate"),
        Case("start --segment 1ms", 64, "--segment"),
        Case("start --align", 64, "--segment"),
        Case("start --align --segment 7m", 64, "divides a day"),
        Case("start --keep-free 1M", 64, "--reserve"),
        Case("start --keep-for 30", 64, "write 30d"),
        Case("start --keep-for 00:30", 64, "write 30d"),
        Case("start --keep-size 1", 64, "write 500G"),
        Case("retention --keep-free 5000000000", 64, "write 500G"),
        Case("start --hook begin=true", 64, "--hook"),
        Case("start --on-overload wait", 64, "--on-overload"),
        Case("start --config missing.yaml", 78, "missing.yaml"),
        Case("start --output %Y/../a.mov", 64, "leaves its directory"),
        Case("start --output %D.mov", 64, "slashes"),
        Case("config check missing", 78, "missing.yaml"),
        Case("config show --size huge", 64, "--size"),
        Case("retention --keep-for never", 64, "--keep-for"),
        Case("start ../etc", 64, "../etc"),
        Case("start one two", 64, "two"),
        Case("start --no-such-option", 64, "--no-such-option"),
        Case("start --camera", 64, "--camera"),
        Case("nonsense", 64, "nonsense"),
        Case("strat front", 64, "did you mean `recorder start`?"),
        Case("help statsu", 64, "did you mean `recorder status`?"),
        Case("config chekc", 64, "did you mean `recorder config check`?"),
        Case("start --segmant 10m", 64, "--segment"),
        Case("start --armed --camera test --microphone none --output missing/%H.mov", 73, "missing"),
        // Missing recordings and files.
        Case("stop", 1, "nothing is recording"),
        Case("stop front", 1, "front"),
        Case("stop --all", 1, "nothing is recording"),
        Case("stop front --all", 64, "--all"),
        Case("status", 1, "nothing is recording"),
        Case("info missing.mov", 66, "missing.mov"),
        Case("info there.mov", 65, "there.mov"),
        Case("info", 64, "file"),
        Case("frames missing.mov", 66, "missing.mov"),
        Case("frames there.mov", 65, "there.mov"),
        Case("frames there.mov --at 1s --count 3", 64, "--count"),
        Case("start one @two", 64, "no recorder belongs to group two"),
        Case("frames there.mov --at never", 64, "--at"),
        Case("frames there.mov --count 0", 64, "--count"),
        Case("frames there.mov --format gif", 64, "gif"),
        Case("frames there.mov --format png --output a.jpg", 64, "--format"),
        Case("waveform missing.mov", 66, "missing.mov"),
        Case("waveform there.mov", 65, "there.mov"),
    ]

    @Test(arguments: cases) func command_badInput_failsInOneLineAndLeavesNoFiles(_ input: Case) async throws {
        try await Command.inDirectory { command in
            let old = Data("not a movie".utf8)
            try old.write(to: URL(fileURLWithPath: command.path("work/there.mov")))
            try FileManager.default.createDirectory(
                atPath: command.path("work/directory.mov"), withIntermediateDirectories: false)
            let result = try await command.run(input.arguments)
            #expect(result.exitCode == input.exitCode, "\(result.errors)")
            #expect(result.output.isEmpty)
            #expect(result.errorLines.count == 1, "\(result.errors)")
            #expect(result.errors.hasPrefix("recorder: "))
            #expect(result.errors.contains(input.mentions), "\(result.errors)")
            #expect(command.files(in: "work") == ["directory.mov", "there.mov"])
            #expect(try Data(contentsOf: URL(fileURLWithPath: command.path("work/there.mov"))) == old)
            #expect(!command.files(in: "run/recorder").contains { $0.hasSuffix(".sock") })
            #expect(!FileManager.default.fileExists(atPath: command.path("home/Videos")))
        }
    }
}
