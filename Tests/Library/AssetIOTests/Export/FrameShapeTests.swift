import Foundation
import MediaCodecs
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

@Suite struct FrameShapeTests {
    private static let wide = VideoFormat(codec: .h264, width: 720, height: 576)

    private func shape(
        _ format: VideoFormat = wide, turns: Int = 0, change: (inout FrameStageSettings) -> Void = { _ in }
    ) throws(MediaError) -> FrameShape {
        var settings = FrameStageSettings()
        change(&settings)
        let size = CGSize(width: Double(format.width), height: Double(format.height))
        let transform = FrameOrientation(quarterTurns: turns).transform(of: size)
        return try FrameShape(settings, of: format, shownBy: transform)
    }

    @Test func shape_masksAlone_keepsLines() throws {
        let shape = try shape { $0.masks = [FrameMask(corners: [])] }
        #expect(shape.keepsLines && shape.size == FrameSize(720, 576))
        #expect(try !self.shape(turns: 2).keepsLines)
        #expect(try !self.shape { $0.flip = .vertical }.keepsLines)
        #expect(try !self.shape { $0.crop = FrameStageSettings.Crop(FrameSize(720, 288), x: 0, y: 0) }.keepsLines)
    }

    @Test func shape_pixelsThatAreNotSquare_turnWithTheFrame() throws {
        var format = Self.wide
        format.pixelAspectRatio = Ratio(16, 15)
        let turned = try shape(format, turns: 1).format(of: format)
        #expect(turned.width == 576 && turned.height == 720 && turned.pixelAspectRatio == Ratio(15, 16))
        let twice = try shape(format, turns: 1) { $0.rotation = 90 }.format(of: format)
        #expect(twice.width == 720 && twice.height == 576 && twice.pixelAspectRatio == Ratio(16, 15))
    }

    @Test func shaper_matrixAndRotation_turnOnce() throws {
        let format = VideoFormat(codec: .h264, width: 34, height: 22)
        let layout = PixelLayout(format: .i422, width: 34, height: 22)
        let bytes = (0..<layout.byteCount).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) }
        let frame = PixelBuffer(layout: layout, data: MediaData(bytes))
        let shape = try shape(format, turns: 1) { $0.rotation = 90 }
        // The chroma of 4:2:2 survives half a turn, but not two quarter turns.
        let expected = try FrameRotator().turn(frame, FrameOrientation(quarterTurns: 2))
        #expect(try FrameShaper(shape).reshape(frame).visible == expected.visible)
    }

    @Test func shaper_quarterTurnOfHalvedChroma_convertsOnce() throws {
        let format = VideoFormat(codec: .h264, width: 34, height: 22)
        let layout = PixelLayout(format: .i422, width: 34, height: 22)
        let frame = PixelBuffer(
            layout: layout, data: MediaData((0..<layout.byteCount).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) }))
        let result = try FrameShaper(shape(format) { $0.rotation = 90 }).reshape(frame)
        let quartered = try PixelConverter().convert(frame, to: .i420)
        let expected = try FrameRotator().turn(quartered, FrameOrientation(quarterTurns: 1))
        #expect(result.format == .i420 && result.visible == expected.visible)
    }

    @Test func shaper_cropBetweenMatrixAndFlip_isOfTheShownFrame() throws {
        let format = VideoFormat(codec: .h264, width: 34, height: 22)
        let layout = PixelLayout(format: .gray8, width: 34, height: 22)
        let bytes = (0..<layout.byteCount).map { UInt8(truncatingIfNeeded: $0) }
        let frame = PixelBuffer(layout: layout, data: MediaData(bytes))
        let shape = try shape(format, turns: 1) {
            $0.crop = FrameStageSettings.Crop(FrameSize(20, 30), x: 2, y: 4)
            $0.flip = .horizontal
        }
        let result = try FrameShaper(shape).reshape(frame)
        #expect(shape.isCropped && result.width == 20 && result.height == 30)
        // The first row of the result is column 4 of the stored frame, from row 0 to 19.
        let column = (0..<20).map { UInt8(truncatingIfNeeded: $0 * 34 + 4) }
        #expect(Array(result.visible.prefix(20)) == column)
    }

    @Test func shape_cleanAperture_isCroppedFirst() throws {
        var format = Self.wide
        format.cleanAperture = CleanAperture(width: 704, height: 576, horizontalOffset: 0, verticalOffset: 0)
        let shape = try shape(format) { $0.masks = [FrameMask(corners: [])] }
        #expect(shape.visible == PixelRectangle(x: 8, y: 0, width: 704, height: 576))
        let result = shape.format(of: format)
        #expect(result.width == 704 && result.cleanAperture == nil && !shape.keepsLines)
    }

    @Test func shape_cropThatIsNotInsideTheFrame_isRefusedWithTheWayOut() {
        let error = #expect(throws: MediaError.self) {
            try shape(turns: 1) { $0.crop = FrameStageSettings.Crop(FrameSize(720, 576), x: 0, y: 0) }
        }
        #expect(error?.code == .invalidSettings && error?.wayOut.contains("--crop") == true)
    }

    @Test func shape_matrixThatShears_isRefused() {
        let transform = AffineTransform(m11: 1, m12: 1, m21: 0, m22: 1, tX: 0, tY: 0)
        #expect(throws: MediaError.self) {
            try FrameShape(FrameStageSettings(), of: Self.wide, shownBy: transform)
        }
    }
}
