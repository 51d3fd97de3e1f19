import Foundation
import TestSupport
import Testing

/// `recorder reencode` into every codec and container, with the guarantees of each.
@Suite(.timeLimit(.minutes(10))) struct ReencodeCodecTests {
    /// Returns the least effort for each codec, so that the tests are fast.
    private static func words(_ codec: String) -> [String] {
        ["--codec", codec] + (codec == "prores" ? [] : ["--preset", "ultrafast"])
    }

    private static let tags = ["h264": "avc1", "hevc": "hvc1", "av1": "av01", "prores": "apcn"]

    @Test(arguments: ["h264", "hevc", "av1", "prores"], ["mov", "mp4", "m4v"])
    func reencode_videoCodec_isStoredInEverySupportedContainer(_ codec: String, _ ending: String) async throws {
        try await Command.inDirectory { command in
            try command.movie(seconds: 1)
            let result = try await command.run(
                ["reencode", "movie.mov", "-o", "copy.\(ending)", "--quiet"] + Self.words(codec))
            if codec == "prores", ending != "mov" {
                #expect(result.exitCode == 64 && result.errorLines.count == 1, "\(result.errors)")
                #expect(result.errors.contains("prores") && result.errors.contains(".\(ending)"), "\(result.errors)")
                #expect(command.files(in: "work") == ["movie.mov"])
                return
            }
            #expect(result.exitCode == 0 && result.errors.isEmpty, "\(result.errors)")
            let video = try #require(try command.probe("copy.\(ending)").video)
            #expect(video.codecName == codec && video.frames == 25 && video.start == 0)
            let facts = try FrameInfo(command.path("work/copy.\(ending)"))
            #expect(facts.stream["codec_tag_string"] == Self.tags[codec])
            let names = ["h264": "AVC", "hevc": "HEVC", "av1": "AV1", "prores": "ProRes"]
            #expect(facts.mediainfo["Format"] == names[codec])
        }
    }

    /// The ISO/IEC 14496-12 family supports FLAC and Opus; `.m4a` is for what Apple's players support.
    @Test(arguments: ["aac", "alac", "flac", "opus", "pcm"], ["mov", "mp4", "m4a"])
    func reencode_audioCodec_isStoredInEverySupportedContainer(_ codec: String, _ ending: String) async throws {
        try await Command.inDirectory { command in
            try command.ffmpeg(
                ["-f", "lavfi", "-i", "aevalsrc=0.4*sin(440*2*PI*t)|0.3*sin(600*2*PI*t):s=48000:d=1.3"]
                    + ["-c:a", "pcm_s16le", command.path("work/movie.mov")])
            let result = try await command.run(
                "reencode", "movie.mov", "-o", "copy.\(ending)", "--audio-codec", codec, "--quiet")
            let isTaken = ending == "mov" || ["aac", "alac"].contains(codec) || (ending == "mp4" && codec != "pcm")
            guard isTaken else {
                #expect(result.exitCode == 64 && result.errorLines.count == 1, "\(result.errors)")
                #expect(result.errors.contains("\(codec) into .\(ending)"), "\(result.errors)")
                #expect(command.files(in: "work") == ["movie.mov"])
                return
            }
            #expect(result.exitCode == 0 && result.errors.isEmpty, "\(result.errors)")
            let audio = try #require(try command.probe("copy.\(ending)").audio)
            #expect(audio.codecName == (codec == "pcm" ? "pcm_s16le" : codec) && audio.sampleRate == "48000")
            #expect(abs(audio.seconds - 1.3) < 0.001 && audio.channels == 2)
            let movie = try Probe.decodedAudio(command.path("work/movie.mov"), as: "s16le")
            let copy = try Probe.decodedAudio(command.path("work/copy.\(ending)"), as: "s16le")
            if ["aac", "opus"].contains(codec) {
                // FFmpeg decodes the last packet to its end.
                #expect(copy.count >= movie.count && copy.count < movie.count + 4 * 1024, "\(copy.count)")
                #expect(Self.likeness(movie, copy.prefix(movie.count)) > 0.99)
            } else {
                #expect(copy == movie)
            }
        }
    }

    /// Returns the similarity of two audio signals without an offset: 1 if they are equal.
    private static func likeness(_ one: Data, _ other: Data) -> Double {
        func samples(_ data: Data) -> [Double] {
            data.withUnsafeBytes { bytes in bytes.bindMemory(to: Int16.self).map { Double(Int16(littleEndian: $0)) } }
        }
        let (first, second) = (samples(one), samples(other))
        func product(_ one: [Double], _ other: [Double]) -> Double { zip(one, other).reduce(0) { $0 + $1.0 * $1.1 } }
        return product(first, second) / (product(first, first) * product(second, second)).squareRoot()
    }

    @Test(arguments: [("h264", "yuv420p"), ("hevc", "yuv420p10le"), ("av1", "yuv420p10le"), ("prores", "yuv422p10le")])
    func reencode_tenBits_areKeptOrReported(_ codec: String, _ pixels: String) async throws {
        try await Command.inDirectory { command in
            try command.ffmpeg([
                "-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=0.4", "-c:v", "libx264", "-pix_fmt", "yuv420p10le",
                command.path("work/movie.mov"),
            ])
            let result = try await command.run(["reencode", "movie.mov", "-o", "copy.mov"] + Self.words(codec))
            #expect(result.exitCode == 0)
            #expect(try FrameInfo(command.path("work/copy.mov")).stream["pix_fmt"] == pixels)
            // Losses are reported.
            #expect(result.errors.contains("left out: 10 bits") == (codec == "h264"), "\(result.errors)")
            guard codec != "prores" else { return }
            for (bits, pixels) in [("8", "yuv420p"), ("10", "yuv420p10le")] {
                let name = "copy\(bits).mov"
                let chosen = try await command.run(
                    ["reencode", "movie.mov", "-o", name, "--bit-depth", bits] + Self.words(codec))
                #expect(chosen.exitCode == 0 && !chosen.errors.contains("left out"), "\(chosen.errors)")
                #expect(try FrameInfo(command.path("work/\(name)")).stream["pix_fmt"] == pixels)
            }
        }
    }

    // MARK: Threads

    /// Returns a hash of all video packets.
    private func packets(_ name: String, _ command: Command) throws -> String {
        let result = try TestSupport.Command.run(
            "ffmpeg", "-v", "error", "-i", command.path("work/\(name)"), "-map", "0:v", "-c", "copy", "-f", "md5", "-")
        try #require(result.status == 0 && result.text.hasPrefix("MD5="), "\(result.errors)")
        return result.text
    }

    /// Machines with fewer and with more processors than requested threads. x264 itself produces a different movie one
    /// time in three.
    @Test(arguments: ["h264", "hevc", "av1"]) func reencode_anyProcessorCount_givesTheSameBytes(
        _ codec: String
    ) async throws {
        try await Command.inDirectory { command in
            try command.movie(size: "320x240", seconds: 2, hasAudio: false)
            var made: [String] = []
            for (number, processors) in ["0", nil, "0", nil, "0", "0"].enumerated() {
                let words = [
                    "reencode", "movie.mov", "-o", "copy\(number).mov", "--quiet", "--codec", codec, "--threads", "4",
                    "--preset", "fast",
                ]
                let taskset = processors.map { ["-c", $0, command.executablePath] }
                let result = try await command.start(
                    program: taskset == nil ? nil : "/usr/bin/taskset", (taskset ?? []) + words
                ).result()
                #expect(result.exitCode == 0 && result.errors.isEmpty, "\(result.errors)")
                made.append(try packets("copy\(number).mov", command))
            }
            #expect(Set(made).count == 1, "\(made)")
        }
    }

    /// SVT-AV1 produces the same bytes for any number of threads. In x264 and x265, frame references depend on the
    /// number of frames that are encoded at a time.
    @Test func av1_anyThreadCount_givesTheSameBytes() async throws {
        try await Command.inDirectory { command in
            try command.movie(size: "320x240", seconds: 2, hasAudio: false)
            for threads in ["1", "4"] {
                try await command.reencode(
                    "movie.mov", "-o", "copy\(threads).mov", "--codec", "av1", "--threads", threads)
            }
            #expect(try packets("copy1.mov", command) == packets("copy4.mov", command))
        }
    }

    // MARK: Sizes

    private func street(_ command: Command) throws {
        try command.ffmpeg([
            "-i", Project.path("Tests/Movies/car-detection.mp4"), "-t", "6", "-c", "copy",
            command.path("work/street.mp4"),
        ])
    }

    @Test(arguments: [("h264", [1000, 2000]), ("hevc", [1000, 2000]), ("av1", [100, 200])])
    func reencode_maxSize_isKeptAndMostlyUsed(_ codec: String, _ kilobytes: [Int]) async throws {
        try await Command.inDirectory { command in
            try street(command)
            for (name, limit) in zip(["small.mov", "large.mp4"], kilobytes) {
                try await command.reencode(
                    "street.mp4", "-o", name, "--codec", codec, "--max-size", "\(limit)k", "--no-audio")
                let size = Double(try command.size(of: name)) / 1000
                #expect(size <= Double(limit) && size > 0.85 * Double(limit), "\(codec): \(size) of \(limit)")
                let probe = try command.probe(name)
                #expect(probe.video?.frames == 75 && probe.video?.codecName == codec)
            }
            #expect(command.files(in: "work") == ["large.mp4", "small.mov", "street.mp4"])
        }
    }

    @Test(arguments: ["h264", "hevc"]) func reencode_twoPasses_keepTheBitRateAndLeaveNoFiles(_ codec: String)
        async throws
    {
        try await Command.inDirectory { command in
            try street(command)
            try await command.reencode(
                "street.mp4", "-o", "copy.mov", "--codec", codec, "--bit-rate", "800k", "--two-pass", "--no-audio")
            let rate = Double(try command.size(of: "copy.mov")) * 8 / 6
            #expect(rate > 720_000 && rate < 880_000, "\(rate)")
            #expect(command.files(in: "work") == ["copy.mov", "street.mp4"])
        }
    }

    @Test(arguments: [
        ("--codec prores --max-size 1M", "--max-size"), ("--codec prores --bit-rate 4M", "--bit-rate"),
        ("--codec prores --two-pass --bit-rate 4M", "--two-pass"), ("--codec prores --threads 2", "--threads"),
        ("--codec prores --bit-depth 8", "--bit-depth"), ("--codec av1 --two-pass --bit-rate 1M", "--two-pass"),
        ("--codec av1 --crf 0", "1 to 63"), ("--codec hevc --crf 52", "0 to 51"), ("--bit-depth 12", "8 or 10"),
        ("--codec passthrough --bit-depth 8", "--bit-depth"), ("--codec hevc --quality 101", "0 to 100"),
        ("--threads 0", "1 to 64"),
    ])
    func reencode_optionTheCodecLacks_isRefused(_ words: String, _ word: String) async throws {
        try await Command.inDirectory { command in
            try command.movie(seconds: 1)
            let result = try await command.run(
                ["reencode", "movie.mov", "-o", "copy.mov"] + words.split(separator: " ").map(String.init))
            #expect(result.exitCode == 64 && result.errors.contains(word), "\(result.errors)")
            #expect(command.files(in: "work") == ["movie.mov"])
        }
    }
}
