import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Tests of sample descriptions by decoding: FFmpeg makes a file, we make one from its packets, and FFmpeg decodes both
/// to the same frames and audio. GStreamer must name the codec too.
@Suite struct PassthroughDescriptionTests {
    private static let frame = ["-f", "lavfi", "-i", "testsrc=s=64x48:r=25", "-frames:v", "3"]
    private static let audio = ["-f", "lavfi", "-i", "sine=r=48000:d=0.2"]

    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var arguments: [String]
        var source = "source.mov"
        var types: [FileType] = [.mov]
        /// Words in GStreamer's report; nil if it has no decoder or demuxer for the codec.
        var caps: String?
        var testDescription: String { name }
    }

    static let videoCases: [Case] = [
        Case(
            name: "h264", arguments: frame + ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-bf", "1"],
            types: [.mov, .mp4, .m4v], caps: "H.264"),
        Case(
            name: "hvc1",
            arguments: frame + [
                "-c:v", "libx265", "-x265-params", "log-level=none", "-pix_fmt", "yuv420p", "-tag:v", "hvc1",
            ], types: [.mov, .mp4], caps: "H.265"),
        Case(
            name: "hev1",
            arguments: frame + [
                "-c:v", "libx265", "-x265-params", "log-level=none", "-pix_fmt", "yuv420p", "-tag:v", "hev1",
            ], types: [.mov, .mp4], caps: "H.265"),
        Case(name: "mpeg4", arguments: frame + ["-c:v", "mpeg4"], types: [.mov, .mp4], caps: "MPEG-4"),
        Case(
            name: "vp9", arguments: frame + ["-c:v", "libvpx-vp9", "-deadline", "realtime"], source: "source.mp4",
            types: [.mov, .mp4], caps: "VP9"),
        Case(
            name: "av1", arguments: frame + ["-c:v", "libaom-av1", "-cpu-used", "8", "-usage", "realtime"],
            source: "source.mp4", types: [.mov, .mp4], caps: "AV1"),
        Case(name: "mjpeg", arguments: frame + ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p"], caps: "JPEG"),
        Case(name: "png", arguments: frame + ["-c:v", "png"], caps: "PNG"),
        Case(name: "apco", arguments: frame + ["-c:v", "prores_ks", "-profile:v", "0"], caps: "ProRes"),
        Case(name: "apch", arguments: frame + ["-c:v", "prores_ks", "-profile:v", "3"], caps: "ProRes"),
        Case(
            name: "ap4h", arguments: frame + ["-c:v", "prores_ks", "-profile:v", "4", "-pix_fmt", "yuva444p10le"],
            caps: "ProRes"),
        Case(name: "ffv1", arguments: frame + ["-c:v", "ffv1", "-tag:v", "FFV1"]),
    ]

    static let audioCases: [Case] = [
        Case(name: "aac", arguments: audio + ["-c:a", "aac"], types: [.mov, .mp4, .m4a], caps: "mpegversion=(int)4"),
        Case(
            name: "aac 5.1", arguments: audio + ["-ac", "6", "-c:a", "aac"], types: [.mov, .mp4, .m4a],
            caps: "mpegversion=(int)4"),
        Case(
            name: "aac 96k", arguments: ["-f", "lavfi", "-i", "sine=r=96000:d=0.2", "-c:a", "aac"],
            types: [.mov, .mp4], caps: "mpegversion=(int)4"),
        Case(name: "alac", arguments: audio + ["-c:a", "alac"], types: [.mov, .mp4, .m4a], caps: "audio/x-alac"),
        Case(
            name: "alac 24", arguments: audio + ["-ac", "2", "-c:a", "alac", "-sample_fmt", "s32p"],
            types: [.mov, .m4a], caps: "audio/x-alac"),
        Case(name: "mp3", arguments: audio + ["-c:a", "libmp3lame"], types: [.mov, .mp4], caps: "layer=(int)3"),
        Case(name: "mp3 22k", arguments: audio + ["-ar", "22050", "-c:a", "libmp3lame"], types: [.mov, .mp4]),
        Case(name: "ac3", arguments: audio + ["-c:a", "ac3"], types: [.mov, .mp4], caps: "AC-3"),
        Case(name: "eac3", arguments: audio + ["-c:a", "eac3"], types: [.mov, .mp4], caps: "audio/x-eac3"),
        Case(
            name: "opus", arguments: audio + ["-c:a", "libopus"], source: "source.mp4", types: [.mov, .mp4],
            caps: "Opus"),
        Case(
            name: "flac", arguments: audio + ["-c:a", "flac"], source: "source.mp4", types: [.mov, .mp4],
            caps: "audio/x-flac"),
    ]

    private func decoded(_ path: String) throws -> String {
        let result = try Command.run(
            "ffmpeg", "-v", "warning", "-xerror", "-i", path, "-map", "0", "-f", "rawvideo", "-c:v", "rawvideo",
            "-fps_mode", "passthrough", "-")
        guard result.status == 0, result.errors.isEmpty else {
            throw Command.Failure(description: "\(path): \(result.errors)")
        }
        return result.output.base64EncodedString()
    }

    private func decodedAudio(_ path: String) throws -> Data {
        let result = try Command.run(
            "ffmpeg", "-v", "warning", "-xerror", "-i", path, "-f", "s32le", "-c:a", "pcm_s32le", "-")
        guard result.status == 0, result.errors.isEmpty else {
            throw Command.Failure(description: "\(path): \(result.errors)")
        }
        return result.output
    }

    private func discovered(_ path: String) throws -> String { try Command.run("gst-discoverer-1.0", "-v", path).text }

    @Test(arguments: videoCases)
    func passthrough_video_decodesToTheSameFrames(_ one: Case) throws {
        let directory = try TemporaryDirectory()
        let source = try Packets(one.arguments, in: directory, name: one.source)
        let format = VideoFormat(
            codec: VideoCodec(rawValue: source.codec), width: source.width, height: source.height, color: .bt709,
            decoderConfiguration: source.configuration, codecTag: source.tag)
        let expected = try decoded(directory.path(one.source))
        for type in one.types {
            #expect(ContainerRules.isPermitted(.video(format), in: type))
            let path = directory.path("ours.\(type.rawValue)")
            try Data(try source.movie(.video(format), fileType: type)).write(to: URL(fileURLWithPath: path))
            #expect(try decoded(path) == expected)
            let probe = try Probe(path)
            let stream = try #require(probe.video)
            #expect(stream.codecName == source.codec && stream.width == 64 && stream.height == 48)
            #expect(probe.complaints == "")
            if let caps = one.caps, type == one.types[0] { #expect(try discovered(path).contains(caps)) }
        }
    }

    @Test(arguments: audioCases)
    func passthrough_audio_decodesToTheSameAudio(_ one: Case) throws {
        let directory = try TemporaryDirectory()
        let source = try Packets(one.arguments, in: directory, name: one.source)
        let layout: ChannelLayout? = source.channels == 6 ? .surround51 : nil
        let format = AudioFormat(
            codec: AudioCodec(rawValue: source.codec), sampleRate: source.sampleRate, channelCount: source.channels,
            layout: layout, decoderConfiguration: source.configuration)
        let raw = try decodedAudio(directory.path(one.source))
        for type in one.types {
            #expect(ContainerRules.isPermitted(.audio(format), in: type))
            let path = directory.path("ours.\(type.rawValue)")
            try Data(try source.movie(.audio(format), fileType: type)).write(to: URL(fileURLWithPath: path))
            // The end of the last packet depends on the writer, not on the description.
            let ours = try decodedAudio(path)
            let common = min(ours.count, raw.count)
            #expect(common > source.sampleRate * source.channels / 2 && ours.prefix(common) == raw.prefix(common))
            let probe = try Probe(path)
            let stream = try #require(probe.audio)
            #expect(stream.codecName == source.codec && stream.channels == source.channels)
            #expect(stream.sampleRate == String(source.sampleRate))
            #expect(probe.complaints == "")
            if let caps = one.caps, type == one.types[0] { #expect(try discovered(path).contains(caps)) }
        }
    }
}
