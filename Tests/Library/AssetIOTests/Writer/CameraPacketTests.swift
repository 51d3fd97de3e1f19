import Demuxing
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// H.264 and HEVC as a camera of this machine delivers them: access units with start codes, and no configuration.
@Suite struct CameraPacketTests {
    /// Encoder options and FFmpeg's filter for start codes. Cameras of this machine send no B-frames.
    private static let encoders = [
        "h264": ["libx264", "-bf", "0", "-g", "12"],
        "hevc": ["libx265", "-x265-params", "log-level=none:bframes=0:keyint=12:min-keyint=12"],
    ]

    /// Returns the access units of two seconds, in files whose names are in order.
    private func accessUnits(_ codec: String, in place: TemporaryDirectory) throws -> [[UInt8]] {
        let options = try #require(Self.encoders[codec])
        let movie = try MadeFile.of(
            ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=2", "-pix_fmt", "yuv420p", "-c:v"]
                + options, ending: "mp4")
        let split = try Command.run(
            "ffmpeg", "-v", "error", "-i", movie.path, "-map", "0:v:0", "-c", "copy", "-bsf:v",
            "\(codec)_mp4toannexb", "-f", "segment", "-segment_format", codec, "-segment_time", "0",
            "-break_non_keyframes", "1", place.path("frame%02d.bin"))
        try #require(split.status == 0, "\(split.errors)")
        return try place.names.map { [UInt8](try Data(contentsOf: place.file($0))) }
    }

    @Test(arguments: ["h264", "hevc"]) func writer_packetsOfACamera_storesEachFrame(codec: String) async throws {
        let units = try accessUnits(codec, in: TemporaryDirectory())
        try #require(units.count == 50)
        let format = FormatDescription.video(VideoFormat(codec: VideoCodec(rawValue: codec), width: 96, height: 64))
        let fixture = try WriterFixture()
        let video = try fixture.add(.video, nil, hint: format)
        try fixture.begin()
        for (number, unit) in units.enumerated() {
            #expect(
                try video.append(
                    SampleBuffer(
                        format: format, content: .data(MediaData(unit)),
                        presentationTime: WriterFixture.time(Double(number) / 25), isKeyframe: number % 12 == 0)))
        }
        try await fixture.writer.finishWriting()
        #expect(video.ledger.isBalanced && video.ledger.written == 50)
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints.isEmpty, "\(probe.complaints)")
        #expect(probe.video?.codecName == codec && probe.video?.frames == 50)
        let demuxer = try MovieDemuxer(path: fixture.path)
        var keyframes: [Int] = []
        for number in 0..<50 {
            let packet = try #require(try demuxer.next())
            if packet.sample.isKeyframe { keyframes.append(number) }
        }
        #expect(keyframes == [0, 12, 24, 36, 48])
        let configuration = demuxer.tracks[0].format?.video?.decoderConfiguration ?? []
        #expect(configuration.count > 22 && configuration[0] == 1)
    }

    /// A camera that was running before the recording sends frames which depend on a keyframe from before it.
    @Test(arguments: ["h264", "hevc"]) func writer_packetsBeforeTheFirstKeyframe_areCounted(
        codec: String
    ) async throws {
        let units = try accessUnits(codec, in: TemporaryDirectory())
        let format = FormatDescription.video(VideoFormat(codec: VideoCodec(rawValue: codec), width: 96, height: 64))
        let fixture = try WriterFixture()
        let video = try fixture.add(.video, nil, hint: format)
        try fixture.begin()
        for (number, unit) in units.enumerated().dropFirst(9) {
            _ = try video.append(
                SampleBuffer(
                    format: format, content: .data(MediaData(unit)),
                    presentationTime: WriterFixture.time(Double(number) / 25), isKeyframe: number % 12 == 0))
        }
        try await fixture.writer.finishWriting()
        #expect(video.ledger.isBalanced && video.ledger.written == 38)
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints.isEmpty && probe.video?.frames == 38, "\(probe.complaints)")
    }
}
