import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

/// Tests of ten-bit 4:2:2, checked by arithmetic written out here.
@Suite struct FourTwoTwoTests {
    private let width = 38
    private let height = 10

    private func luma(_ x: Int, _ y: Int) -> Int { (x * 27 + y * 13) % 900 + 64 }
    /// The chroma is equal in each pair of rows, so that conversion to 4:2:0 and back restores it.
    private func chroma(_ x: Int, _ plane: Int) -> Int { (x * 40 + plane * 101) % 900 + 64 }

    /// - Parameter range: the divisor for the distance of values from those without color.
    private func frame(_ format: PixelFormat, by range: Int = 1) throws -> PixelBuffer {
        let buffer = MutablePixelBuffer(
            layout: PixelLayout(format: .i210, width: width, height: height, alignment: 64), color: .bt709)
        for (index, plane) in buffer.layout.planes.enumerated() {
            for y in 0..<plane.rows {
                for x in 0..<(index == 0 ? width : width / 2) {
                    let value = 512 + ((index == 0 ? luma(x, y) : chroma(x, index)) - 512) / range
                    buffer.plane(index).storeBytes(
                        of: UInt16(value), toByteOffset: y * plane.bytesPerRow + x * 2, as: UInt16.self)
                }
            }
        }
        return try PixelConverter().convert(buffer.finish(), to: format)
    }

    private func samples(_ frame: PixelBuffer) -> [[Int]] {
        frame.layout.planes.enumerated().flatMap { index, plane in
            (0..<plane.rows).map { y in
                (0..<(index == 0 ? width : width / 2)).map { x in
                    Int(
                        frame.plane(index).loadUnaligned(
                            fromByteOffset: y * plane.bytesPerRow + x * 2, as: UInt16.self))
                }
            }
        }
    }

    @Test func layout_i210_hasChromaInEveryRow() {
        let layout = PixelLayout(format: .i210, width: 6, height: 4)
        #expect(layout.planes.map(\.bytesPerRow) == [12, 6, 6] && layout.planes.map(\.rows) == [4, 4, 4])
        #expect(layout.byteCount == 96 && PixelFormat.i210.bitDepth == 10)
    }

    @Test(arguments: [PixelFormat.p010, .i010]) func convert_tenBitsTo420AndBack_isExact(_ format: PixelFormat) throws {
        let whole = try frame(.i210)
        let back = try PixelConverter().convert(try frame(format), to: .i210)
        #expect(back.format == .i210 && back.color == .bt709 && samples(back) == samples(whole))
    }

    @Test(arguments: [PixelFormat.i422, .yuyv, .uyvy, .nv12, .i420])
    func convert_toEightBitsAndBack_dropsTheLowestTwoBits(_ format: PixelFormat) throws {
        let whole = samples(try frame(.i210)).map { $0.map { $0 / 4 * 4 } }
        let back = try PixelConverter().convert(try frame(format), to: .i210)
        #expect(samples(back) == whole)
    }

    @Test func convert_toGrayAndRGB_keepsBrightnessAndColor() throws {
        let gray = try frame(.gray8)
        #expect((0..<width).allSatisfy { Int(gray.plane(0)[$0]) == luma($0, 0) / 4 })
        let color = try frame(.bgra, by: 5)
        let eight = try PixelConverter().convert(try frame(.i422, by: 5), to: .bgra)
        let differences = zip(color.visible, eight.visible).map { abs(Int($0) - Int($1)) }
        #expect((differences.max() ?? 99) <= 8)
    }

    @Test(arguments: [PixelFormat.i210, .nv12]) func convert_fullRange_becomesLimited(_ format: PixelFormat) throws {
        let buffer = MutablePixelBuffer(
            layout: PixelLayout(format: .i210, width: 16, height: 2), color: ColorDescription(isFullRange: true))
        for plane in 0..<3 {
            buffer.plane(plane).withMemoryRebound(to: UInt16.self) { $0.update(repeating: plane == 0 ? 1023 : 512) }
        }
        let limited = try PixelConverter().convert(buffer.finish(), to: format, range: .limited)
        #expect(limited.format == format && !limited.color.isFullRange)
        if format == .nv12 {
            #expect(limited.plane(0)[3] == 235 && limited.plane(1)[3] == 128)
        } else {
            #expect(limited.plane(0).loadUnaligned(fromByteOffset: 6, as: UInt16.self) == 940)
        }
    }

    @Test func encoderInput_valuesAboveTenBits_areClamped() throws {
        let buffer = MutablePixelBuffer(layout: PixelLayout(format: .i210, width: 16, height: 2))
        for plane in 0..<3 { _ = buffer.plane(plane).initializeMemory(as: UInt8.self, repeating: 0xFF) }
        let cut = try EncoderFrameInput(width: 16, height: 2, bitDepth: 10, layout: .i210).convert(buffer.finish())
        for plane in 0..<3 {
            cut.plane(plane).withMemoryRebound(to: UInt16.self) { #expect($0.prefix(8).allSatisfy { $0 == 1023 }) }
        }
    }

    @Test func scaleAndRotate_i210_keepsTheFormat() throws {
        let whole = try frame(.i210)
        let large = try FrameScaler().scale(whole, width: width * 2, height: height * 2)
        #expect(large.format == .i210 && large.width == width * 2)
        let turned = try FrameRotator().turn(whole, FrameOrientation(quarterTurns: 1))
        #expect(turned.format == .i210 && turned.width == height && turned.height == width)
        #expect(turned.plane(0).loadUnaligned(fromByteOffset: (height - 1) * 2, as: UInt16.self) == UInt16(luma(0, 0)))
    }
}
