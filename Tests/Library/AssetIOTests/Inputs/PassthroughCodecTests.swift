import Demuxing
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of packets from other programs' movies that pass through an input without settings: every byte and every time
/// is kept.
@Suite struct PassthroughCodecTests {
    struct Source: CustomTestStringConvertible, Sendable {
        var codec: String
        var encoder: [String]
        var isVideo = true
        var container = "mov"
        var testDescription: String { "\(codec) into .\(container)" }
    }

    static let sources = [
        Source(codec: "h264", encoder: ["-c:v", "libx264", "-bf", "2", "-g", "15"]),
        Source(codec: "hevc", encoder: ["-c:v", "libx265", "-x265-params", "log-level=none", "-tag:v", "hvc1"]),
        Source(codec: "mjpeg", encoder: ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p"]),
        Source(codec: "prores", encoder: ["-c:v", "prores_ks", "-profile:v", "3"]),
        Source(codec: "mpeg4", encoder: ["-c:v", "mpeg4", "-bf", "1"]),
        Source(codec: "aac", encoder: ["-c:a", "aac"], isVideo: false),
        Source(codec: "alac", encoder: ["-c:a", "alac"], isVideo: false),
        Source(codec: "pcm_s16le", encoder: ["-c:a", "pcm_s16le"], isVideo: false),
        Source(codec: "h264", encoder: ["-c:v", "libx264", "-bf", "2", "-g", "15"], container: "mp4"),
        Source(codec: "hevc", encoder: ["-c:v", "libx265", "-x265-params", "log-level=none"], container: "mp4"),
        Source(codec: "aac", encoder: ["-c:a", "aac"], isVideo: false, container: "m4a"),
        Source(codec: "alac", encoder: ["-c:a", "alac"], isVideo: false, container: "mp4"),
    ]

    @Test(arguments: sources) func passthrough_everyCodec_keepsPacketsUnchanged(_ source: Source) async throws {
        let directory = try TemporaryDirectory()
        let original = directory.path("original.mov")
        let pattern = source.isVideo ? "testsrc2=s=128x96:r=30:d=1" : "sine=frequency=440:sample_rate=48000:duration=1"
        let made = try Command.run(
            ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", pattern] + source.encoder + [original])
        #expect(made.status == 0, "\(made.errors)")

        let demuxer = try MovieDemuxer(path: original)
        let format = try #require(demuxer.tracks.first?.format)
        let type = try #require(FileType(fileExtension: source.container))
        let writer = try AssetWriter(outputURL: directory.file("copy.\(source.container)"), fileType: type)
        let input = try AssetWriterInput(mediaType: format.mediaType, outputSettings: nil, sourceFormatHint: format)
        try writer.add(input)
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        var count = 0
        while let packet = try demuxer.next() {
            #expect(eventually { input.isReadyForMoreMediaData })
            #expect(try input.append(packet.sample))
            count += 1
        }
        try await writer.finishWriting()

        let copy = writer.outputURL.path
        #expect(count > 0 && input.error == nil)
        if source.codec.hasPrefix("pcm") {
            // PCM has no packets in a file: readers divide it as they like.
            #expect(try streamHash(copy) == streamHash(original))
        } else {
            let packets = try packets(copy)
            #expect(try packets == self.packets(original))
            #expect(packets.count == count)
        }
        let probe = try Probe(copy, decodes: true)
        #expect(probe.complaints == "" && probe.streams.first?.codecName == source.codec)
        #expect(abs(probe.format.seconds - 1) < 0.002)
        #expect(try frames(copy) == frames(original))
    }

    /// Times, flags and hashes of every packet.
    private func packets(_ path: String) throws -> [String] {
        let result = try Probe.ask(
            path, "packet=pts_time,dts_time,flags,data_hash", options: ["-show_data_hash", "md5"])
        // ffprobe prints additional data about a packet, such as the samples to skip, on a line of its own.
        return result.text.replacing(",\n,MD5", with: ",MD5").split(separator: "\n").map(String.init)
    }

    private func streamHash(_ path: String) throws -> String {
        try Command.run("ffmpeg", "-v", "error", "-i", path, "-c", "copy", "-f", "streamhash", "-").text
    }

    /// A hash of the decoded frames, with edits applied.
    private func frames(_ path: String) throws -> String {
        try Command.run("ffmpeg", "-v", "error", "-i", path, "-fps_mode", "passthrough", "-f", "streamhash", "-").text
    }
}
