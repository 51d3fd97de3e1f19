import Accelerate
import Foundation
import Testing

@Suite struct VImageGeometryTests {
    private let source = VImageMemory(5, 4, pixelBytes: 4, scatteredByte)

    @Test(arguments: [(5, 4), (4, 3), (1, 1)])
    func reflect_separateAndInPlace_areTheSame(_ width: Int, _ height: Int) {
        let source = VImageMemory(width, height, pixelBytes: 4, scatteredByte)
        let upsideDown = VImageMemory(width, height, pixelBytes: 4)
        let mirrored = VImageMemory(width, height, pixelBytes: 4)
        let vertical = vImageVerticalReflect_ARGB8888(&source.buffer, &upsideDown.buffer, noFlags)
        let horizontal = vImageHorizontalReflect_ARGB8888(&source.buffer, &mirrored.buffer, noFlags)
        #expect(vertical == kvImageNoError && horizontal == kvImageNoError)
        for row in 0..<height {
            for column in 0..<width {
                #expect(upsideDown.pixel(column, row) == source.pixel(column, height - 1 - row))
                #expect(mirrored.pixel(column, row) == source.pixel(width - 1 - column, row))
            }
        }
        #expect(upsideDown.isPaddingKept && mirrored.isPaddingKept)
        let both = VImageMemory(width, height, pixelBytes: 4, scatteredByte)
        var buffer = both.buffer
        // Programs pass this flag, which has no effect here.
        vImageVerticalReflect_ARGB8888(&buffer, &buffer, vImage_Flags(kvImageBackgroundColorFill))
        #expect(both.pixels == upsideDown.pixels)
        vImageVerticalReflect_ARGB8888(&buffer, &buffer, noFlags)
        vImageHorizontalReflect_ARGB8888(&buffer, &buffer, noFlags)
        #expect(both.pixels == mirrored.pixels)
    }

    @Test func reflect_planes_areReversed() {
        let plane = VImageMemory(3, 2, pixelBytes: 1) { column, row, _ in UInt8(10 * row + column) }
        let target = VImageMemory(3, 2, pixelBytes: 1)
        vImageVerticalReflect_Planar8(&plane.buffer, &target.buffer, noFlags)
        #expect(target.pixels == [[10], [11], [12], [0], [1], [2]])
        vImageHorizontalReflect_Planar8(&plane.buffer, &target.buffer, noFlags)
        #expect(target.pixels == [[2], [1], [0], [12], [11], [10]])
    }

    @Test func reflect_anotherSize_isAMismatch() {
        let target = VImageMemory(5, 3, pixelBytes: 4)
        let error = vImageVerticalReflect_ARGB8888(&source.buffer, &target.buffer, noFlags)
        #expect(error == kvImageBufferSizeMismatch)
    }

    @Test func rotate90_eachConstant_turnsThePixels() {
        let turned = VImageMemory(4, 5, pixelBytes: 4)
        let clockwise = vImageRotate90_ARGB8888(
            &source.buffer, &turned.buffer, UInt8(kRotate90DegreesClockwise), [0, 0, 0, 0], noFlags)
        #expect(clockwise == kvImageNoError && turned.isPaddingKept)
        // The left bottom corner is now at the left top.
        #expect(turned.pixel(0, 0) == source.pixel(0, 3) && turned.pixel(3, 4) == source.pixel(4, 0))
        #expect(turned.pixel(1, 2) == source.pixel(2, 2))
        vImageRotate90_ARGB8888(
            &source.buffer, &turned.buffer, UInt8(kRotate90DegreesCounterClockwise), [0, 0, 0, 0], noFlags)
        #expect(turned.pixel(0, 0) == source.pixel(4, 0) && turned.pixel(3, 4) == source.pixel(0, 3))
        let upright = VImageMemory(5, 4, pixelBytes: 4)
        vImageRotate90_ARGB8888(
            &source.buffer, &upright.buffer, UInt8(kRotate180DegreesClockwise), [0, 0, 0, 0], noFlags)
        #expect(upright.pixels == Array(source.pixels.reversed()))
        vImageRotate90_ARGB8888(
            &source.buffer, &upright.buffer, UInt8(kRotate0DegreesClockwise), [0, 0, 0, 0], noFlags)
        #expect(upright.pixels == source.pixels)
        let unknown = vImageRotate90_ARGB8888(&source.buffer, &upright.buffer, 4, [0, 0, 0, 0], noFlags)
        #expect(unknown == kvImageInvalidParameter)
    }

