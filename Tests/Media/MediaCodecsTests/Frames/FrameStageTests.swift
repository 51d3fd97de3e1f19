import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

/// Tests the geometry as pure values, and compares frames with those of ffmpeg's filters.
@Suite struct FrameStageTests {
    static let time = MediaTime(value: 7, timescale: 30)

    private static func settings(_ change: (inout FrameStageSettings) -> Void) -> FrameStageSettings {
        var settings = FrameStageSettings()
        change(&settings)
        return settings
    }

    private static func process(_ frame: PixelBuffer, _ stage: FrameStage) throws -> PixelBuffer {
        let sample = try stage.process(SampleBuffer(pixels: frame, presentationTime: time))
        guard case .pixels(let pixels) = sample.content else { throw TooLate() }
        #expect(sample.presentationTime == time)
        #expect(sample.format.video?.width == pixels.width && sample.format.video?.height == pixels.height)
        #expect(sample.format.video?.pixelFormat == pixels.format && sample.format.video?.color == pixels.color)
        return pixels
    }

    // MARK: Geometry

    @Test func plan_cropRotateScale_givesTheRecordedSize() throws {
        let plan = try FrameStagePlan(
            Self.settings {
                $0.crop = .init(FrameSize(640, 480), x: 320, y: 120)
                $0.rotation = 90
                $0.scale = FrameSize(240, 320)
            }, source: FrameSize(1280, 720))
        #expect(plan.part == PixelRectangle(x: 320, y: 120, width: 640, height: 480))
        #expect(plan.scaled == FrameSize(320, 240) && plan.size == FrameSize(240, 320))
        #expect(plan.orientation == FrameOrientation(quarterTurns: 1))
    }

    @Test func plan_cropOutside_isRefusedWithTheRemedy() {
        let crop = Self.settings { $0.crop = .init(FrameSize(640, 480), x: 2, y: 0) }
        let error = #expect(throws: MediaError.self) { try FrameStagePlan(crop, source: FrameSize(640, 480)) }
        #expect(error?.code == .deviceUnsuitable && error?.wayOut.contains("--crop") == true)
    }

