import Foundation
import TestSupport
import Testing

/// `recorder frames`, with images judged by ffprobe.
@Suite(.timeLimit(.minutes(10))) struct FramesTests {
    /// Makes ten seconds whose brightness grows by 20 each second, and a tone.
    private func movie(_ command: Command, _ name: String = "movie.mov") throws {
        let made = try TestSupport.Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
            "color=c=black:s=160x90:r=10:d=10,geq=lum='30+20*floor(T)':cb=128:cr=128", "-f", "lavfi", "-i",
            "sine=d=10:sample_rate=8000", "-c:v", "libx264", "-preset", "ultrafast", "-g", "20", "-pix_fmt", "yuv420p",
            "-c:a", "pcm_s16le", command.path("work/\(name)"))
        try #require(made.status == 0, "\(made.errors)")
    }

    private func size(_ path: String) throws -> [Int] {
        let probe = try Probe(path)
        return [probe.video?.width ?? 0, probe.video?.height ?? 0]
    }

    /// Returns the second that an image shows.
    private func second(_ path: String) throws -> Int {
        let result = try TestSupport.Command.run(
            "ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "gray", "-")
        // Gray has full range.
        let luma = 16 + Int(result.output[result.output.count / 2]) * 219 / 255
        return (luma - 30 + 10) / 20
    }

    @Test func frames_noOptions_makesAContactSheetBesideTheMovie() async throws {
        try await Command.inDirectory { command in
            try movie(command)
            let result = try await command.run("frames", "movie.mov")
            #expect(result.exitCode == 0 && result.errors.isEmpty, "\(result.errors)")
            #expect(result.output == command.path("work/movie-frames.png") + "\n")
            #expect(command.files(in: "work") == ["movie-frames.png", "movie.mov"])
            // Twenty images of 160×90, four in a row, each with a margin of six pixels, under a line of text.
            #expect(try size(command.path("work/movie-frames.png")) == [4 * 166 + 6, 5 * 96 + 6 + 18 + 6])
            let again = try await command.run("frames", "movie.mov")
            #expect(again.exitCode == 73 && again.output.isEmpty)
            let sheet = command.path("work/movie-frames.png")
            #expect(
                again.errors == "recorder: cannot create \(sheet): it already exists; use --overwrite to replace it\n")
            #expect(try await command.run("frames", "movie.mov", "--overwrite", "--quiet").output.isEmpty)
        }
    }

    @Test func contactSheet_hasEvenStepsAndNoFrameTwice() async throws {
        try await Command.inDirectory { command in
            try movie(command)
            let result = try await command.run("frames", "movie.mov", "--json")
            let python = try TestSupport.Command.run(
                "python3", "-c",
                """
                import json, sys
                times = [frame['actual'] for frame in json.load(sys.stdin)['frames']]
                steps = [b - a for a, b in zip(times, times[1:])]
                print(len(set(times)) == len(times) > 10, max(steps) - min(steps) < 0.11)
                """, input: Data(result.output.utf8))
            #expect(python.text == "True True\n", "\(python.text) \(python.errors)")
        }
    }

    /// The duration is missing in a movie that a browser recorded.
    @Test func frames_durationNotInTheHeader_showsTheWholeMovie() async throws {
        try await Command.inDirectory { command in
            let made = try TestSupport.Command.run(
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=10:d=3", "-f", "lavfi", "-i",
                "sine=d=3:sample_rate=48000", "-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libopus", "-f",
                "webm", "-live", "1", "-")
            try #require(made.status == 0, "\(made.errors)")
            try made.output.write(to: URL(fileURLWithPath: command.path("work/live.webm")))
            let result = try await command.run("frames", "live.webm", "--every", "1s")
            // The audio's delay makes the movie a little longer than three seconds, for FFmpeg 5.
            let count = result.output.split(separator: "\n").count
            #expect(result.exitCode == 0 && (3...4).contains(count), "\(result.output)")
            let wave = try await command.run("waveform", "live.webm")
            #expect(wave.exitCode == 0, "\(wave.errors)")
            let part = try await command.run(
                "reencode", "--codec", "h264", "--from", "1s", "--to", "2s", "live.webm", "-o", "part.mov")
            #expect(part.exitCode == 0 && !part.errors.contains("left out"), "\(part.errors)")
        }
    }

    @Test func frames_streamWithoutContainer_haveTheirTimes() async throws {
        try await Command.inDirectory { command in
            try movie(command)
            let made = try TestSupport.Command.run(
                "ffmpeg", "-v", "error", "-i", command.path("work/movie.mov"), "-map", "0:v", "-c", "copy", "-f",
                "h264",
                command.path("work/raw.h264"))
            try #require(made.status == 0, "\(made.errors)")
            let result = try await command.run("frames", "raw.h264", "--at", "3.55", "--at", "7.95")
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(try second(command.path("work/raw-00h00m03.550s.png")) == 3)
            #expect(try second(command.path("work/raw-00h00m07.950s.png")) == 7)
            let info = try await command.run("info", "raw.h264")
            #expect(info.output.contains("10 fps"), "\(info.output)")
        }
    }

    @Test func frames_givenTimes_areExactAndTheirFilesSortByTime() async throws {
        try await Command.inDirectory { command in
            try movie(command)
            let result = try await command.run("frames", "movie.mov", "--at", "7.95", "--at", "0", "--at", "00:03.5")
            #expect(result.exitCode == 0, "\(result.errors)")
            let names = ["movie-00h00m00.000s.png", "movie-00h00m03.500s.png", "movie-00h00m07.950s.png"]
            #expect(result.outputLines.map(String.init).sorted() == names.map { command.path("work/" + $0) })
            #expect(command.files(in: "work") == names + ["movie.mov"])
            #expect(try names.map { try second(command.path("work/\($0)")) } == [0, 3, 7])
        }
    }

    @Test func frames_countOrInterval_spreadOverTheMovie() async throws {
        try await Command.inDirectory { command in
            try movie(command)
            let count = try await command.run(
                "frames", "movie.mov", "--count", "5", "--tolerance", "0", "--output", "still-%02d.jpg", "--size",
                "80x80")
            #expect(count.exitCode == 0, "\(count.errors)")
            let names = (1...5).map { "still-0\($0).jpg" }
            #expect(count.outputLines.map(String.init) == names.map { command.path("work/" + $0) })
            #expect(try names.map { try second(command.path("work/\($0)")) } == [1, 3, 5, 7, 9])
            #expect(try size(command.path("work/still-01.jpg")) == [80, 45])
            #expect(try Probe(command.path("work/still-01.jpg")).video?.codecName == "mjpeg")
            let every = try await command.run(
                "frames", "movie.mov", "--every", "4s", "--output", ".", "--format", "jpeg", "--json")
            let answer = try JSONSerialization.jsonObject(with: Data(every.output.utf8)) as? [String: Any]
            let frames = try #require(answer?["frames"] as? [[String: Any]])
            #expect(frames.map { $0["requested"] as? Double } == [0, 4, 8])
            // These are keyframes, which are close enough.
            #expect(frames.map { $0["actual"] as? Double } == [0, 4, 8])
            let files = [0, 4, 8].map { command.path("work/movie-00h00m0\($0).000s.jpg") }
            #expect(frames.map { $0["file"] as? String } == files)
            #expect(answer?["source"] as? String == command.path("work/movie.mov"))
            #expect((answer?["failures"] as? [Any])?.isEmpty == true)
            #expect(every.outputLines.count == 1)
        }
    }

    @Test func frames_sheetOption_makesASheetAndJSON() async throws {
        try await Command.inDirectory { command in
            try movie(command)
            let sheet = try await command.run(
                "frames", "movie.mov", "--at", "1s", "--at", "5s", "--at", "9s", "--sheet", "--output", "sheet.jpg",
                "--json")
            #expect(sheet.exitCode == 0, "\(sheet.errors)")
            let python = try TestSupport.Command.run(
                "python3", "-c",
                "import json,sys; o=json.load(sys.stdin); print(o['sheet'], len(o['frames']), o['frames'][1]['actual'])",
                input: Data(sheet.output.utf8))
            #expect(python.text == command.path("work/sheet.jpg") + " 3 5\n", "\(python.errors)")
            #expect(try size(command.path("work/sheet.jpg")) == [2 * 166 + 6, 2 * 96 + 6 + 18 + 6])
        }
    }

    @Test func frames_oneTimeAfterTheEnd_reportsItAndMakesTheOthers() async throws {
        try await Command.inDirectory { command in
            try movie(command)
            let result = try await command.run("frames", "movie.mov", "--at", "1s", "--at", "1m", "--at", "2s")
            #expect(result.exitCode == 64 && result.errorLines.count == 1)
            #expect(result.errors.contains("at 1 min 00 s: its video ends at 10.00 s"))
            #expect(command.files(in: "work") == ["movie-00h00m01.000s.png", "movie-00h00m02.000s.png", "movie.mov"])
        }
    }

    @Test func frames_existingOrInvalidOutput_leavesTheFilesUnchanged() async throws {
        try await Command.inDirectory { command in
            try movie(command)
            let old = Data("precious".utf8)
            try old.write(to: URL(fileURLWithPath: command.path("work/b.png")))
            for output in ["b.png", "missing/c.png", ".", "c.txt", "x-%q.png"] {
                let arguments =
                    output == "." ? ["--count", "3", "--output", "one.png"] : ["--at", "1", "--output", output]
                let result = try await command.run(["frames", "movie.mov"] + arguments)
                let expected: Int32 = output == "b.png" || output == "missing/c.png" ? 73 : 64
                #expect(result.exitCode == expected && result.errorLines.count == 1, "\(output): \(result.errors)")
            }
            #expect(command.files(in: "work") == ["b.png", "movie.mov"])
            #expect(try Data(contentsOf: URL(fileURLWithPath: command.path("work/b.png"))) == old)
            let replaced = try await command.run("frames", "movie.mov", "--at", "1", "--output", "b.png", "--overwrite")
            #expect(replaced.exitCode == 0 && command.files(in: "work") == ["b.png", "movie.mov"])
            #expect(try second(command.path("work/b.png")) == 1)
        }
    }

    @Test func frames_outputIsTheInput_leavesTheMovie() async throws {
        try await Command.inDirectory { command in
            try movie(command)
            let movie = URL(fileURLWithPath: command.path("work/movie.mov"))
            let bytes = try Data(contentsOf: movie)
            let result = try await command.run(
                "frames", "movie.mov", "--at", "1", "-o", "movie.mov", "--format", "png", "--overwrite")
            #expect(result.exitCode == 73 && result.errors.contains("it is the input itself"), "\(result.errors)")
            #expect(try Data(contentsOf: movie) == bytes)
        }
    }

    @Test func frames_audioOnly_isRefused() async throws {
        try await Command.inDirectory { command in
            _ = try TestSupport.Command.run(
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=1", command.path("work/tone.wav"))
            let result = try await command.run("frames", "tone.wav")
            #expect(result.exitCode == 65 && result.errors.contains("no video track") && result.errorLines.count == 1)
            #expect(command.files(in: "work") == ["tone.wav"])
        }
    }
}