    @Test func rotate90_largerTarget_hasBackgroundAroundItsCenter() {
        let plane = VImageMemory(2, 1, pixelBytes: 1) { column, _, _ in UInt8(column + 1) }
        let target = VImageMemory(3, 4, pixelBytes: 1)
        let error = vImageRotate90_Planar8(
            &plane.buffer, &target.buffer, UInt8(kRotate270DegreesCounterClockwise), 9, noFlags)
        #expect(error == kvImageNoError)
        #expect(target.pixels == [[9], [9], [9], [9], [1], [9], [9], [2], [9], [9], [9], [9]])
        vImageRotate90_Planar8(
            &plane.buffer, &target.buffer, UInt8(kRotate90DegreesClockwise), 9, vImage_Flags(kvImageEdgeExtend))
        #expect(target.pixels == [[1], [1], [1], [1], [1], [1], [2], [2], [2], [2], [2], [2]])
    }

    @Test func scale_sameSize_isACopy() {
        let target = VImageMemory(5, 4, pixelBytes: 4)
        let error = vImageScale_ARGB8888(&source.buffer, &target.buffer, nil, noFlags)
        #expect(error == kvImageNoError && target.pixels == source.pixels && target.isPaddingKept)
    }

    @Test(arguments: [(9, 7), (64, 1), (1, 64), (16, 12)])
    func scale_oneColor_staysThatColor(_ width: Int, _ height: Int) {
        let source = VImageMemory(16, 12, pixelBytes: 4) { _, _, channel in [255, 0, 17, 200][channel] }
        let target = VImageMemory(width, height, pixelBytes: 4)
        let error = vImageScale_ARGB8888(&source.buffer, &target.buffer, nil, noFlags)
        #expect(error == kvImageNoError)
        #expect(target.pixels.allSatisfy { $0 == [255, 0, 17, 200] } && target.isPaddingKept)
    }

    @Test(arguments: [(19, 13), (4, 3), (7, 9)], [kvImageNoFlags, kvImageHighQualityResampling])
    func scale_plane_followsTheFormula(_ size: (Int, Int), _ flags: Int) {
        let source = VImageMemory(8, 6, pixelBytes: 1, scatteredByte)
        let target = VImageMemory(size.0, size.1, pixelBytes: 1)
        let error = vImageScale_Planar8(&source.buffer, &target.buffer, nil, vImage_Flags(flags))
        #expect(error == kvImageNoError)
        let lobes: Double = flags == kvImageNoFlags ? 3 : 5
        let rows = (0..<size.1).map { row in (-20..<26).map { Self.weight($0, row, 6, size.1, lobes) } }
        let columns = (0..<size.0).map { column in (-20..<28).map { Self.weight($0, column, 8, size.0, lobes) } }
        for row in 0..<size.1 {
            for column in 0..<size.0 {
                var (sum, total) = (0.0, 0.0)
                for y in -20..<26 {
                    for x in -20..<28 {
                        let weight = rows[row][y + 20] * columns[column][x + 20]
                        total += weight
                        sum += weight * Double(source.value(min(max(x, 0), 7), min(max(y, 0), 5)))
                    }
                }
                let expected = min(max(sum / total, 0), 255)
                #expect(abs(Double(target.value(column, row)) - expected) < 0.51)
            }
        }
    }

    /// The weight of a source's row or column, by the definition of the Lanczos function.
    private static func weight(_ place: Int, _ index: Int, _ source: Int, _ target: Int, _ lobes: Double) -> Double {
        let ratio = Double(source) / Double(target)
        let x = (Double(place) - (Double(index) + 0.5) * ratio + 0.5) / max(ratio, 1)
        if x == 0 { return 1 }
        if abs(x) >= lobes { return 0 }
        let angle = Double.pi * x
        return lobes * sin(angle) * sin(angle / lobes) / (angle * angle)
    }

    @Test func scale_chroma_scalesBothComponentsSeparately() {
        let chroma = VImageMemory(8, 6, pixelBytes: 2) { _, _, channel in channel == 0 ? 90 : 160 }
        let target = VImageMemory(4, 3, pixelBytes: 2)
        let error = vImageScale_CbCr8(&chroma.buffer, &target.buffer, nil, noFlags)
        #expect(error == kvImageNoError && target.pixels.allSatisfy { $0 == [90, 160] })
    }
}
