import Foundation
import TestSupport
import Testing

/// `recorder reencode`: every option shows in the copy.
@Suite(.timeLimit(.minutes(10))) struct ReencodeTests {
    @Test func reencode_noOptions_makesACopyBesideTheMovie() async throws {
        try await Command.inDirectory { command in
            try command.movie()
            let result = try await command.run("reencode", "movie.mov")
            #expect(result.exitCode == 0 && result.outputLines.count == 1)
            #expect(result.output.hasSuffix("/work/movie-reencoded.mov\n"))
            #expect(result.errorLines.count == 1 && result.errors.contains(" (was "), "\(result.errors)")
            #expect(try command.probe("movie-reencoded.mov").video?.frames == 75)
            let again = try await command.run("reencode", "movie.mov")
            #expect(again.exitCode == 73 && again.errorLines.count == 1 && again.output.isEmpty)
            let replaced = try await command.run("reencode", "movie.mov", "--overwrite", "--quiet")
            #expect(replaced.exitCode == 0 && replaced.errors.isEmpty)
            #expect(command.files(in: "work") == ["movie-reencoded.mov", "movie.mov"])
        }
    }

    @Test func reencodeHelp_examples_succeed() async throws {
        try await Command.inDirectory { command in
            try command.movie("lecture.mov")
            try command.movie("a.mov", size: "1600x900", rate: "5", seconds: 12)
            try command.movie("b.mov", rate: "5", seconds: 60)
            let help = try await command.run("reencode", "--help")
            for line in help.outputLines.suffix(2) {
                let words = line.split(separator: " ").dropFirst().map(String.init)
                let result = try await command.run(words)
                #expect(result.exitCode == 0, "\(line): \(result.errors)")
            }
            let both = try command.probe("both.mp4")
            #expect(abs(both.format.seconds - 50) < 0.1 && both.video?.width == 1280 && both.video?.height == 720)
        }
    }

    @Test func reencode_sizeRateAndRotationOptions_areApplied() async throws {
        try await Command.inDirectory { command in
            try command.movie()
            try await command.reencode("movie.mov", "-o", "small.mov", "--size", "80x80")
            try await command.reencode("movie.mov", "-o", "large.mov", "--size", "1920x1080")
            try await command.reencode("movie.mov", "-o", "slow.mov", "--frame-rate", "10")
            try await command.reencode("movie.mov", "-o", "turned.mov", "--rotate", "90")
            try await command.reencode("movie.mov", "-o", "untouched.mov", "--rotate", "180", "--codec", "passthrough")
            let (small, large) = (try command.probe("small.mov").video, try command.probe("large.mov").video)
            #expect(small?.width == 80 && small?.height == 60 && large?.width == 160 && large?.height == 120)
            #expect(try command.probe("slow.mov").video?.frames == 30)
            #expect(try CopyJudgement(command.path("work/turned.mov")).video.first?.rotation == 90)
            #expect(try CopyJudgement(command.path("work/untouched.mov")).video.first?.rotation == 180)
        }
    }

    @Test func reencode_maskCropFlipAndRotation_areApplied() async throws {
        try await Command.inDirectory { command in
            try command.movie()
            try await command.reencode(
                "movie.mov", "-o", "copy.mov", "--crop", "96x64+16+24", "--rotate", "90", "--flip", "horizontal",
                "--mask", "0,0 50,0 50,100 0,100", "--mask-style", "#FFFFFF")
            let video = try command.probe("copy.mov").video
            #expect(video?.width == 64 && video?.height == 96 && video?.frames == 75)
            #expect(try CopyJudgement(command.path("work/copy.mov")).video.first?.rotation == 0)
            let decoded = try TestSupport.Command.run(
                "ffmpeg", "-v", "error", "-i", command.path("work/copy.mov"), "-map", "0:v", "-vf", "extractplanes=y",
                "-f", "rawvideo", "-")
            let pixels = [UInt8](decoded.output)
            #expect(pixels.count == 64 * 96 * 75)
            // The encoder blurs the edge of the mask.
            let darkest = pixels.indices.filter { $0 % 64 < 28 }.map { pixels[$0] }.min()
            #expect(try #require(darkest) >= 215)
            let info = try await command.run("info", "--json", "copy.mov")
            #expect(info.output.contains("recorder.masks") && info.output.contains("0,0 50,0 50,100 0,100"))
        }
    }

    @Test func reencode_deinterlaceOption_makesProgressiveFrames() async throws {
        try await Command.inDirectory { command in
            try command.ffmpeg([
                "-f", "lavfi", "-i", "testsrc2=s=160x120:r=50:d=1", "-vf", "interlace", "-c:v", "libx264", "-flags",
                "+ilme+ildct", "-pix_fmt", "yuv420p", command.path("work/fields.mov"),
            ])
            try await command.reencode("fields.mov", "-o", "whole.mov", "--deinterlace")
            let info = try await command.run("info", "--json", "whole.mov")
            #expect(!info.output.contains("upperFirst") && !info.output.contains("lowerFirst"))
            #expect(try command.probe("whole.mov").video?.frames == 25)
        }
    }

    @Test func reencode_tracksOption_keepsTheChosenTracks() async throws {
        try await Command.inDirectory { command in
            let movie = try InputMatrix["two-languages.mov"].url().path
            try await command.reencode(movie, "-o", "second.mov", "--tracks", "video,audio:2")
            try await command.reencode(movie, "-o", "first.m4a", "--tracks", "2", "--no-video")
            try await command.reencode(movie, "-o", "silent.mov", "--no-audio")
            try await command.reencode(movie, "-o", "audio.m4a", "--no-video")
            let second = try CopyJudgement(command.path("work/second.mov"))
            #expect(second.video.count == 1 && second.audio.map(\.language) == ["fra"])
            let first = try CopyJudgement(command.path("work/first.m4a"))
            #expect(first.video.isEmpty && first.audio.map(\.language) == ["deu"])
            #expect(try command.probe("silent.mov").streams.map(\.codecType) == ["video"])
            #expect(try command.probe("audio.m4a").streams.map(\.codecType) == ["audio", "audio"])
        }
    }

    @Test(arguments: [("aac", "aac"), ("alac", "alac"), ("pcm", "pcm_s16le"), ("passthrough", "aac")])
    func reencode_audioCodecOption_isApplied(_ word: String, _ codec: String) async throws {
        try await Command.inDirectory { command in
            try command.movie()
            try await command.reencode("movie.mov", "-o", "copy.mov", "--audio-codec", word)
            let probe = try command.probe("copy.mov")
            #expect(probe.audio?.codecName?.hasPrefix(codec.prefix(4)) == true, "\(probe.audio?.codecName ?? "")")
            #expect(abs((probe.audio?.seconds ?? 0) - 3) < 0.03)
        }
    }

    @Test func reencode_volumeOption_changesTheLevel() async throws {
        try await Command.inDirectory { command in
            try command.movie()
            try await command.reencode("movie.mov", "-o", "soft.mov", "--volume", "-6dB", "--audio-codec", "pcm")
            try await command.reencode("movie.mov", "-o", "same.mov", "--audio-codec", "pcm")
            let levels = try ["soft.mov", "same.mov"].map { name in
                let audio = try Probe.decodedAudio(command.path("work/\(name)"), as: "s16le")
                return audio.withUnsafeBytes { bytes in
                    bytes.bindMemory(to: Int16.self).reduce(0.0) { $0 + pow(Double($1), 2) }.squareRoot()
                }
            }
            #expect(abs(20 * log10(levels[0] / levels[1]) + 6) < 0.05)
        }
    }

    @Test func reencode_maxSizeOrBitRateOption_isKept() async throws {
        try await Command.inDirectory { command in
            try command.movie(size: "320x240")
            try await command.reencode("movie.mov", "-o", "fits.mov", "--max-size", "150k")
            let size = try command.size(of: "fits.mov")
            #expect(size <= 150_000 && size > 75_000, "\(size)")
            try await command.reencode("movie.mov", "-o", "rate.mov", "--bit-rate", "200k", "--two-pass")
            let rate = Double(try command.size(of: "rate.mov")) * 8 / 3
            // 200 kbit of video and 64 kbit of audio each second, and the header.
            #expect(rate < 330_000 && rate > 150_000, "\(rate)")
            for name in ["fits.mov", "rate.mov"] { #expect(try command.probe(name).video?.frames == 75) }
            #expect(command.files(in: "work") == ["fits.mov", "movie.mov", "rate.mov"])
        }
    }

    @Test func reencode_metadataOption_keepsTheOtherMetadata() async throws {
        try await Command.inDirectory { command in
            let movie = try InputMatrix["chapters.mov"].url().path
            try await command.reencode(
                movie, "-o", "copy.mov", "--metadata", "artist=Ana", "--metadata", "comment=A day out",
                "--optimize-for-network")
            let tags = try command.probe("copy.mov").format.tags ?? [:]
            #expect(tags.values.contains("Ana") && tags.values.contains("A day out"), "\(tags)")
            #expect(tags.values.contains("The walk"), "\(tags)")
            let bytes = try Data(contentsOf: URL(fileURLWithPath: command.path("work/copy.mov")))
            let (header, media) = (bytes.range(of: Data("moov".utf8)), bytes.range(of: Data("mdat".utf8)))
            #expect(try #require(header).lowerBound < #require(media).lowerBound)
        }
    }

    @Test(arguments: ["copy.mov", "copy.mp4"]) func reencode_titleOption_replacesTheOldTitle(name: String) async throws
    {
        try await Command.inDirectory { command in
            let movie = try InputMatrix["chapters.mov"].url().path
            try await command.reencode(movie, "-o", name, "--metadata", "title=Another")
            let tags = try command.probe(name).format.tags ?? [:]
            #expect(tags["title"] == "Another" && !tags.values.contains("The walk"), "\(tags)")
            #expect(!tags.values.contains { $0.hasPrefix("Lavf") }, "\(tags)")
        }
    }

    @Test(arguments: ["h264", "passthrough"]) func reencode_timeRange_isExact(_ codec: String) async throws {
        try await Command.inDirectory { command in
            try command.movie()
            try await command.reencode("movie.mov", "-o", "part.mov", "--from", "1.4", "--to", "2.2", "--codec", codec)
            let probe = try command.probe("part.mov")
            #expect(abs(probe.format.seconds - 0.8) < 0.002)
            let copy = try Probe.brightnessOfFrames(command.path("work/part.mov"))
            let movie = try Probe.brightnessOfFrames(command.path("work/movie.mov"))
            try #require(copy.count == 20 && movie.count == 75, "\(copy.count)")
            // A re-encoded frame is not identical.
            let limit = codec == "passthrough" ? 0 : 1.5
            #expect(zip(copy, movie[35..<55]).allSatisfy { abs($0 - $1) <= limit })
        }
    }

    @Test func reencode_moviesOfDifferentFormats_areJoined() async throws {
        try await Command.inDirectory { command in
            try command.movie("a.mov")
            try command.movie("b.mov", size: "320x180", rate: "30", seconds: 2)
            try command.movie("c.mov", seconds: 1, hasAudio: false)
            try await command.reencode("a.mov", "b.mov", "-o", "two.mov")
            try await command.reencode("a.mov", "c.mov", "b.mov", "-o", "three.mp4")
            let two = try command.probe("two.mov")
            #expect(abs(two.format.seconds - 5) < 0.03 && two.video?.frames == 75 + 60)
            let three = try command.probe("three.mp4")
            #expect(abs(three.format.seconds - 6) < 0.03 && three.video?.frames == 75 + 25 + 60)
            #expect(three.video?.width == two.video?.width && three.streams.count == 2)
            let again = try await command.run("reencode", "a.mov", "b.mov", "-o", "b.mov", "--overwrite")
            #expect(again.exitCode == 73 && again.errors.contains("it is the input itself"))
        }
    }

    @Test func reencodeJSON_hasEveryKey() async throws {
        try await Command.inDirectory { command in
            try command.movie()
            let result = try await command.run("reencode", "movie.mov", "-o", "copy.mov", "--json", "--quiet")
            let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
            let keys = ["bytes", "damage", "duration", "file", "inputBytes", "inputs", "leftOut", "seconds"]
            #expect(object?.keys.sorted() == keys && object?["duration"] as? Double == 3)
            #expect(object?["bytes"] as? Int == (try command.size(of: "copy.mov")))
        }
    }

    @Test func reencode_timeRangeAfterTheEnd_isReported() async throws {
        try await Command.inDirectory { command in
            try command.movie()
            let result = try await command.run("reencode", "movie.mov", "-o", "copy.mov", "--from", "2s", "--to", "1m")
            #expect(result.exitCode == 0 && result.errors.contains("left out: the time after 3.00 s"))
            #expect(abs(try command.probe("copy.mov").format.seconds - 1) < 0.03)
        }
    }
}

extension Probe {
    /// Returns the mean luma of every frame.
    fileprivate static func brightnessOfFrames(_ path: String) throws -> [Double] {
        let result = try TestSupport.Command.run(
            "ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-fps_mode", "passthrough", "-vf",
            "scale=16:12:flags=area",
            "-pix_fmt", "gray", "-f", "rawvideo", "-")
        return stride(from: 0, to: result.output.count, by: 192).map { start in
            let sum: Int = result.output[start..<(start + 192)].reduce(0) { $0 + Int($1) }
            return Double(sum) / 192
        }
    }
}
