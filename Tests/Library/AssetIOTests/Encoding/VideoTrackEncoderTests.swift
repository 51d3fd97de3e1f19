import Foundation
import MediaCodecs
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AssetIO

@Suite struct VideoTrackEncoderTests {
    /// An entry of the video stream, as ffprobe reports it.
    private func probed(_ entry: String, _ path: String) throws -> String {
        let result = try Probe.ask(path, "stream=\(entry)", of: "v:0")
        return result.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The stored luma in the middle of the first frame.
    private func storedLuma(_ path: String) throws -> UInt8 {
        let result = try Command.run(
            "ffmpeg", "-v", "error", "-i", path, "-frames:v", "1", "-vf", "crop=2:2", "-f", "rawvideo", "-")
        return try #require(result.output.first)
    }

    @Test(arguments: [nil, ColorDescription.bt709]) func encoding_fullRangeJPEG_keepsOrConvertsItsRange(
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

    @Test(arguments: [PixelFormat.p010, .nv12]) func writer_high10Profile_storesTenBits(format: PixelFormat)
        async throws
    {
        let fixture = try WriterFixture()
        let settings = VideoSettings(width: 64, height: 48, profile: .high10)
        let input = try fixture.add(.video, .video(settings))
        try fixture.begin()
        for number in 0..<10 {
            let frame = SyntheticMedia.frame(number, width: 64, height: 48, format: format)
            try input.append(
                SampleBuffer(pixels: frame, presentationTime: WriterFixture.time(Double(number) / 30)))
        }
        try await fixture.writer.finishWriting()
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 10)
        #expect(try probed("pix_fmt", fixture.path) == "yuv420p10le")
    }

    @Test func encoder_lastFrameOfNoDuration_endsAfterTheExpectedOne() throws {
        let settings = VideoSettings(width: 64, height: 48, expectedFrameRate: 25)
        let encoder = try VideoTrackEncoder(settings, hint: nil, timeScale: 1_000_000, isRealTime: false)
        for (second, duration, end) in [(1, 0, 1040), (2, 30, 2030)] as [(Int64, Int64, Int64)] {
            let frame = SyntheticMedia.videoSample(
                0, at: MediaTime(value: second, timescale: 1), width: 64, height: 48,
                duration: MediaTime(value: duration, timescale: 1000))
            try encoder.encode(frame) { _, _ in }
            #expect(encoder.end == MediaTime(value: end, timescale: 1000))
        }
    }

    @Test func secondPass_usesStatisticsOfTheFirst() throws {
        let directory = try TemporaryDirectory()
        let statistics = try PassStatistics(in: directory.url)
        let settings = VideoSettings(width: 64, height: 48, rateControl: .bitRate(100_000))
        var packets: [[SampleBuffer]] = []
        for pass in [statistics.firstPass, statistics.secondPass] {
            let encoder = try VideoTrackEncoder(
                settings, hint: nil, timeScale: 1_000_000, isRealTime: false, pass: pass)
            var out: [SampleBuffer] = []
            for number in 0..<30 {
                let frame = SyntheticMedia.videoSample(
                    number, at: WriterFixture.time(Double(number) / 30), width: 64, height: 48)
                try encoder.encode(frame) { packet, _ in out.append(packet) }
            }
            try encoder.finish { packet, _ in out.append(packet) }
            packets.append(out)
        }
        #expect(packets.map(\.count) == [30, 30])
        #expect(packets[0].map(\.presentationTime) == packets[1].map(\.presentationTime))
        // The second pass cannot begin without the first.
        let nothing = try PassStatistics(in: directory.url)
        #expect(throws: MediaError.self) {
            try VideoTrackEncoder(
                settings, hint: nil, timeScale: 1_000_000, isRealTime: false, pass: nothing.secondPass)
        }
    }

    /// A clock whose readings suggest that encoding takes 32 ms of every 33.
    private struct BusyClock: HostClock {
        let readings = Locked(0)
        var nanoseconds: Int64 {
            readings.withLock { count in
                count += 1
                return Int64(count / 2) * 33_000_000 - (count % 2 == 0 ? 1_000_000 : 0)
            }
        }
    }

