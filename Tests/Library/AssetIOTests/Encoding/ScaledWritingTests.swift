import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of writers whose frames differ in size from the settings, verified with ffmpeg.
@Suite struct ScaledWritingTests {
    /// Frames of a lavfi pattern at 25 fps.
    private func frames(
        _ pattern: String, _ width: Int, _ height: Int, _ format: PixelFormat = .i420
    ) throws -> [PixelBuffer] {
        let names: [PixelFormat: String] = [.i420: "yuv420p", .nv12: "nv12", .yuyv: "yuyv422", .i010: "yuv420p10le"]
        let output = try MadeFile.output([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", pattern, "-f", "rawvideo", "-pix_fmt",
            try #require(names[format]), "-",
        ])
        let layout = PixelLayout(format: format, width: width, height: height)
        return stride(from: 0, to: output.count - layout.byteCount + 1, by: layout.byteCount).map { start in
            output[start..<(start + layout.byteCount)].withUnsafeBytes {
                PixelBuffer(layout: layout, data: MediaData(copying: $0))
            }
        }
    }

    /// Writes the frames; the file is in the fixture's directory.
    private func write(
        _ frames: [PixelBuffer], _ settings: VideoSettings, hint: VideoFormat? = nil, isRealTime: Bool = false
    ) async throws -> WriterFixture {
        let fixture = try WriterFixture()
        let settings = OutputSettings.video(settings)
        let hint = hint.map { FormatDescription.video($0) }
        let video =
            try isRealTime
            ? fixture.add(.video, settings, hint: hint) : fixture.addPull(.video, settings, hint: hint)
        try fixture.begin()
        for (number, frame) in frames.enumerated() {
            #expect(eventually { video.isReadyForMoreMediaData })
            #expect(
                try video.append(
                    SampleBuffer(
                        pixels: frame,
                        presentationTime: WriterFixture.start + MediaTime(value: Int64(number), timescale: 25),
                        duration: MediaTime(value: 1, timescale: 25))))
        }
        try await fixture.writer.finishWriting()
        #expect(video.ledger.written == frames.count && video.ledger.isBalanced)
        return fixture
    }

    private func settings(_ width: Int, _ height: Int, _ mode: VideoSettings.ScalingMode) -> VideoSettings {
        var settings = VideoSettings(
            width: width, height: height, rateControl: .constantQuality(4), preset: "ultrafast")
        settings.scalingMode = mode
        return settings
    }

    /// The mean structural similarity of a movie's frames and a pattern that went through an ffmpeg filter.
    private func similarity(_ movie: String, _ pattern: String, _ filter: String) throws -> Double {
        let result = try Command.run(
            "ffmpeg", "-v", "info", "-i", movie, "-f", "lavfi", "-i", pattern, "-lavfi",
            "[1]format=yuv420p,\(filter),settb=1/25,setpts=N[r];[0]settb=1/25,setpts=N[d];[d][r]ssim", "-f", "null", "-"
        )
        let value = try #require(result.errors.components(separatedBy: "All:").last?.split(separator: " ").first)
        return try #require(Double(value), "\(result.errors)")
    }

    /// libavutil's name of the stored pixel format.
    static func pixelFormat(_ path: String) throws -> String {
        try Command.run(
            "ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "stream=pix_fmt", "-of", "csv=p=0", path
        ).text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var from: [Int]
        var to: [Int]
        var mode: VideoSettings.ScalingMode
        var filter: String
        var testDescription: String { "\(from) to \(to), \(mode)" }
    }

    private static let cases = [
        Case(from: [640, 360], to: [320, 180], mode: .resize, filter: "scale=320:180:flags=area"),
        Case(from: [640, 360], to: [426, 240], mode: .resize, filter: "scale=426:240:flags=area"),
        Case(from: [640, 360], to: [240, 240], mode: .resize, filter: "scale=240:240:flags=area"),
        Case(from: [320, 180], to: [640, 360], mode: .resize, filter: "scale=640:360:flags=bilinear"),
        Case(from: [320, 180], to: [500, 400], mode: .resize, filter: "scale=500:400:flags=bilinear"),
        Case(
            from: [640, 360], to: [320, 240], mode: .resizeAspect,
            filter: "scale=320:180:flags=area,pad=320:240:0:30:black"),
        Case(
            from: [640, 360], to: [240, 240], mode: .resizeAspectFill,
            filter: "crop=360:360:140:0,scale=240:240:flags=area"),
        Case(
            from: [360, 640], to: [320, 240], mode: .resizeAspectFill,
            filter: "crop=360:270:0:184,scale=320:240:flags=area"),
        Case(from: [320, 180], to: [640, 480], mode: .fit, filter: "pad=640:480:160:150:black"),
    ]

    @Test(arguments: cases, [PixelFormat.i420, .nv12, .yuyv])
    func writer_scaledFrames_matchFFmpeg(_ item: Case, format: PixelFormat) async throws {
        let pattern = "testsrc2=s=\(item.from[0])x\(item.from[1]):r=25:d=0.4"
        let source = try frames(pattern, item.from[0], item.from[1], format)
        #expect(source.count == 10)
        let fixture = try await write(source, settings(item.to[0], item.to[1], item.mode))
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 10)
        #expect(probe.video?.width == item.to[0] && probe.video?.height == item.to[1])
        let similarity = try similarity(fixture.path, pattern, item.filter)
        #expect(similarity >= 0.98, "\(similarity)")
    }

    @Test func writer_noScalingMode_ignoresTheAspectRatio() async throws {
        let pattern = "testsrc2=s=640x360:r=25:d=0.2"
        let fixture = try await write(
            frames(pattern, 640, 360),
            VideoSettings(width: 240, height: 240, rateControl: .constantQuality(4), preset: "ultrafast"))
        #expect(try similarity(fixture.path, pattern, "scale=240:240:flags=area") >= 0.98)
    }

    @Test func writer_fitMode_keepsTheAspectRatioOfTheHint() async throws {
        let source = try frames("testsrc2=s=640x360:r=25:d=0.2", 640, 360)
        let hint = VideoFormat(pixelFormat: .i420, width: 640, height: 360)
        for (size, expected) in [([320, 240], [320, 180]), ([1280, 1280], [640, 360]), ([640, 200], [356, 200])] {
            let fixture = try await write(source, settings(size[0], size[1], .fit), hint: hint)
            let video = try Probe(fixture.path, decodes: true).video
            #expect(video?.width == expected[0] && video?.height == expected[1] && video?.frames == 5)
        }
    }

    @Test func writer_resizeAspect_usesPixelAspectRatioAndCleanAperture() async throws {
        // A bright area of 704 columns, and a dark edge that is outside the clean aperture.
        let pattern = "color=white:s=704x576:r=25:d=0.2,pad=720:576:8:0:color=0x606060"
        let source = try frames(pattern, 720, 576)
        var hint = VideoFormat(pixelFormat: .i420, width: 720, height: 576)
        hint.cleanAperture = CleanAperture(width: 704, height: 576)
        hint.pixelAspectRatio = Ratio(16, 11)
        // 704 columns of 16:11 are 1024 wide; in a frame of 640 × 480 that is 640 × 360.
        let fixture = try await write(source, settings(640, 480, .resizeAspect), hint: hint)
        let rows = try ReadingFixture.decoded(
            URL(fileURLWithPath: fixture.path), ["-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "yuv420p"])
        func luma(_ x: Int, _ y: Int) -> Int { Int(rows[rows.startIndex + y * 640 + x]) }
        for x in [0, 3, 320, 636, 639] {
            #expect(
                [10, 57].allSatisfy { abs(luma(x, $0) - 16) <= 2 }
                    && [422, 470].allSatisfy { abs(luma(x, $0) - 16) <= 2 })
            #expect([62, 240, 417].allSatisfy { abs(luma(x, $0) - 235) <= 2 })
        }
    }

    @Test(arguments: [false, true]) func writer_frameSizeChanges_scalesEachFrame(isRealTime: Bool) async throws {
        let sizes = [(64, 48), (640, 480), (64, 48), (2, 2), (320, 240), (33, 25)]
        let source = (0..<60).map { number in
            SyntheticMedia.frame(
                number, width: sizes[number / 10].0, height: sizes[number / 10].1,
                format: number % 2 == 0 ? .nv12 : .yuyv)
        }
        let fixture = try await write(source, settings(64, 48, .resize), isRealTime: isRealTime)
        let errors = try Probe.brightness(fixture.path).enumerated().map { Int($1) - Int(SyntheticMedia.luma($0)) }
        #expect(errors.count == 60 && errors.allSatisfy { abs($0) <= 3 })
    }

    @Test func writer_tenBitFrames_areScaled() async throws {
        let source = try frames("testsrc2=s=640x360:r=25:d=0.2", 640, 360, .i010)
        var deep = settings(320, 180, .resize)
        deep.profile = .high10
        let fixture = try await write(source, deep)
        #expect(try Self.pixelFormat(fixture.path) == "yuv420p10le")
        #expect(
            try similarity(fixture.path, "testsrc2=s=640x360:r=25:d=0.2", "scale=320:180:flags=area,format=yuv420p10le")
                >= 0.98)
    }

    @Test(arguments: ["yuvj420p", "yuvj422p"]) func writer_cameraJPEG_isScaled(pixelFormat: String) async throws {
        let jpeg = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=640x360", "-frames:v", "1", "-pix_fmt",
            pixelFormat,
            "-q:v", "2", "-f", "mjpeg", "-")
        let format = FormatDescription.video(VideoFormat(codec: .mjpeg, width: 640, height: 360))
        let fixture = try WriterFixture()
        let video = try fixture.add(.video, .video(settings(320, 180, .resize)), hint: format)
        try fixture.begin()
        for number in 0..<10 {
            // The fifth claims a wrong size.
            let said = number == 5 ? FormatDescription.video(VideoFormat(codec: .mjpeg, width: 64, height: 48)) : format
            #expect(
                try video.append(
                    SampleBuffer(
                        format: said, content: .data(MediaData([UInt8](jpeg.output))),
                        presentationTime: WriterFixture.time(Double(number) / 25))))
        }
        try await fixture.writer.finishWriting()
        #expect(video.ledger.written == 9 && video.ledger[dropped: .corrupt] == 1)
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.width == 320 && probe.video?.frames == 9)
        let similarity = try similarity(
            fixture.path, "testsrc2=s=640x360,trim=end_frame=1,loop=9:1", "scale=320:180:flags=area:out_range=full")
        #expect(similarity >= 0.98, "\(similarity)")
    }

    @Test func scaling_steadyState_allocatesNoFrames() throws {
        let frames = TrackFrames(
            settings(320, 180, .resizeAspect), hint: nil, width: 320, height: 180, color: .bt709, bitDepth: 8)
        func feed(_ numbers: Range<Int>) throws {
            for number in numbers {
                let frame = SyntheticMedia.frame(number, width: 640, height: 480, format: .yuyv)
                let result = try frames.frame(of: SampleBuffer(pixels: frame, presentationTime: .zero))
                #expect(result.width == 320 && result.height == 180)
            }
        }
        try feed(0..<5)
        let before = frames.allocationCount
        try feed(5..<100)
        #expect(frames.allocationCount == before)
    }
}
