import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

/// Checks every sample of masked frames, in every format.
@Suite struct MaskPainterTests {
    private static let masks = [
        MaskRasterTests.mask([(11, 13), (47, 21), (29, 77)]), MaskRasterTests.mask([(60, 50), (93, 50), (93, 91)]),
    ]

    /// A frame of noise; samples of ten bits are valid.
    private static func noise(_ format: PixelFormat, width: Int = 61, height: Int = 43) -> PixelBuffer {
        var random = SeededRandom(seed: 7)
        let frame = MutablePixelBuffer(layout: PixelLayout(format: format, width: width, height: height, alignment: 64))
        for index in frame.layout.planes.indices {
            let plane = frame.plane(index)
            for offset in stride(from: 0, to: plane.count - 1, by: 2) {
                let value = UInt16(truncatingIfNeeded: random.next())
                let word = format == .p010 ? value & 0xFFC0 : format.hasTenLowBits ? value & 0x3FF : value
                plane[offset] = UInt8(word & 0xFF)
                plane[offset + 1] = UInt8(word >> 8)
            }
        }
        return frame.finish()
    }

    private static func painted(_ source: PixelBuffer, _ style: FrameMaskStyle) -> PixelBuffer {
        let frame = MutablePixelBuffer(reopening: PixelConverter().copy(source))
        MaskPainter(masks, style: style).paint(frame)
        return frame.finish()
    }

    /// The bytes of one position of a plane.
    private static func position(_ frame: PixelBuffer, _ plane: Int, _ x: Int, _ y: Int) -> [UInt8] {
        let count = frame.format.planeShapes[plane].channels * (frame.format.bitDepth > 8 ? 2 : 1)
        let start = y * frame.layout.planes[plane].bytesPerRow + x * count
        return (0..<count).map { frame.plane(plane)[start + $0] }
    }

    @Test(arguments: PixelFormat.allCases) func paint_color_hidesEveryTouchedSampleAndNoOther(format: PixelFormat) {
        let source = Self.noise(format)
        let result = Self.painted(source, .color(red: 255, green: 0, blue: 0))
        let raster = MaskRaster(Self.masks, width: source.width, height: source.height)
        for (plane, shape) in format.planeShapes.enumerated() {
            var colors = Set<[UInt8]>()
            for y in 0..<source.layout.planes[plane].rows {
                for x in 0..<((source.width + shape.columnStep - 1) / shape.columnStep) {
                    let isMasked = (0..<shape.rowStep).contains { row in
                        let line = y * shape.rowStep + row
                        return line < source.height
                            && raster.rows[line].contains {
                                $0.overlaps((x * shape.columnStep)..<((x + 1) * shape.columnStep))
                            }
                    }
                    let after = Self.position(result, plane, x, y)
                    if isMasked {
                        colors.insert(after)
                    } else {
                        #expect(after == Self.position(source, plane, x, y), "plane \(plane): \(x), \(y)")
                    }
                }
            }
            #expect(colors.count == 1, "plane \(plane)")
        }
    }

    @Test func paint_black_isTheBlackOfTheRange() {
        for (isFullRange, luma) in [(false, 16), (true, 0)] {
            var frame = MutablePixelBuffer(layout: PixelLayout(format: .nv12, width: 64, height: 48))
            frame.color = ColorDescription(isFullRange: isFullRange)
            MaskPainter([MaskRasterTests.mask([(0, 0), (100, 0), (100, 100), (0, 100)])], style: .black).paint(frame)
            let result = frame.finish()
            #expect(result.byte(0, 63, 47) == luma && result.byte(1, 0, 0) == 128 && result.byte(1, 63, 23) == 128)
        }
    }

