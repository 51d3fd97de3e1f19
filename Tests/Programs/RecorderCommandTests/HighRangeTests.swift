import Foundation
import TestSupport
import Testing

/// `recorder reencode` on movies of high dynamic range: the range is kept unless standard range is requested.
@Suite(.timeLimit(.minutes(10))) struct HighRangeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let movie: HighRangeMovie
        let codec: String
        let ending: String
        var testDescription: String { "\(movie.rawValue) \(codec) .\(ending)" }

        static let all = HighRangeMovie.allCases.flatMap { movie in
            ["hevc", "av1"].flatMap { codec in ["mov", "mp4"].map { Case(movie: movie, codec: codec, ending: $0) } }
        }
    }

    @Test(arguments: Case.all) func reencode_highRange_keepsItsMetadata(_ test: Case) async throws {
        try await Command.inDirectory { command in
            try test.movie.make("movie.mp4", in: command)
            try await command.reencode("movie.mp4", "-o", "copy.\(test.ending)", "--codec", test.codec)
            let path = command.path("work/copy.\(test.ending)")
            let facts = try FrameInfo(path)
            #expect(facts.stream["codec_name"] == test.codec && facts.stream["nb_read_frames"] == "15")
            #expect(facts.stream["pix_fmt"] == "yuv420p10le")
            #expect(facts.stream["profile"] == (test.codec == "hevc" ? "Main 10" : "Main"))
            #expect(facts.stream["color_space"] == "bt2020nc" && facts.stream["color_primaries"] == "bt2020")
            #expect(facts.stream["color_transfer"] == test.movie.transfer && facts.stream["color_range"] == "tv")
            #expect(facts.stream["chroma_location"] == "topleft", "\(facts.stream)")
            #expect(FrameInfo.tellsTheLight(facts.container), "mdcv, clli: \(facts.container)")
            #expect(FrameInfo.tellsTheLight(facts.frame), "in the stream: \(facts.frame)")

            #expect(facts.mediainfo["BitDepth"] == "10" && facts.mediainfo["colour_primaries"] == "BT.2020")
            #expect(facts.mediainfo["transfer_characteristics"] == test.movie.word, "\(facts.mediainfo)")
            #expect(facts.mediainfo["matrix_coefficients"] == "BT.2020 non-constant")
            let luminance = facts.mediainfo["MasteringDisplay_Luminance"] ?? ""
            #expect(luminance.contains("min: 0.0050 cd/m2") && luminance.contains("max: 1000 cd/m2"), "\(luminance)")
            #expect(facts.mediainfo["MaxCLL"]?.hasPrefix("987") == true, "\(facts.mediainfo)")
            #expect(facts.mediainfo["MaxFALL"]?.hasPrefix("321") == true, "\(facts.mediainfo)")
            // mediainfo does not read the chroma location of AV1.
            if test.codec == "hevc" {
                #expect(facts.mediainfo["ChromaSubsampling/String"] == "4:2:0 (Type 2)", "\(facts.mediainfo)")
            }

            // ISO/IEC 14496-12, 12.1.5: primaries, transfer function, matrix; in MPEG-4 also the range.
            let isQuickTime = test.ending == "mov"
            let color = Data("colr\(isQuickTime ? "nclc" : "nclx")".utf8) + [0, 9, 0, test.movie.code, 0, 9]
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(bytes.range(of: color + (isQuickTime ? [] : [0])) != nil)
        }
    }

    /// Other containers, and a movie that was re-encoded before.
    @Test(arguments: ["mov", "mkv", "ts", "hevc"]) func reencode_highRangeInOtherContainers_keepsItsMetadata(
        _ ending: String
    )
        async throws
    {
        try await Command.inDirectory { command in
            try HighRangeMovie.pq.make("movie.mp4", in: command)
            let copy = command.path("work/movie.\(ending)")
            try command.ffmpeg(["-i", command.path("work/movie.mp4"), "-c", "copy", copy])
            for name in ["first.mp4", "second.mov"] {
                let source = name == "first.mp4" ? "movie.\(ending)" : "first.mp4"
                try await command.reencode(source, "-o", name, "--codec", name == "first.mp4" ? "hevc" : "av1")
                let facts = try FrameInfo(command.path("work/\(name)"))
                #expect(FrameInfo.tellsTheLight(facts.container), "\(ending), \(name): \(facts.container)")
                #expect(facts.stream["color_transfer"] == "smpte2084" && facts.stream["pix_fmt"] == "yuv420p10le")
            }
        }
    }

    /// A movie without light levels gets none.
    @Test func reencode_noLightLevels_addsNone() async throws {
        try await Command.inDirectory { command in
            try HighRangeMovie.hlg.make("movie.mp4", in: command, light: nil)
            try await command.reencode("movie.mp4", "-o", "copy.mp4", "--codec", "hevc")
            let facts = try FrameInfo(command.path("work/copy.mp4"))
            #expect(!facts.container.contains("ight") && !facts.frame.contains("ight level"), "\(facts.container)")
            #expect(facts.stream["color_transfer"] == "arib-std-b67")
        }
    }

    /// Few players support it, but nothing is lost. Eight bits would show banding, and require a request for standard
    /// range.
    @Test func h264_highRange_keepsTenBits() async throws {
        try await Command.inDirectory { command in
            try HighRangeMovie.pq.make("movie.mp4", in: command)
            try await command.reencode("movie.mp4", "-o", "copy.mov", "--codec", "h264")
            let facts = try FrameInfo(command.path("work/copy.mov"))
            #expect(facts.stream["profile"] == "High 10" && facts.stream["color_transfer"] == "smpte2084")
            #expect(FrameInfo.tellsTheLight(facts.container), "\(facts.container)")
            let refused = try await command.run("reencode", "movie.mp4", "-o", "no.mov", "--bit-depth", "8")
            #expect(refused.exitCode == 64 && refused.errors.contains("--tone-map"), "\(refused.errors)")
            #expect(command.files(in: "work") == ["copy.mov", "movie.mp4"])
        }
    }

    // MARK: To standard range

    /// A patch of 100 cd/m², and a much brighter one.
    private static let patches = [(HighRangeMovie.pq, 509), (.pq, 700), (.hlg, 502), (.hlg, 800)]

    private func patch(_ luma: Int) -> String {
        "color=black:s=320x180:r=25:d=0.4,format=yuv420p10le,geq=lum=\(luma):cb=512:cr=512"
    }

    private func luma(_ path: String, _ filter: String) throws -> Double {
        let result = try TestSupport.Command.run(
            "ffmpeg", "-v", "error", "-i", path, "-vf", filter, "-frames:v", "1", "-f", "rawvideo", "-")
        try #require(result.status == 0 && result.output.count == 320 * 180 * 3 / 2, "\(result.errors)")
        return Double(result.output.prefix(320 * 180).reduce(0) { $0 + Int($1) }) / Double(320 * 180)
    }

    @Test(arguments: patches) func toneMap_patch_isAsBrightAsByFFmpeg(_ movie: HighRangeMovie, _ code: Int) async throws
    {
        try await Command.inDirectory { command in
            try movie.make("movie.mp4", in: command, frame: patch(code), light: nil)
            try await command.reencode("movie.mp4", "-o", "copy.mp4", "--tone-map")
            let facts = try FrameInfo(command.path("work/copy.mp4"))
            for key in ["color_space", "color_transfer", "color_primaries"] { #expect(facts.stream[key] == "bt709") }
            #expect(facts.stream["pix_fmt"] == "yuv420p" && facts.mediainfo["BitDepth"] == "8")
            let wanted = try luma(
                command.path("work/movie.mp4"),
                "zscale=t=linear:npl=100,format=gbrpf32le,zscale=p=bt709,tonemap=mobius:desat=0:peak=10,"
                    + "zscale=t=bt709:m=bt709:r=tv,format=yuv420p")
            let found = try luma(command.path("work/copy.mp4"), "null")
            #expect(abs(found - wanted) < 2.5, "\(found) for \(wanted)")
            // The result is neither black nor white.
            #expect(found > 100 && found < 236, "\(found)")
        }
    }

    @Test(arguments: ["h264", "hevc", "av1", "prores"]) func toneMap_highRange_leavesNoneOfItsMetadata(_ codec: String)
        async throws
    {
        try await Command.inDirectory { command in
            try HighRangeMovie.pq.make("movie.mp4", in: command)
            let quality = codec == "prores" ? ["--quality", "60"] : ["--preset", "ultrafast"]
            for depth in codec == "prores" ? [10] : [8, 10] {
                let name = "copy\(depth).mov"
                let words = depth == 10 && codec != "prores" ? ["--bit-depth", "10"] : []
                let result = try await command.run(
                    ["reencode", "movie.mp4", "-o", name, "--codec", codec, "--tone-map", "--quiet"] + quality + words)
                #expect(result.exitCode == 0 && result.errors.isEmpty, "\(result.errors)")
                let facts = try FrameInfo(command.path("work/\(name)"))
                let deep = codec == "prores" ? "yuv422p10le" : "yuv420p10le"
                #expect(facts.stream["pix_fmt"] == (depth == 8 ? "yuv420p" : deep), "\(facts.stream)")
                for key in ["color_space", "color_transfer", "color_primaries"] {
                    #expect(facts.stream[key] == "bt709", "\(key)")
                }
                for text in [facts.container, facts.frame] {
                    #expect(!text.contains("Mastering") && !text.contains("Content light"), "\(text)")
                }
                #expect(facts.mediainfo["MaxCLL"] == "" && facts.mediainfo["MasteringDisplay_Luminance"] == "")
                #expect(facts.stream["nb_read_frames"] == "15")
            }
        }
    }

    @Test func toneMap_standardRange_isUnchangedAndReported() async throws {
        try await Command.inDirectory { command in
            try command.movie()
            let mapped = try await command.run(
                "reencode", "movie.mov", "-o", "mapped.mov", "--tone-map", "--threads", "1")
            #expect(mapped.exitCode == 0 && mapped.errors.contains("left out: the tone mapping"), "\(mapped.errors)")
            try await command.reencode("movie.mov", "-o", "plain.mov", "--threads", "1", "--preset", "veryfast")
            let movies = try ["mapped.mov", "plain.mov"].map {
                try TestSupport.Command.run(
                    "ffmpeg", "-v", "error", "-i", command.path("work/\($0)"), "-map", "0:v", "-f", "md5", "-"
                ).text
            }
            #expect(movies[0] == movies[1] && !movies[0].isEmpty)
            let refused = try await command.run("reencode", "movie.mov", "--codec", "passthrough", "--tone-map")
            #expect(refused.exitCode == 64 && refused.errors.contains("--tone-map"))
        }
    }
}
