import Foundation
import MediaTypes
import MovieFile
import TestSupport
import Testing

@testable import AssetIO

/// Tests that an output returns the samples that ffmpeg and ffprobe find in the file.
@Suite struct TrackOutputTests {
    struct Video: CustomTestStringConvertible, Sendable {
        var file: String
        var encoder: [String]
        /// The names of the decoder's output format, ffmpeg's and ours.
        var stored = "yuv420p"
        var format = PixelFormat.i420
        var testDescription: String { file }
    }

    static let videos = [
        Video(file: "h264.mov", encoder: ["-c:v", "libx264", "-bf", "2", "-pix_fmt", "yuv420p"]),
        Video(
            file: "h264-10.mp4", encoder: ["-c:v", "libx264", "-pix_fmt", "yuv420p10le"], stored: "yuv420p10le",
            format: .i010),
        Video(
            file: "h264-422.mkv", encoder: ["-c:v", "libx264", "-pix_fmt", "yuv422p"], stored: "yuv422p", format: .i422),
        Video(file: "h264.ts", encoder: ["-c:v", "libx264", "-bf", "2", "-pix_fmt", "yuv420p"]),
        Video(
            file: "hevc.mp4", encoder: ["-c:v", "libx265", "-x265-params", "log-level=none", "-pix_fmt", "yuv420p"]),
        Video(file: "vp9.webm", encoder: ["-c:v", "libvpx-vp9", "-cpu-used", "8", "-pix_fmt", "yuv420p"]),
        Video(file: "mpeg4.avi", encoder: ["-c:v", "mpeg4", "-bf", "1"]),
        Video(
            file: "mjpeg.mov", encoder: ["-c:v", "mjpeg", "-pix_fmt", "yuvj422p"], stored: "yuvj422p", format: .i422),
        Video(
            file: "raw.mov", encoder: ["-c:v", "rawvideo", "-pix_fmt", "uyvy422"], stored: "uyvy422", format: .uyvy),
        Video(file: "dv-like.avi", encoder: ["-c:v", "ffv1", "-pix_fmt", "yuv420p"]),
    ]