    /// The timestamps are irregular, so that decode times do not follow each other by themselves.
    @Test func liveEncoder_tooSlow_continuesWithMoreThreads() throws {
        let settings = VideoSettings(width: 400, height: 256, expectedFrameRate: 30)
        var found: [[SampleBuffer]] = []
        for clock in [BusyClock() as any HostClock, ManualClock()] {
            let encoder = try VideoTrackEncoder(
                settings, hint: nil, timeScale: 1_000_000, isRealTime: true, clock: clock)
            var packets: [SampleBuffer] = []
            for number in 0..<60 {
                let time = MediaTime(value: Int64(number * 33_333 + number % 3 * 10_000), timescale: 1_000_000)
                try encoder.encode(SyntheticMedia.videoSample(0, at: time, width: 400, height: 256)) { packet, _ in
                    packets.append(packet)
                }
            }
            try encoder.finish { packet, _ in packets.append(packet) }
            let format = encoder.format
            #expect(packets.allSatisfy { $0.format == format })
            found.append(packets)
        }
        for packets in found {
            #expect(packets.count == 60 && Set(packets.map(\.presentationTime)).count == 60)
            let times = packets.compactMap(\.decodeTime)
            #expect(times.count == 60 && zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
            #expect(packets.allSatisfy { $0.decodeTime! <= $0.presentationTime })
        }
        // The busy encoder was replaced once, and its successor began with a keyframe, if another processor was
        // available.
        let keyframes = found.map { packets in packets.filter(\.isKeyframe).count }
        #expect(keyframes == [Processors.available > 1 ? 2 : 1, 1])
    }

    @Test func encoding_rgbSource_tagsBT601() throws {
        let hint = VideoFormat(
            pixelFormat: .bgra, width: 64, height: 48,
            color: ColorDescription(primaries: 1, transfer: 13, matrix: 0, isFullRange: true))
        let encoder = try VideoTrackEncoder(VideoSettings(), hint: hint, timeScale: 1000, isRealTime: false)
        #expect(encoder.format?.video?.color == ColorDescription(primaries: 1, transfer: 13, matrix: 6))
    }