    @Test func format_h264_isRefused() {
        let video = VideoFormat(codec: .h264, width: 640, height: 480)
        let error = #expect(throws: MediaError.self) {
            try FrameStage.format(of: video, Self.settings { $0.rotation = 90 })
        }
        #expect(error?.code == .unsupported && error?.wayOut.contains("--pixel-format") == true)
    }

    @Test func format_otherHeight_keepsTheMatrix() throws {
        let video = VideoFormat(pixelFormat: .yuyv, width: 800, height: 600)
        let turned = try FrameStage.format(of: video, Self.settings { $0.rotation = 270 })
        #expect(turned.width == 600 && turned.height == 800 && turned.pixelFormat == .nv12)
        #expect(turned.color.matrix == 6)
        #expect(try FrameStage.format(of: video, Self.settings { $0.rotation = 180 }).color.matrix == 2)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var rotation: Int?
        var flip: FrameStageSettings.Flip?
        var filter: String
        var testDescription: String { filter }
    }

    static let cases = [
        Case(rotation: 90, filter: "transpose=clock"), Case(rotation: 180, filter: "hflip,vflip"),
        Case(rotation: 270, filter: "transpose=cclock"), Case(flip: .horizontal, filter: "hflip"),
        Case(flip: .vertical, filter: "vflip"),
        Case(rotation: 90, flip: .horizontal, filter: "transpose=clock,hflip"),
        Case(rotation: 90, flip: .vertical, filter: "transpose=clock,vflip"),
        Case(rotation: 270, flip: .horizontal, filter: "transpose=cclock,hflip"),
        Case(rotation: 180, flip: .vertical, filter: "hflip,vflip,vflip"),
    ]

    @Test(arguments: cases) func rotateAndFlip_afterACrop_equalsFFmpeg(_ item: Case) throws {
        for format in [PixelFormat.nv12, .i420] {
            let source = try #require(
                JudgedFrame.make("testsrc2=s=96x64:d=0.04", format, width: 96, height: 64).first)
            let stage = FrameStage(
                Self.settings {
                    $0.crop = .init(FrameSize(64, 48), x: 10, y: 6)
                    ($0.rotation, $0.flip) = (item.rotation, item.flip)
                })
            let result = try Self.process(source, stage)
            let isTurned = item.rotation == 90 || item.rotation == 270
            let (width, height) = isTurned ? (48, 64) : (64, 48)
            let expected = try #require(
                JudgedFrame.filter([source], "crop=64:48:10:6,\(item.filter)", width: width, height: height).first)
            #expect(JudgedFrame.likeness(result, expected) == 99)
        }
    }

    @Test func scale_smaller_looksAsWithFFmpeg() throws {
        let source = try #require(JudgedFrame.make("testsrc2=s=320x240:d=0.04", .i420, width: 320, height: 240).first)
        let result = try Self.process(source, FrameStage(Self.settings { $0.scale = FrameSize(160, 120) }))
        let expected = try #require(
            JudgedFrame.filter([source], "scale=160:120:flags=area", width: 160, height: 120).first)
        #expect(JudgedFrame.likeness(result, expected) > 40)
    }

    // MARK: Masks

    private static let mask = MaskRasterTests.mask([(0, 0), (50, 0), (50, 50), (0, 50)])

    @Test(arguments: PixelFormat.allCases) func mask_anyFormat_hidesItsPartAndLeavesTheSource(format: PixelFormat)
        throws
    {
        let source = try #require(JudgedFrame.make("testsrc2=s=64x48:d=0.04", format, width: 64, height: 48).first)
        let before = source.visible
        let stage = FrameStage(Self.settings { $0.masks = [Self.mask] })
        let result = try Self.process(source, stage)
        // The source may be a driver's memory, which others read.
        #expect(source.visible == before && result.data !== source.data)
        #expect(result.format == .nv12 || result.format == .i420)
        for y in 0..<24 { for x in 0..<32 { #expect(result.byte(0, x, y) == 16) } }
        let plain = try PixelConverter().convert(source, to: result.format)
        for y in 0..<48 {
            for x in 0..<64 where x >= 32 || y >= 24 { #expect(result.byte(0, x, y) == plain.byte(0, x, y)) }
        }
    }

    @Test func mask_ofARotatedFrame_isInPercentOfTheRecordedFrame() throws {
        let source = try #require(JudgedFrame.make("testsrc2=s=64x48:d=0.04", .nv12, width: 64, height: 48).first)
        let turn = Self.settings { $0.rotation = 90 }
        let plain = try Self.process(source, FrameStage(turn))
        var settings = turn
        settings.masks = [Self.mask]
        let result = try Self.process(source, FrameStage(settings))
        #expect(result.width == 48 && result.height == 64)
        for y in 0..<64 {
            for x in 0..<48 {
                #expect(result.byte(0, x, y) == (x < 24 && y < 32 ? 16 : plain.byte(0, x, y)))
            }
        }
    }

    @Test func mask_ofAJPEG_hidesItsPart() throws {
        let jpeg = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=96x64:d=0.04", "-pix_fmt", "yuvj422p",
            "-c:v", "mjpeg", "-q:v", "3", "-f", "mjpeg", "-")
        try #require(jpeg.status == 0, "\(jpeg.errors)")
        let sample = SampleBuffer(
            format: .video(VideoFormat(codec: .mjpeg, width: 96, height: 64)),
            content: .data(MediaData(Array(jpeg.output))), presentationTime: Self.time)
        let result = try FrameStage(Self.settings { $0.masks = [Self.mask] }).process(sample)
        guard case .pixels(let frame) = result.content else { throw TooLate() }
        #expect(frame.color == JPEGDecoder.color && result.format.video?.codec == .raw)
        for y in 0..<32 { for x in 0..<48 { #expect(frame.byte(0, x, y) == 0) } }
        let packet = SampleBuffer(
            format: .video(VideoFormat(codec: .h264, width: 96, height: 64)), content: .data(MediaData([0, 0, 1])),
            presentationTime: Self.time)
        #expect(throws: MediaError.self) { try FrameStage(Self.settings { $0.masks = [Self.mask] }).process(packet) }
    }

    @Test func change_betweenTwoFrames_takesEffectWithTheNext() throws {
        let source = try #require(JudgedFrame.make("testsrc2=s=64x48:d=0.04", .nv12, width: 64, height: 48).first)
        let stage = FrameStage(Self.settings { $0.masks = [Self.mask] })
        let first = try Self.process(source, stage)
        stage.change(
            to: Self.settings {
                $0.masks = [MaskRasterTests.mask([(50, 50), (100, 50), (100, 100), (50, 100)])]
                $0.maskStyle = .color(red: 255, green: 255, blue: 255)
            })
        let second = try Self.process(source, stage)
        #expect(first.byte(0, 0, 0) == 16 && first.byte(0, 63, 47) == source.byte(0, 63, 47))
        #expect(second.byte(0, 63, 47) == 235 && second.byte(0, 0, 0) == source.byte(0, 0, 0))
    }

    // MARK: Stamp

    @Test func stamp_onAMask_revealsNothingBelowIt() throws {
        let sources = try ["testsrc2", "smptebars"].map {
            try #require(JudgedFrame.make("\($0)=s=320x180:d=0.04", .nv12, width: 320, height: 180).first)
        }
        var settings = Self.settings { $0.masks = [Self.mask] }
        settings.stamp.pattern = try StampPattern("%H:%M:%S.%3N")
        for style in [FrameMaskStyle.black, .color(red: 255, green: 0, blue: 0)] {
            settings.maskStyle = style
            let results = try sources.map { source in
                let before = source.visible
                let stage = FrameStage(settings, stamp: try StampPainter(settings.stamp, name: "front"))
                let sample = SampleBuffer(pixels: source, presentationTime: Self.time)
                let result = try stage.process(sample, StampPainterTests.moment)
                #expect(source.visible == before)
                guard case .pixels(let pixels) = result.content else { throw TooLate() }
                return pixels
            }
            // The stamp is inside the mask, which hides both sources.
            for y in 0..<90 {
                #expect((0..<160).allSatisfy { results[0].byte(0, $0, y) == results[1].byte(0, $0, y) })
            }
            let letters = (0..<160).contains { x in (0..<90).contains { results[0].byte(0, x, $0) == 235 } }
            #expect(letters)
        }
    }

    @Test func stamp_lentFrame_isDrawnOnACopy() throws {
        let source = SyntheticMedia.frame(5)
        let before = source.visible
        var settings = FrameStageSettings()
        settings.stamp.pattern = try StampPattern("%S.%3N %{counter}")
        let stage = FrameStage(settings, stamp: try StampPainter(settings.stamp, name: "front"))
        var results: [PixelBuffer] = []
        for number in 1...3 {
            let moment = FrameMoment(wall: Int64(number) * 40_000_000, number: number)
            let sample = SampleBuffer(pixels: source, presentationTime: Self.time)
            guard case .pixels(let pixels) = try stage.process(sample, moment).content else { throw TooLate() }
            results.append(pixels)
        }
        #expect(source.visible == before && Set(results.map(\.digest)).count == 3)
        // Without a stamp the frame passes with its own pixels.
        stage.change(to: FrameStageSettings())
        let plain = try Self.process(source, stage)
        #expect(plain.visible == before)
    }

    @Test func process_manyFrames_reusesMemory() throws {
        for format in PixelFormat.allCases {
            let source = MutablePixelBuffer(layout: PixelLayout(format: format, width: 64, height: 48)).finish()
            let stage = FrameStage(
                Self.settings {
                    ($0.rotation, $0.scale, $0.masks) = (90, FrameSize(24, 32), [Self.mask])
                })
            for _ in 0..<2 { _ = try Self.process(source, stage) }
            let before = stage.allocationCount
            for _ in 0..<20 { _ = try Self.process(source, stage) }
            #expect(stage.allocationCount == before, "\(format)")
        }
    }
}