    @Test(arguments: videos) func output_frames_matchFFmpeg(_ video: Video) async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(video.file, ["testsrc2=s=128x96:r=30:d=0.5"], video.encoder)
        let expected = try ReadingFixture.decoded(
            url, ["-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", video.stored])
        for shares in [true, false] {
            let (reader, output) = try await AssetReader.reading(url, .video, .pixels(nil)) {
                $0.alwaysCopiesSampleData = !shares
            }
            let samples = output.all()
            #expect(reader.status == .completed && reader.error == nil, "\(String(describing: reader.error))")
            #expect(samples.count == 15)
            #expect(samples.allSatisfy { $0.format.video?.pixelFormat == video.format })
            #expect(samples.reduce(into: Data()) { $0 += $1.visible } == expected)
            for (number, sample) in samples.enumerated() {
                #expect(abs(sample.presentationTime.seconds - Double(number) / 30) < 0.0011)
            }
        }
    }

    struct Audio: CustomTestStringConvertible, Sendable {
        var file: String
        var encoder: [String]
        /// Lossless: the decoded audio equals the tone.
        var isExact = false
        var testDescription: String { file }
    }

    static let audioTracks = [
        Audio(file: "s16le.mov", encoder: ["-c:a", "pcm_s16le"], isExact: true),
        Audio(file: "s16be.mov", encoder: ["-c:a", "pcm_s16be"], isExact: true),
        Audio(file: "s24be.aiff", encoder: ["-c:a", "pcm_s24be"], isExact: true),
        Audio(file: "s16.wav", encoder: ["-c:a", "pcm_s16le"], isExact: true),
        Audio(file: "alac.m4a", encoder: ["-c:a", "alac"], isExact: true),
        Audio(file: "flac.flac", encoder: ["-c:a", "flac"], isExact: true),
        Audio(file: "flac.mkv", encoder: ["-c:a", "flac"], isExact: true),
        Audio(file: "aac.m4a", encoder: ["-c:a", "aac"]),
        Audio(file: "aac.mov", encoder: ["-c:a", "aac"]),
        Audio(file: "mp3.mp3", encoder: ["-c:a", "libmp3lame"]),
        Audio(file: "opus.webm", encoder: ["-c:a", "libopus", "-b:a", "128k"]),
    ]

    @Test(arguments: audioTracks) func output_sine_decodesToItself(_ audio: Audio) async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(audio.file, [ReadingFixture.tone], audio.encoder)
        let (reader, output) = try await AssetReader.reading(url, .audio, .pcm(.s16))
        let samples = output.all()
        #expect(reader.status == .completed && reader.error == nil, "\(String(describing: reader.error))")
        // Blocks follow each other without a gap, from 0.
        var place = MediaTime.zero
        for sample in samples {
            #expect(sample.presentationTime == place)
            place = sample.presentationTime + (sample.duration ?? .zero)
        }
        let given = samples.reduce(into: Data()) { $0 += $1.bytes }.withUnsafeBytes {
            Array($0.bindMemory(to: Int16.self))
        }
        let original = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", ReadingFixture.tone, "-f", "s16le", "-"
        ).output.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
        #expect(original.count == 48_000)
        if audio.isExact {
            #expect(given == original)
        } else {
            // The end may be padded if the container cannot store where it is.
            #expect(given.count >= 48_000 && given.count < 48_000 + 2048, "\(given.count) frames")
            #expect(Self.offset(of: original, in: given) == 0)
            let noise = zip(given, original).dropFirst(2048).prefix(40_000).map { abs(Int($0) - Int($1)) }
            #expect((noise.max() ?? 0) < 400, "off by \(noise.max() ?? 0)")
        }
    }

    /// The offset in audio frames between the two, by the best match within a quarter period of the tone.
    private static func offset(of original: [Int16], in given: [Int16]) -> Int {
        func score(_ shift: Int) -> Int {
            (8000..<16_000).reduce(0) { $0 + Int(original[$1]) * Int(given[$1 + shift]) }
        }
        return (-27...27).max { score($0) < score($1) } ?? 99
    }

    @Test(arguments: ["movie.mov", "movie.mp4", "movie.mkv"])
    func output_noSettings_returnsStoredPackets(_ name: String) async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.movie(name)
        for (mediaType, selector) in [(MediaType.video, "v"), (.audio, "a")] {
            let (reader, output) = try await AssetReader.reading(url, mediaType, nil)
            let samples = output.all()
            #expect(reader.status == .completed)
            let expected = try Command.run(
                "ffmpeg", "-v", "error", "-i", url.path, "-map", "0:\(selector)", "-c", "copy", "-copyts", "-f", "data",
                "-")
            #expect(samples.reduce(into: Data()) { $0 += $1.bytes } == expected.output)
            let times = try Probe.ask(url.path, "packet=pts_time,size", of: selector).text.split(separator: "\n").map {
                $0.split(separator: ",").compactMap { Double($0) }
            }
            #expect(samples.count == times.count && !samples.isEmpty)
            for (sample, row) in zip(samples, times) {
                #expect(abs(sample.presentationTime.seconds - row[0]) < 1e-5 && Double(sample.byteCount) == row[1])
            }
        }
    }

    @Test(arguments: ["2", "3"]) func output_tenBitProRes_returnsTenOrEightBits(_ profile: String) async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            "prores.mov", ["testsrc2=s=128x96:r=30:d=0.1"], ["-c:v", "prores_ks", "-profile:v", profile])
        let stored = try ReadingFixture.decoded(url, ["-f", "rawvideo", "-pix_fmt", "yuv422p10le"])
        let luma = 128 * 96
        for (wanted, shift) in [(PixelFormat?.none, 0), (.i010, 0), (.p010, -6), (.i422, 2), (.nv12, 2)] {
            let (reader, output) = try await AssetReader.reading(url, .video, .pixels(wanted))
            let samples = output.all()
            #expect(reader.status == .completed && samples.count == 3, "\(String(describing: reader.error))")
            let first = try #require(samples.first).visible
            let expected = stored.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self).prefix(luma)) }
            let given: [UInt16] =
                shift > 0
                ? first.prefix(luma).map { UInt16($0) << 2 }
                : first.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self).prefix(luma)) }
            let tolerance = shift > 0 ? 3 : 0
            let isSame = zip(given, expected).allSatisfy { one, other in
                abs(Int(shift < 0 ? one >> 6 : one) - Int(other)) <= tolerance
            }
            #expect(isSame, "\(wanted?.rawValue ?? "as stored")")
        }
    }

    @Test(arguments: PixelFormat.allCases) func output_everyPixelFormat_canBeRequested(_ format: PixelFormat)
        async throws
    {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            "h264.mov", ["smptebars=s=128x96:r=30:d=0.1"],
            [
                "-vf", ColorTags.filter(matrix: "smpte170m"), "-c:v", "libx264", "-pix_fmt", "yuv420p", "-qp", "1",
            ])
        let names: [PixelFormat: String] = [
            .nv12: "nv12", .i420: "yuv420p", .i422: "yuv422p", .yuyv: "yuyv422", .uyvy: "uyvy422", .bgra: "bgra",
            .argb: "argb", .rgba: "rgba", .rgb24: "rgb24", .gray8: "gray", .p010: "p010le", .i010: "yuv420p10le",
            .i210: "yuv422p10le",
        ]
        let (reader, output) = try await AssetReader.reading(url, .video, .pixels(format))
        let samples = output.all()
        #expect(reader.status == .completed && samples.count == 3)
        let first = try #require(samples.first)
        #expect(first.format.video?.pixelFormat == format)
        // ffmpeg expands gray to full range; ours is the luma as stored.
        let name = format == .gray8 ? "yuv420p" : try #require(names[format])
        let expected = try ReadingFixture.decoded(
            url,
            [
                "-frames:v", "1", "-sws_flags", "accurate_rnd+full_chroma_int+neighbor", "-f", "rawvideo", "-pix_fmt",
                name,
            ])
        let given = first.visible
        if format.bitDepth > 8 {
            let pairs = zip(
                given.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) },
                expected.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) })
            let off = pairs.count { abs(Int($0) - Int($1)) > (format == .p010 ? 4 << 6 : 4) }
            // The limit below applies here too, because there are more rows of chroma than are stored.
            #expect(format == .i210 ? off * 12 < given.count / 2 : off == 0, "\(off)")
        } else {
            // Chroma is interpolated differently at the edges of the bars.
            let off = zip(given, expected).count { abs(Int($0) - Int($1)) > 4 }
            #expect(off * 12 < given.count, "\(off) of \(given.count)")
        }
    }

    @Test(arguments: [true, false]) func output_colorRange_isKept(_ isFull: Bool) async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            "range.mov", ["testsrc2=s=128x96:r=30:d=0.1"],
            [
                "-vf", "scale=out_range=\(isFull ? "full" : "limited")", "-color_range", isFull ? "pc" : "tv", "-c:v",
                "libx264", "-pix_fmt", "yuv420p",
            ])
        for wanted in [PixelFormat?.none, .nv12, .i010] {
            let (_, output) = try await AssetReader.reading(url, .video, .pixels(wanted))
            #expect(output.copyNextSampleBuffer()?.format.video?.color.isFullRange == isFull)
        }
    }

    @Test func output_audio_isConvertedToTheRequestedFormat() async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make("tone.wav", [ReadingFixture.tone], ["-c:a", "pcm_s16le", "-ac", "2"])
        let forms: [(TrackOutput.PCM, [String], Int)] = [
            (.init(.float32), ["-f", "f32le"], 0),
            (.init(.s24, isBigEndian: true), ["-f", "s24be"], 0),
            (.init(.s16, channelCount: 1), ["-f", "s16le", "-ac", "1"], 0),
            (.init(.s16, sampleRate: 44_100), ["-f", "s16le", "-ar", "44100"], 1),
        ]
        for (form, arguments, tolerance) in forms {
            let (reader, output) = try await AssetReader.reading(url, .audio, .pcm(form))
            let given = output.all().reduce(into: Data()) { $0 += $1.bytes }
            #expect(reader.status == .completed)
            let expected = try ReadingFixture.decoded(url, arguments)
            if tolerance == 0 {
                #expect(given == expected, "\(form)")
            } else {
                #expect(abs(given.count - expected.count) <= 4 * 32, "\(given.count) for \(expected.count)")
                let pairs = zip(
                    given.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) },
                    expected.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) })
                #expect(pairs.prefix(80_000).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
            }
        }
    }
}
