import Foundation
import MediaCodecs
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

@Suite struct VideoTrackEncodingTests {
    /// One video entry as ffprobe names it.
    private func probed(_ entry: String, _ path: String) throws -> String {
        let result = try Command.run(
            "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=\(entry)", "-of", "csv=p=0",
            path)
        return result.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The luma in the middle of the first picture, as it is stored.
    private func storedLuma(_ path: String) throws -> UInt8 {
        let result = try Command.run(
            "ffmpeg", "-v", "error", "-i", path, "-frames:v", "1", "-vf", "crop=2:2", "-f", "rawvideo", "-")
        return try #require(result.output.first)
    }

    @Test(arguments: [nil, ColorDescription.bt709]) func aJPEGKeepsItsRangeOrIsBroughtToTheTracks(
        color: ColorDescription?
    ) async throws {
        let white = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=white:s=64x48", "-frames:v", "1", "-pix_fmt",
            "yuvj420p", "-f", "mjpeg", "-")
        let format = FormatDescription.video(VideoFormat(codec: .mjpeg, width: 64, height: 48))
        let fixture = try WriterFixture()
        let settings = VideoSettings(rateControl: .constantQuality(5), color: color)
        let input = try fixture.add(.video, .video(settings), hint: format)
        try fixture.begin()
        for number in 0..<10 {
            try input.append(
                SampleBuffer(
                    format: format, content: .data(MediaData([UInt8](white.output))),
                    presentationTime: WriterFixture.time(Double(number) / 30)))
        }
        try await fixture.writer.finishWriting()
        #expect(input.ledger.written == 10)
        #expect(try probed("color_range", fixture.path) == (color == nil ? "pc" : "tv"))
        let luma = Int(try storedLuma(fixture.path))
        #expect(abs(luma - (color == nil ? 255 : 235)) <= 1)
    }

    @Test(arguments: [PixelFormat.p010, .nv12]) func tenBitsStandInTheMovie(format: PixelFormat) async throws {
        let fixture = try WriterFixture()
        let settings = VideoSettings(width: 64, height: 48, profile: .high10)
        let input = try fixture.add(.video, .video(settings))
        try fixture.begin()
        for number in 0..<10 {
            let picture = SyntheticMedia.picture(number, width: 64, height: 48, format: format)
            try input.append(
                SampleBuffer(pixels: picture, presentationTime: WriterFixture.time(Double(number) / 30)))
        }
        try await fixture.writer.finishWriting()
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 10)
        #expect(try probed("pix_fmt", fixture.path) == "yuv420p10le")
    }

    @Test func theSecondPassTakesWhatTheFirstLearned() throws {
        let directory = try TemporaryDirectory()
        let statistics = try PassStatistics(in: directory.url)
        let settings = VideoSettings(width: 64, height: 48, rateControl: .bitRate(100_000))
        var packets: [[SampleBuffer]] = []
        for pass in [statistics.firstPass, statistics.secondPass] {
            let encoding = try VideoTrackEncoding(
                settings, hint: nil, timeScale: 1_000_000, isRealTime: false, pass: pass)
            var out: [SampleBuffer] = []
            for number in 0..<30 {
                let frame = SyntheticMedia.frame(
                    number, at: WriterFixture.time(Double(number) / 30), width: 64, height: 48)
                try encoding.encode(frame) { packet, _ in out.append(packet) }
            }
            try encoding.finish { packet, _ in out.append(packet) }
            packets.append(out)
        }
        #expect(packets.map(\.count) == [30, 30])
        #expect(packets[0].map(\.presentationTime) == packets[1].map(\.presentationTime))
        // Without the first pass the second cannot begin.
        let nothing = try PassStatistics(in: directory.url)
        #expect(throws: MediaError.self) {
            try VideoTrackEncoding(
                settings, hint: nil, timeScale: 1_000_000, isRealTime: false, pass: nothing.secondPass)
        }
    }

    @Test func picturesThatWereRGBSayBT601() throws {
        let hint = VideoFormat(
            pixelFormat: .bgra, width: 64, height: 48,
            color: ColorDescription(primaries: 1, transfer: 13, matrix: 0, isFullRange: true))
        let encoding = try VideoTrackEncoding(VideoSettings(), hint: hint, timeScale: 1000, isRealTime: false)
        #expect(encoding.format?.video?.color == ColorDescription(primaries: 1, transfer: 13, matrix: 6))
    }
}
