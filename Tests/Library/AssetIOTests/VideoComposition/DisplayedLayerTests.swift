import Foundation
import MediaCodecs
import MediaTypes
import Testing

@testable import AssetIO

/// Tests of layers whose transforms and crop rectangles apply to frames as they are displayed.
@Suite struct DisplayedLayerTests {
    private func frame(_ width: Int, _ height: Int) -> PixelBuffer {
        let layout = PixelLayout(format: .i420, width: width, height: height)
        return PixelBuffer(layout: layout, data: MediaData([UInt8](repeating: 0, count: layout.byteCount)))
    }

    private func layer(
        _ configure: (inout VideoCompositionLayerInstruction) -> Void = { _ in }
    ) -> VideoCompositionLayerInstruction {
        var layer = VideoCompositionLayerInstruction(trackID: 1)
        configure(&layer)
        return layer
    }

    /// A frame of 1920×1088, of which the upper 1080 rows are shown.
    private let padded = FrameGeometry(
        width: 1920, height: 1088,
        cleanAperture: CleanAperture(width: 1920, height: 1080, horizontalOffset: 0, verticalOffset: -4))

    @Test func layer_nonSquarePixels_isPlacedInSquarePixels() throws {
        let wide = FrameGeometry(width: 720, height: 576, pixelAspectRatio: Ratio(64, 45))
        let place = try #require(layer().lay(frame(720, 576), displayed: wide, at: .zero, opacity: 1)?.place)
        #expect(place == FrameLayer.Place(x: 0, y: 0, width: 1024, height: 576))
        let half = AffineTransform(m11: 0.5, m12: 0, m21: 0, m22: 0.5, tX: 10, tY: 20)
        let halved = layer { $0.setTransform(half, at: .zero) }
        let small = try #require(halved.lay(frame(720, 576), displayed: wide, at: .zero, opacity: 1)?.place)
        #expect(small == FrameLayer.Place(x: 10, y: 20, width: 512, height: 288))
        // Without the geometry, the layer is the stored frame.
        #expect(layer().lay(frame(720, 576), at: .zero, opacity: 1)?.place.width == 720)
    }

    @Test func layer_cleanAperture_hidesThePadding() throws {
        let laid = try #require(layer().lay(frame(1920, 1088), displayed: padded, at: .zero, opacity: 1))
        #expect(laid.crop == PixelRectangle(x: 0, y: 0, width: 1920, height: 1080))
        #expect(laid.place == FrameLayer.Place(x: 0, y: 0, width: 1920, height: 1080))
        var lower = padded
        lower.cleanAperture?.verticalOffset = 4
        let moved = try #require(layer().lay(frame(1920, 1088), displayed: lower, at: .zero, opacity: 1))
        #expect(moved.crop?.y == 8 && moved.place.y == 0 && moved.place.height == 1080)
    }

    @Test func crop_ofACleanAperture_beginsAtItsCornerAndEndsInIt() throws {
        var lower = padded
        lower.cleanAperture?.verticalOffset = 4
        let cropped = layer { $0.setCropRectangle(CGRect(x: 100, y: 1000, width: 200, height: 200), at: .zero) }
        let laid = try #require(cropped.lay(frame(1920, 1088), displayed: lower, at: .zero, opacity: 1))
        #expect(laid.crop == PixelRectangle(x: 100, y: 1008, width: 200, height: 80))
        #expect(laid.place == FrameLayer.Place(x: 100, y: 1000, width: 200, height: 80))
    }

    @Test func crop_rampToAnEmptyRectangle_wipesTheLayerOut() throws {
        let second = MediaTime(value: 1, timescale: 1)
        let wipe = layer {
            $0.setCropRectangleRamp(
                from: CGRect(x: 0, y: 0, width: 64, height: 48), to: CGRect(x: 0, y: 0, width: 0, height: 48),
                timeRange: TimeRange(start: .zero, duration: second))
        }
        #expect(wipe.fault == nil)
        let half = wipe.lay(frame(64, 48), at: MediaTime(value: 1, timescale: 2), opacity: 1)
        #expect(half?.crop == PixelRectangle(x: 0, y: 0, width: 32, height: 48))
        #expect(wipe.lay(frame(64, 48), at: second, opacity: 1) == nil)
    }
}
