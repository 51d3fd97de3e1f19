import AssetIO
import Foundation
import MediaTypes
import TestSupport
import Testing

/// Tests of packets stored as they come, made by ffmpeg.
@Suite struct PassthroughTests {
    /// H.264 of a camera: access units with start codes, each after a delimiter.
    private func accessUnits(_ arguments: [String] = []) throws -> [[UInt8]] {
        let made = try Command.run(
            [
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=30:d=3", "-c:v", "libx264", "-bf",
                "0",
                "-g", "30", "-x264-params", "aud=1:repeat-headers=1",
            ] + arguments + ["-f", "h264", "-"])
        let bytes = [UInt8](made.output)
        let starts = (0..<(bytes.count - 4)).filter { Array(bytes[$0..<($0 + 5)]) == [0, 0, 0, 1, 9] }
        return zip(starts, starts.dropFirst() + [bytes.count]).map { Array(bytes[$0..<$1]) }
    }

    private let h264 = FormatDescription.video(VideoFormat(codec: .h264, width: 64, height: 48))

    private func sample(_ bytes: [UInt8], _ number: Int, _ format: FormatDescription) -> SampleBuffer {
        SampleBuffer(
            format: format, content: .data(MediaData(bytes)), presentationTime: WriterFixture.time(Double(number) / 30),
            duration: MediaTime(value: 1, timescale: 30))
    }

    @Test func passthrough_cameraStream_keepsEveryFrame() async throws {
        let units = try accessUnits()
        #expect(units.count == 90)
        let fixture = try WriterFixture()
        let video = try fixture.add(.video, nil, hint: h264)
        try fixture.begin()
        for (number, unit) in units.enumerated() { #expect(try video.append(sample(unit, number, h264))) }
        try await fixture.writer.finishWriting()
        #expect(video.ledger.written == 90 && video.ledger.isBalanced)
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 90 && probe.video?.width == 64)
        let stream = try Command.run(
            "ffmpeg", "-v", "error", "-f", "h264", "-i", "-", "-f", "framemd5", "-", input: Data(units.joined()))
        let movie = try Command.run(
            "ffmpeg", "-v", "error", "-i", fixture.path, "-fps_mode", "passthrough", "-f", "framemd5", "-")
        func hashes(_ text: String) -> [Substring] {
            text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: ",").last }
        }
        #expect(hashes(stream.text) == hashes(movie.text) && hashes(movie.text).count == 90)
    }

    @Test func passthrough_packetsBeforeTheFirstKeyframe_areCounted() async throws {
        let units = try accessUnits()
        let fixture = try WriterFixture()
        let video = try fixture.add(.video, nil, hint: h264)
        try fixture.begin()
        for (number, unit) in units.enumerated().dropFirst(5) { #expect(try video.append(sample(unit, number, h264))) }
        try await fixture.writer.finishWriting()
        #expect(video.ledger.captured == 85 && video.ledger.written == 60 && video.ledger[dropped: .corrupt] == 25)
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 60)
    }

    @Test func passthrough_motionJPEG_isStoredByteForByte() async throws {
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48", "-frames:v", "1", "-pix_fmt", "yuvj422p",
            "-f", "mjpeg", "-")
        let format = FormatDescription.video(VideoFormat(codec: .mjpeg, width: 64, height: 48))
        let fixture = try WriterFixture()
        let video = try fixture.add(.video, nil, hint: format)
        try fixture.begin()
        for number in 0..<30 { #expect(try video.append(sample([UInt8](made.output), number, format))) }
        try await fixture.writer.finishWriting()
        let copy = try Command.run("ffmpeg", "-v", "error", "-i", fixture.path, "-c", "copy", "-f", "mjpeg", "-")
        #expect(copy.output == Data((0..<30).map { _ in made.output }.joined()))
        #expect(abs(try Probe(fixture.path).format.seconds - 1) < 0.001)
    }

    @Test func passthrough_otherCodec_isCountedAsCorrupt() async throws {
        let fixture = try WriterFixture()
        let format = FormatDescription.video(VideoFormat(codec: .mjpeg, width: 64, height: 48))
        let video = try fixture.add(.video, nil, hint: format)
        try fixture.begin()
        #expect(try video.append(sample([1, 2, 3], 0, format)))
        #expect(try !video.append(sample([1, 2, 3], 1, h264)))
        #expect(
            try !video.append(SyntheticMedia.videoSample(2, at: WriterFixture.time(2.0 / 30), width: 64, height: 48)))
        try await fixture.writer.finishWriting()
        #expect(video.ledger.written == 1 && video.ledger[dropped: .corrupt] == 2)
    }

    @Test func passthrough_pcm_isStoredUnchanged() async throws {
        let fixture = try WriterFixture()
        let audio = try fixture.add(.audio, nil)
        try fixture.begin()
        try fixture.appendTone(0..<30, to: audio)
        try await fixture.writer.finishWriting()
        let decoded = try Probe.decodedAudio(fixture.path, as: "s16le", codec: "pcm_s16le")
        let expected = (0..<30).flatMap { block -> [UInt8] in
            guard case .data(let data) = SyntheticMedia.tone(from: block * 1600, count: 1600, at: .zero).content else {
                return []
            }
            return Array(data.bytes)
        }
        #expect(decoded == Data(expected) && audio.ledger.written == 48_000)
        #expect(abs(try Probe(fixture.path).format.seconds - 1) < 0.001)
    }
}
