import Foundation
import TestSupport
import Testing

/// Media that a copy could lose silently. FFmpeg is the judge.
@Suite(.timeLimit(.minutes(10))) struct CarriedMediaTests {
    private static let pattern = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=2"]

    private func probe(_ path: String, _ entries: String, _ words: String...) throws -> [String] {
        let shown = try TestSupport.Command.run(
            ["ffprobe", "-v", "error", "-select_streams", "v:0"] + words
                + ["-show_entries", "stream=\(entries)", "-of", "default=nw=1:nk=1", path])
        #expect(shown.status == 0 && shown.errors.isEmpty, "\(shown.errors)")
        return shown.text.split(separator: "\n").map(String.init)
    }

    private func leftOut(_ result: Command.Result) throws -> [String] {
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        return try #require(object?["leftOut"] as? [String], "\(result)")
    }

    // MARK: Elementary streams

    @Test(arguments: ["h264", "hevc"]) func reencode_elementaryStreamWithBFrames_keepsEveryFrame(
        codec: String
    ) async throws {
        let encoder =
            codec == "h264"
            ? ["-c:v", "libx264", "-bf", "3"] : ["-c:v", "libx265", "-x265-params", "log-level=none:bframes=3"]
        let movie = try MadeFile.of(Self.pattern + encoder + ["-pix_fmt", "yuv420p"], ending: codec)
        try await Command.inDirectory { command in
            let copy = try await command.run("reencode", movie.path, "-o", "o.mov", "--quiet")
            #expect(copy.exitCode == 0, "\(copy.errors)")
            let found = try probe(command.path("work/o.mov"), "duration,nb_read_frames", "-count_frames")
            #expect(found == ["2.000000", "50"])
        }
    }

    // MARK: Fields

    private func interlaced(_ isUpperFirst: Bool) throws -> URL {
        let order = isUpperFirst ? "tff" : "bff"
        return try MadeFile.of(
            Self.pattern + [
                "-vf", "interlace=scan=\(order)", "-c:v", "libx264", "-flags", "+ildct+ilme", "-x264opts", "\(order)=1",
                "-pix_fmt", "yuv420p",
            ], ending: "mov")
    }

    @Test(arguments: [true, false], ["h264", "prores"]) func reencode_interlacedMovie_keepsItsFields(
        isUpperFirst: Bool, codec: String
    ) async throws {
        let movie = try interlaced(isUpperFirst)
        #expect(try probe(movie.path, "field_order") == [isUpperFirst ? "tt" : "bb"])
        try await Command.inDirectory { command in
            let copy = try await command.run(
                "reencode", movie.path, "-o", "o.mov", "--codec", codec, "--json", "--quiet")
            #expect(copy.exitCode == 0, "\(copy)")
            #expect(try leftOut(copy).isEmpty, "\(copy)")
            #expect(try probe(command.path("work/o.mov"), "field_order") == [isUpperFirst ? "tt" : "bb"])
            let frames = try TestSupport.Command.run(
                "ffprobe", "-v", "error", "-show_entries", "frame=interlaced_frame,top_field_first", "-of",
                "csv=p=0", command.path("work/o.mov"))
            let flags = Set(frames.text.split(separator: "\n").map { $0.prefix(3) })
            #expect(flags == [isUpperFirst ? "1,1" : "1,0"], "\(flags)")
        }
    }

    @Test func reencode_interlacedMovieToProgressive_reportsTheFields() async throws {
        let movie = try interlaced(true)
        try await Command.inDirectory { command in
            let hevc = try await command.run(
                "reencode", movie.path, "-o", "h.mov", "--codec", "hevc", "--json", "--quiet")
            #expect(
                try leftOut(hevc) == [
                    "the fields of track 1: HEVC is encoded as progressive frames; deinterlace to get full frames"
                ])
            #expect(try probe(command.path("work/h.mov"), "field_order") == ["tt"])
            let small = try await command.run(
                "reencode", movie.path, "-o", "s.mov", "--size", "80x60", "--json", "--quiet")
            #expect(
                try leftOut(small) == [
                    "the fields of track 1: its frames are scaled; deinterlace to get full frames"
                ])
            let whole = try await command.run(
                "reencode", movie.path, "-o", "d.mov", "--deinterlace", "--json", "--quiet")
            #expect(try leftOut(whole).isEmpty)
            #expect(try probe(command.path("work/d.mov"), "field_order") == ["progressive"])
        }
    }

    // MARK: Timecode

    @Test(arguments: ["h264", "passthrough"]) func reencode_timecodeAt24WithDropFlag_keepsTheTimecode(
        codec: String
    ) async throws {
        let movie = try MadeFile.of(
            [
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x120:r=24:d=1", "-c:v", "libx264",
                "-pix_fmt",
                "yuv420p", "-timecode", "10:00:00:12",
            ], ending: "mov")
        try await Command.inDirectory { command in
            // The flags follow the description's header of eight bytes, the reference index and a reserved word.
            var data = Array(try Data(contentsOf: movie))
            let entry = try #require(
                Self.places(of: "stsd", in: data).first { data[($0 + 16)...].starts(with: Array("tmcd".utf8)) })
            let flags = entry + 20 + 8 + 4 + 3
            #expect(data[flags] & 1 == 0)
            data[flags] |= 1
            try Data(data).write(to: URL(fileURLWithPath: command.path("work/flagged.mov")))
            let info = try await command.run("info", "flagged.mov")
            #expect(info.output.contains("10:00:00:12"), "\(info.output)")
            let copy = try await command.run("reencode", "flagged.mov", "-o", "o.mov", "--codec", codec, "--quiet")
            #expect(copy.exitCode == 0, "\(copy.errors)")
            let found = try TestSupport.Command.run(
                "ffprobe", "-v", "error", "-show_entries", "stream_tags=timecode", "-of", "csv=p=0",
                command.path("work/o.mov"))
            #expect(found.text.contains("10:00:00:12"), "\(found.text)")
            let mp4 = try await command.run(
                "reencode", "flagged.mov", "-o", "o.mp4", "--codec", codec, "--json", "--quiet")
            #expect(try leftOut(mp4).contains { $0.hasPrefix("the timecode") })
        }
    }

    private static func places(of name: String, in data: [UInt8]) -> [Int] {
        let name = Array(name.utf8)
        return data.indices.dropLast(20).filter { data[$0...].starts(with: name) }
    }

    // MARK: Range

    @Test(arguments: [("h264", "pc"), ("prores", "tv")]) func reencode_fullRangeMovie_keepsTheColors(
        codec: String, range: String
    ) async throws {
        let movie = try MadeFile.of(
            [
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=0x202020:s=160x120:r=10:d=1", "-vf",
                "scale=out_range=pc", "-pix_fmt", "yuvj420p", "-color_range", "pc", "-colorspace", "bt709", "-c:v",
                "libx264",
            ], ending: "mov")
        try await Command.inDirectory { command in
            let copy = try await command.run("reencode", movie.path, "-o", "o.mov", "--codec", codec, "--quiet")
            #expect(copy.exitCode == 0, "\(copy.errors)")
            // ProRes has video range and no flag for it, and FFmpeg 7 reports none.
            let reported = try probe(command.path("work/o.mov"), "color_range")
            #expect(reported == [range] || codec == "prores" && reported == ["unknown"])
            func gray(_ path: String) throws -> Int {
                let pixels = try TestSupport.Command.run(
                    "ffmpeg", "-v", "error", "-i", path, "-frames:v", "1", "-pix_fmt", "rgb24", "-f", "rawvideo", "-")
                return Int(try #require(pixels.output.dropFirst(9000).first))
            }
            let (source, result) = (try gray(movie.path), try gray(command.path("work/o.mov")))
            #expect(abs(source - result) <= 2, "\(source) became \(result)")
        }
    }

    // MARK: AMR

    /// Returns a second of AMR at 12.2 kbit/s. Any bits are valid speech; these sound like noise.
    private static func speech() -> [[UInt8]] {
        var random = SeededRandom(seed: 7)
        return (0..<50).map { _ in [0x3C] + (0..<31).map { _ in UInt8.random(in: 0...255, using: &random) } }
    }

    /// Changes the tables of a file from one frame to five frames per sample.
    private static func joinFrames(_ data: inout [UInt8]) throws {
        func set(_ value: UInt32, at place: Int) {
            for index in 0..<4 { data[place + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index)) }
        }
        // The fields follow the name, version and flags (ISO/IEC 14496-12, 8.6.1.2, 8.7.3.2 and 8.7.4).
        let stts = try #require(places(of: "stts", in: data).first)
        set(10, at: stts + 12)
        set(800, at: stts + 16)
        let stsz = try #require(places(of: "stsz", in: data).first)
        set(160, at: stsz + 8)
        set(10, at: stsz + 12)
        let stsc = try #require(places(of: "stsc", in: data).first)
        #expect(data[(stsc + 8)..<(stsc + 12)].elementsEqual([0, 0, 0, 1]))
        set(10, at: stsc + 16)
    }

    @Test func reencode_amrWithSeveralFramesPerSample_keepsAllAudio() async throws {
        try await Command.inDirectory { command in
            let raw = command.path("work/speech.amr")
            try Data(Array("#!AMR\n".utf8) + Self.speech().joined()).write(to: URL(fileURLWithPath: raw))
            let plain = command.path("work/plain.mov")
            let made = try TestSupport.Command.run("ffmpeg", "-v", "error", "-i", raw, "-c", "copy", plain)
            #expect(made.status == 0, "\(made.errors)")
            var data = Array(try Data(contentsOf: URL(fileURLWithPath: plain)))
            try Self.joinFrames(&data)
            try Data(data).write(to: URL(fileURLWithPath: command.path("work/five.mov")))
            let verified = try await command.run("verify", "five.mov")
            #expect(verified.exitCode == 0, "\(verified)")
            let copy = try await command.run("reencode", "five.mov", "-o", "o.mov", "--audio-codec", "pcm", "--quiet")
            #expect(copy.exitCode == 0 && copy.errors.isEmpty, "\(copy.errors)")
            func samples(_ path: String) throws -> Data {
                try TestSupport.Command.run(
                    "ffmpeg", "-v", "error", "-i", path, "-f", "s16le", "-c:a", "pcm_s16le", "-"
                ).output
            }
            let (source, result) = (try samples(raw), try samples(command.path("work/o.mov")))
            #expect(source.count == 16_000 && source == result, "\(source.count) bytes became \(result.count)")
        }
    }
}