    @Test(arguments: [
        ColorDescription.bt709, .bt601, ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: true),
    ]) func writer_noColorInSettings_storesTheFirstFramesColor(color: ColorDescription) async throws {
        let fixture = try WriterFixture()
        let settings = VideoSettings(width: 64, height: 48, rateControl: .constantQuality(1))
        let input = try fixture.add(.video, .video(settings))
        try fixture.begin()
        let gray = SyntheticMedia.frame(0, width: 64, height: 48)
        let frame = PixelBuffer(layout: gray.layout, color: color, data: gray.data)
        for number in 0..<10 {
            try input.append(SampleBuffer(pixels: frame, presentationTime: WriterFixture.time(Double(number) / 30)))
        }
        try await fixture.writer.finishWriting()
        #expect(try probed("color_space", fixture.path) == (color.matrix == 1 ? "bt709" : "smpte170m"))
        #expect(try probed("color_range", fixture.path) == (color.isFullRange ? "pc" : "tv"))
        let luma = gray.layout.planes.first.map { plane in
            gray.data.bytes[plane.offset + 23 * plane.bytesPerRow + 31]
        }
        #expect(abs(Int(try storedLuma(fixture.path)) - Int(try #require(luma))) <= 2)
    }

    @Test func encoding_noColorInSettings_hasNoFormatBeforeTheFirstFrame() throws {
        let encoder = try VideoTrackEncoder(
            VideoSettings(width: 64, height: 48), hint: nil, timeScale: 1000, isRealTime: false)
        #expect(encoder.format == nil)
        let frame = SyntheticMedia.videoSample(0, at: .zero, width: 64, height: 48)
        try encoder.encode(frame) { _, _ in }
        #expect(encoder.format?.video?.color == frame.format.video?.color)
    }

    @Test(arguments: [VideoCodec.h264, .hevc])
    func encoding_noColorInSettings_keepsTheFirstFramesBrightness(codec: VideoCodec) throws {
        let display = MasteringDisplay(
            red: .init(x: 35_400, y: 14_600), green: .init(x: 8_500, y: 39_850), blue: .init(x: 6_550, y: 2_300),
            whitePoint: .init(x: 15_635, y: 16_450), maximumLuminance: 10_000_000, minimumLuminance: 50)
        let light = ContentLightLevel(maximum: 987, maximumAverage: 321)
        var settings = VideoSettings(width: 64, height: 64)
        (settings.codec, settings.bitDepth) = (codec, 10)
        let encoder = try VideoTrackEncoder(settings, hint: nil, timeScale: 1000, isRealTime: false)
        let gray = SyntheticMedia.frame(0, width: 64, height: 64, format: .p010)
        let frame = PixelBuffer(layout: gray.layout, color: .pq, data: gray.data)
        var format = frame.videoFormat
        (format.masteringDisplay, format.contentLight) = (display, light)
        let sample = SampleBuffer(format: .video(format), content: .pixels(frame), presentationTime: .zero)
        try encoder.encode(sample) { _, _ in }
        let stored = try #require(encoder.format?.video)
        #expect(stored.color == .pq)
        #expect(stored.masteringDisplay == display && stored.contentLight == light)
    }

    /// An encoder that holds one frame back, and records which frames had to be keyframes.
    private final class HoldingEncoder: VideoEncoder {
        let format: VideoFormat
        let timeScale: Int32 = 1_000_000
        let input = EncoderInput(bitDepth: 8)
        let threadCount = 0
        let efforts = [EncoderEffort.full]
        private(set) var forced: [Bool] = []
        private var held: SampleBuffer?

        init(configuration: UInt8) {
            format = VideoFormat(codec: .h264, width: 64, height: 48, decoderConfiguration: [configuration])
        }

        func encode(
            _ pixels: PixelBuffer, at time: MediaTime, asKeyframe isKeyframe: Bool, output: (SampleBuffer) -> Void
        ) throws(MediaError) {
            forced.append(isKeyframe)
            if let held { output(held) }
            held = SampleBuffer(
                format: .video(format), content: .data(MediaData([1])), presentationTime: time, decodeTime: time)
        }

        func ease(to effort: EncoderEffort) -> Bool { false }

        func finish(output: (SampleBuffer) -> Void) throws(MediaError) {
            if let held { output(held) }
            held = nil
        }
    }

    @Test(arguments: [true, false])
    func endSession_noEncoderOfTheSameFormat_beginsTheNextWithAKeyframe(opensAnother: Bool) throws {
        var opened: [HoldingEncoder] = []
        let opening: VideoTrackEncoder.Opening = { _, _ throws(MediaError) in
            guard opensAnother || opened.isEmpty else {
                throw MediaError(.codecFailure, "cannot open the test's encoder", reason: "not enough memory")
            }
            let encoder = HoldingEncoder(configuration: UInt8(opened.count))
            opened.append(encoder)
            return encoder
        }
        let encoder = try VideoTrackEncoder(
            VideoSettings(width: 64, height: 48), hint: nil, timeScale: 1_000_000, isRealTime: false, opening: opening)
        var times: [MediaTime] = []
        let output = { (packet: SampleBuffer, _: Int64) in times.append(packet.presentationTime) }
        let given = [0, 1, 50, 51].map { WriterFixture.time(Double($0) / 30) }
        for (number, time) in given.enumerated() {
            if number == 2 { try encoder.endSession(output: output) }
            let frame = SyntheticMedia.videoSample(number, at: time, width: 64, height: 48)
            try encoder.encode(frame, output: output)
        }
        try encoder.finish(output: output)
        #expect(opened.first?.forced == [false, false, true, false])
        #expect(times == given)
    }
}
