import Foundation
import Glibc
import TestSupport
import Testing

/// `recorder reencode` with damaged input, impossible output and contradictory options: one line, the right exit code,
/// and no files left.
@Suite(.timeLimit(.minutes(10))) struct ReencodeFailureTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let arguments: [String]
        let exitCode: Int32
        let mentions: String

        init(_ arguments: String, _ exitCode: Int32, _ mentions: String) {
            self.arguments = arguments.split(separator: " ").map(String.init)
            self.exitCode = exitCode
            self.mentions = mentions
        }

        var testDescription: String { arguments.joined(separator: " ") }
    }

    private static let cases = [
        // The input.
        Case("missing.mov", 66, "missing.mov"),
        Case("movie.mov missing.mov -o a.mov", 66, "missing.mov"),
        Case("/dev/null -o a.mov", 65, "/dev/null"),
        Case("movie.mov -o a.mov --tracks 9", 64, "the tracks are 1"),
        Case("movie.mov -o a.mov --tracks audio:2", 64, "audio:2"),
        Case("movie.mov -o a.mov --from 5s", 64, "past the end of the movie (3.00 s)"),
        // The output.
        Case("movie.mov -o there.mov", 73, "there.mov"),
        Case("movie.mov -o movie.mov --overwrite", 73, "the input itself"),
        Case("movie.mov -o ../work/movie.mov --overwrite", 73, "the input itself"),
        Case("movie.mov -o missing/a.mov", 73, "missing"),
        Case("movie.mov -o directory.mov --overwrite", 73, "directory.mov"),
        Case("movie.mov -o /dev/null/a.mov", 73, "/dev/null"),
        Case("movie.mov -o /proc/a.mov", 73, "/proc"),
        Case("movie.mov -o a.avi", 64, ".mov"),
        Case("movie.mov -o a.m4a --codec passthrough --no-audio", 65, "audio only"),
        Case("movie.mov -o a.m4a --audio-codec pcm", 64, "pcm"),
        // Invalid options.
        Case("movie.mov --from never", 64, "--from"),
        Case("movie.mov --from 2s --to 1s", 64, "--to"),
        Case("movie.mov --codec vp9", 64, "vp9"),
        Case("movie.mov --preset quickly", 64, "quickly"),
        Case("movie.mov --crf 99", 64, "--crf"),
        Case("movie.mov --bit-rate fast", 64, "--bit-rate"),
        Case("movie.mov --max-size huge", 64, "--max-size"),
        Case("movie.mov --quality best", 64, "best"),
        Case("movie.mov --size large", 64, "--size"),
        Case("movie.mov --frame-rate 0", 64, "frame"),
        Case("movie.mov --rotate 45", 64, "--rotate"),
        Case("movie.mov --mask 0,0", 64, "--mask"),
        Case("movie.mov --flip left", 64, "horizontal or vertical"),
        Case("movie.mov --crop 81x80+0+0", 64, "odd numbers"),
        Case("movie.mov -o a.mov --crop 320x80+0+0", 64, "extends beyond them"),
        Case("movie.mov --tracks subtitles", 64, "subtitles"),
        Case("movie.mov --audio-codec mp3", 64, "mp3"),
        Case("movie.mov --volume loud", 64, "--volume"),
        Case("movie.mov --metadata title", 64, "--metadata"),
        // Contradictory options.
        Case("movie.mov --no-audio --no-video", 64, "--no-video"),
        Case("movie.mov --tracks audio --no-audio", 64, "no track"),
        Case("movie.mov --quality high --crf 20", 64, "--quality"),
        Case("movie.mov --quality high --preset fast", 64, "--quality"),
        Case("movie.mov --crf 20 --bit-rate 1M", 64, "--bit-rate"),
        Case("movie.mov --max-size 1M --crf 20", 64, "--max-size"),
        Case("movie.mov --max-size 1M --bit-rate 1M", 64, "--max-size"),
        Case("movie.mov --two-pass", 64, "--two-pass"),
        Case("movie.mov --stretches 4", 64, "--stretches is now --chunks"),
        Case("movie.mov --chunks 0", 64, "a number of chunks"),
        Case("movie.mov --codec passthrough --crf 20", 64, "passthrough"),
        Case("movie.mov --codec passthrough --size 80x80", 64, "passthrough"),
        Case("movie.mov --codec passthrough --deinterlace", 64, "passthrough"),
        Case("movie.mov --codec passthrough --crop 80x80+0+0", 64, "does not decode frames"),
        Case("movie.mov --codec passthrough --flip vertical", 64, "does not decode frames"),
        Case("movie.mov --mask-style black", 64, "--mask-style needs --mask"),
        Case("movie.mov --audio-codec alac --audio-bit-rate 128k", 64, "--audio-bit-rate"),
        Case("movie.mov --audio-codec passthrough --volume 3dB", 64, "--volume"),
        Case("", 64, "input"),
    ]

    @Test func reencode_badInput_failsInOneLineAndLeavesNoFiles() async throws {
        try await Command.inDirectory { command in
            try command.movie()
            let old = Data("not a movie".utf8)
            try old.write(to: URL(fileURLWithPath: command.path("work/there.mov")))
            try FileManager.default.createDirectory(
                atPath: command.path("work/directory.mov"), withIntermediateDirectories: false)
            for input in Self.cases {
                let result = try await command.run(["reencode"] + input.arguments)
                #expect(result.exitCode == input.exitCode, "\(input.testDescription): \(result.errors)")
                #expect(
                    result.output.isEmpty && result.errorLines.count == 1, "\(input.testDescription): \(result.errors)")
                #expect(
                    result.errors.hasPrefix("recorder: ") && result.errors.contains(input.mentions), "\(result.errors)")
                let files = command.files(in: "work")
                try #require(
                    files == ["directory.mov", "movie.mov", "there.mov"], "\(input.testDescription): \(files)")
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: command.path("work/there.mov"))) == old)
        }
    }

    @Test func reencode_passthroughWithoutPresentationTimes_isAUsageError() async throws {
        try await Command.inDirectory { command in
            try command.ffmpeg([
                "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=1", "-c:v", "mpeg4", "-bf", "2",
                command.path("work/movie.avi"),
            ])
            let result = try await command.run(
                "reencode", "movie.avi", "-o", "copy.mov", "--codec", "passthrough", "--quiet")
            #expect(result.exitCode == 64 && result.errors.contains("re-encode it"), "\(result.errors)")
            #expect(command.files(in: "work") == ["movie.avi"])
        }
    }

    @Test func reencode_damage_isDroppedAndReportedWithItsTime() async throws {
        try await Command.inDirectory { command in
            try command.movie()
            try command.damage("movie.mov", at: 1.4)
            let result = try await command.run("reencode", "movie.mov", "-o", "copy.mov", "--json", "--quiet")
            #expect(result.exitCode == 0 && result.errorLines.count == 1, "\(result.errors)")
            #expect(result.errors.hasPrefix("recorder: 1.40 s to 2.00 s of track 1 were damaged and left out: "))
            let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
            let damage = try #require((object?["damage"] as? [[String: Any]])?.first)
            #expect(damage.keys.sorted() == ["end", "isMended", "reason", "start", "track"])
            #expect(damage["track"] as? Int == 1 && damage["isMended"] as? Bool == false)
            #expect(abs((damage["start"] as? Double ?? 0) - 1.4) < 0.001)
            let times = try Probe.frameTimes(command.path("work/copy.mov"))
            #expect(times.count == 60 && !times.contains { $0 > 1.39 && $0 < 1.99 }, "\(times)")
            #expect(abs((try command.probe("copy.mov").audio?.seconds ?? 0) - 3) < 0.03)
        }
    }

    @Test func reencode_damageUnderStrict_failsAndLeavesNoFile() async throws {
        try await Command.inDirectory { command in
            try command.movie()
            try command.damage("movie.mov", at: 1.4)
            let result = try await command.run("reencode", "movie.mov", "-o", "copy.mov", "--strict", "--quiet")
            #expect(result.exitCode == 65 && result.errorLines.count == 1 && result.output.isEmpty, "\(result.errors)")
            #expect(command.files(in: "work") == ["movie.mov"])
        }
    }

    @Test func reencode_truncatedMovie_keepsTheReadablePart() async throws {
        try await Command.inDirectory { command in
            try command.movie("whole.mov")
            try command.ffmpeg([
                "-i", command.path("work/whole.mov"), "-c", "copy", "-movflags", "faststart",
                command.path("work/movie.mov"),
            ])
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: command.path("work/movie.mov")))
            try file.truncate(atOffset: UInt64(try command.size(of: "movie.mov") / 2))
            try file.close()
            let result = try await command.run("reencode", "movie.mov", "-o", "copy.mov", "--quiet")
            #expect(
                result.exitCode == 0 && result.errors.contains(" of track 1 were damaged and left out"),
                "\(result.errors)")
            let frames = try command.probe("copy.mov").video?.frames ?? 0
            #expect(frames > 20 && frames < 60)
            let strict = try await command.run("reencode", "movie.mov", "-o", "strict.mov", "--strict", "--quiet")
            #expect(strict.exitCode == 65 && strict.errorLines.count == 1)
            #expect(command.files(in: "work") == ["copy.mov", "movie.mov", "whole.mov"])
        }
    }

    @Test(arguments: [SIGINT, SIGTERM]) func reencode_interrupted_leavesNoFile(_ signal: Int32) async throws {
        try await Command.inDirectory { command in
            try command.movie(size: "1280x720", rate: "50", seconds: 4)
            let running = try command.start(["reencode", "movie.mov", "-o", "copy.mov", "--preset", "placebo"])
            try await waitUntil { command.files(in: "work").count > 1 }
            running.send(signal)
            let result = try await running.result()
            #expect(result.exitCode == 1 && result.output.isEmpty, "\(result.errors)")
            #expect(result.errorLines.last?.contains("cancelled") == true, "\(result.errors)")
            #expect(command.files(in: "work") == ["movie.mov"])
        }
    }

    @Test func reencode_fullDisk_failsAndLeavesNoFile() async throws {
        try await Command.inDirectory { command in
            try command.movie(size: "640x360")
            // The file-size limit of the process acts as a full disk (setrlimit(2): EFBIG).
            let result = try TestSupport.Command.run(
                "sh", "-c",
                "trap '' XFSZ; ulimit -f 40; \(Command.leavingTemporaryFilesAlone) "
                    + "exec \(command.executablePath) reencode \(command.path("work/movie.mov")) "
                    + "-o \(command.path("work/copy.mov")) --quiet --preset ultrafast --crf 1")
            #expect(result.status == 74 && result.output.isEmpty, "\(result.status) \(result.errors)")
            #expect(command.files(in: "work") == ["movie.mov"])
        }
    }
}