    /// Mirrors each masked block: its mean stays, and every detail inside moves.
    private static func shuffled(_ source: PixelBuffer, side: Int) -> PixelBuffer {
        let frame = MutablePixelBuffer(reopening: PixelConverter().copy(source))
        let blocks = MaskBlocks(MaskRaster(masks, width: source.width, height: source.height), side: side)
        for (index, shape) in source.format.planeShapes.enumerated() {
            let plane = frame.plane(index)
            let (stride, count) = (
                source.layout.planes[index].bytesPerRow, shape.channels * (source.format.bitDepth > 8 ? 2 : 1)
            )
            for part in blocks.parts(shape) {
                for y in part.y..<(part.y + part.height) {
                    for x in part.x..<(part.x + part.width) {
                        let from =
                            source.layout.planes[index].offset
                            + (2 * part.y + part.height - 1 - y) * stride
                            + (2 * part.x + part.width - 1 - x) * count
                        for byte in 0..<count { plane[y * stride + x * count + byte] = source.data.bytes[from + byte] }
                    }
                }
            }
        }
        return frame.finish()
    }

    @Test(arguments: PixelFormat.allCases) func paint_blocks_dependOnTheMeanOfABlockAlone(format: PixelFormat) {
        let source = Self.noise(format)
        let other = Self.shuffled(source, side: 8)
        #expect(source.visible != other.visible)
        let result = Self.painted(source, .pixelate(8))
        #expect(result.visible == Self.painted(other, .pixelate(8)).visible)
        // Blocks that no mask touches are unchanged.
        #expect(Self.position(result, 0, 0, 42) == Self.position(source, 0, 0, 42))
        let last = format.planeShapes[0].columnStep == 2 ? 30 : 60
        #expect(Self.position(result, 0, last, 0) == Self.position(source, 0, last, 0))
    }

    @Test func paint_blocks_haveOneColorEach() {
        let source = Self.noise(.yuyv)
        let result = Self.painted(source, .pixelate(16))
        // The first block: both luma samples of every position are equal.
        for y in 0..<16 {
            for x in 0..<8 { #expect(Self.position(result, 0, x, y) == Self.position(result, 0, 0, 0)) }
        }
        let position = Self.position(result, 0, 0, 0)
        #expect(position[0] == position[2])
    }

    @Test func paint_interlacedFrame_hidesTheChromaOfItsFields() {
        let source = Self.noise(.i420, width: 64, height: 48)
        let frame = MutablePixelBuffer(reopening: PixelConverter().copy(source))
        MaskPainter(Self.masks, style: .color(red: 255, green: 0, blue: 0)).paint(frame, isInterlaced: true)
        let result = frame.finish()
        let raster = MaskRaster(Self.masks, width: 64, height: 48)
        let fieldRaster = MaskRaster(Self.masks, width: 64, height: 24)
        // Inside the first mask.
        let (luma, red) = (Self.position(result, 0, 18, 20), Self.position(result, 1, 9, 10))
        for row in 0..<48 {
            for x in raster.rows[row].joined() {
                #expect(Self.position(result, 0, x, row) == luma, "\(x), \(row)")
                // Luma rows of one parity share the chroma rows of that parity.
                #expect(Self.position(result, 1, x / 2, row / 4 * 2 + row % 2) == red, "\(x), \(row)")
            }
            for x in 0..<64 where !fieldRaster.rows[row / 2].contains(where: { $0.contains(x) }) {
                #expect(Self.position(result, 0, x, row) == Self.position(source, 0, x, row), "\(x), \(row)")
            }
        }
    }

    @Test func paint_otherSize_isRasterizedAgain() {
        let painter = MaskPainter(Self.masks, style: .black)
        for (width, height) in [(64, 48), (128, 96), (64, 48)] {
            let source = Self.noise(.i420, width: width, height: height)
            let frame = MutablePixelBuffer(reopening: PixelConverter().copy(source))
            painter.paint(frame)
            let result = frame.finish()
            #expect(result.byte(0, width * 29 / 100, height / 2) == 16)
            #expect(result.byte(0, 0, 0) == source.byte(0, 0, 0))
        }
    }
}
