import MediaTypes
import Testing

@testable import MediaCodecs

/// Tests of which part of a frame is placed where, by arithmetic.
@Suite struct FramePlacementTests {
    typealias Mode = VideoSettings.ScalingMode

    private func place(
        _ size: (Int, Int), aspect: Ratio = .one, aperture: CleanAperture? = nil, _ frame: (Int, Int),
        pixels: Ratio = .one, _ mode: Mode
    ) -> FramePlacement {
        FramePlacement(
            FrameGeometry(width: size.0, height: size.1, pixelAspectRatio: aspect, cleanAperture: aperture),
            on: FrameGeometry(width: frame.0, height: frame.1, pixelAspectRatio: pixels), mode)
    }

    @Test func placement_resize_fillsTheTrack() {
        let placement = place((1920, 1080), (640, 480), .resize)
        #expect(placement.part == PixelRectangle(width: 1920, height: 1080))
        #expect(placement.place == PixelRectangle(width: 640, height: 480))
    }

    @Test func placement_letterbox_keepsTheAspectRatioOnEvenOffsets() {
        func box(_ width: Int, _ height: Int, _ aspect: Ratio, _ frame: (Int, Int)) -> PixelRectangle {
            place((width, height), aspect: aspect, frame, .resizeAspect).place
        }
        #expect(box(1920, 1080, .one, (640, 480)) == PixelRectangle(y: 60, width: 640, height: 360))
        #expect(box(1080, 1920, .one, (640, 480)) == PixelRectangle(x: 184, width: 270, height: 480))
        // PAL in 16:9 is 1024 square pixels wide.
        #expect(box(720, 576, Ratio(64, 45), (1280, 720)) == PixelRectangle(width: 1280, height: 720))
        #expect(box(1, 30_000, .one, (100, 100)) == PixelRectangle(x: 48, width: 1, height: 100))
        for width in 80..<120 {
            let box = box(width, 101, .one, (103, 101))
            #expect(box.x % 2 == 0 && box.y % 2 == 0 && box.isInside(width: 103, height: 101))
        }
    }

    @Test func placement_aspectFill_cropsBothSides() {
        let wide = place((1920, 1080), (480, 480), .resizeAspectFill)
        #expect(wide.part == PixelRectangle(x: 420, width: 1080, height: 1080))
        #expect(wide.place == PixelRectangle(width: 480, height: 480))
        let high = place((1080, 1920), (640, 480), .resizeAspectFill)
        #expect(high.part == PixelRectangle(y: 554, width: 1080, height: 810))
        // The frame's pixels are twice as wide.
        let stretched = place((400, 400), (200, 400), pixels: Ratio(2, 1), .resizeAspectFill)
        #expect(stretched.part == PixelRectangle(width: 400, height: 400))
    }

    @Test func placement_fit_doesNotEnlarge() {
        #expect(place((320, 240), (640, 360), .fit).place == PixelRectangle(x: 160, y: 60, width: 320, height: 240))
        #expect(place((1280, 960), (640, 360), .fit).place == PixelRectangle(x: 80, width: 480, height: 360))
    }

    @Test(arguments: VideoSettings.ScalingMode.allCases) func placement_cleanAperture_isUsed(mode: Mode) {
        let aperture = CleanAperture(width: 704, height: 576, horizontalOffset: 2)
        let part = place((720, 576), aperture: aperture, (352, 288), mode).part
        #expect(part == PixelRectangle(x: 10, width: 704, height: 576))
        // A clean aperture that exceeds the frame is ignored.
        for wrong in [
            CleanAperture(width: 800, height: 576), CleanAperture(width: 0, height: 0),
            CleanAperture(width: 704, height: 576, horizontalOffset: 30),
            CleanAperture(width: .min, height: .max, horizontalOffset: .max, verticalOffset: .min),
        ] {
            #expect(place((720, 576), aperture: wrong, (360, 288), mode).part.width == 720)
        }
    }

    @Test(arguments: VideoSettings.ScalingMode.allCases) func placement_oddRowOrColumn_isCropped(mode: Mode) {
        let placement = place((641, 361), (640, 360), mode)
        #expect(placement.part == PixelRectangle(width: 640, height: 360) && placement.place == placement.part)
    }

    @Test(arguments: VideoSettings.ScalingMode.allCases) func placement_anySizeAndAspect_isInside(mode: Mode) {
        let lengths = [1, 2, 3, 17, 100, 719, 16_384, 32_767]
        for (width, height) in lengths.flatMap({ one in lengths.map { (one, $0) } }) {
            for (across, down) in [(2, 2), (64, 48), (16_384, 2), (2, 16_384), (101, 77)] {
                for aspect in [Ratio.one, Ratio(1, 65_535), Ratio(65_535, 1), Ratio(0, -7), Ratio(.min, .max)] {
                    let placement = place((width, height), aspect: aspect, (across, down), mode)
                    #expect(placement.part.isInside(width: width, height: height))
                    #expect(placement.place.isInside(width: across, height: down))
                }
            }
        }
    }

    @Test func size_fitting_isEvenAndNeverLarger() {
        func size(
            _ width: Int, _ height: Int, _ aspect: Ratio = .one, aperture: CleanAperture? = nil, in frame: (Int, Int)
        ) -> [Int] {
            let image = FrameGeometry(
                width: width, height: height, pixelAspectRatio: aspect, cleanAperture: aperture)
            let size = image.size(fitting: FrameGeometry(width: frame.0, height: frame.1))
            return [size.width, size.height]
        }
        #expect(size(1920, 1080, in: (640, 480)) == [640, 360])
        #expect(size(1080, 1920, in: (640, 480)) == [270, 480])
        #expect(size(320, 240, in: (640, 480)) == [320, 240])
        #expect(size(321, 241, in: (640, 480)) == [320, 240])
        #expect(size(720, 576, Ratio(64, 45), in: (1280, 720)) == [1024, 576])
        #expect(size(720, 576, aperture: CleanAperture(width: 704, height: 576), in: (352, 576)) == [352, 288])
        #expect(size(1, 1, in: (640, 480)) == [2, 2])
        #expect(size(30_000, 1, in: (640, 480)) == [640, 2])
    }
}
