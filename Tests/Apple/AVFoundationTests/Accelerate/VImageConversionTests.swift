import Accelerate
import Foundation
import Testing

@Suite struct VImageConversionTests {
    /// The nearest number of 8 bits to color times alpha.
    private func product(_ color: UInt8, _ alpha: UInt8) -> UInt8 { UInt8((Int(color) * Int(alpha) + 127) / 255) }

    /// The nearest number of 8 bits to color by alpha.
    private func quotient(_ color: UInt8, _ alpha: UInt8) -> UInt8 {
        let divisor = Int(alpha)
        return divisor == 0 ? 0 : UInt8((min(Int(color), divisor) * 255 + divisor / 2) / divisor)
    }

    @Test func planes_joinedAndSplit_areTheSame() {
        let planes = (0..<4).map { channel in
            VImageMemory(5, 3, pixelBytes: 1) { column, row, _ in scatteredByte(column, row, channel) }
        }
        let image = VImageMemory(5, 3, pixelBytes: 4)
        let joined = vImageConvert_Planar8toARGB8888(
            &planes[0].buffer, &planes[1].buffer, &planes[2].buffer, &planes[3].buffer, &image.buffer, noFlags)
        #expect(joined == kvImageNoError && image.isPaddingKept)
        #expect(image.pixels == VImageMemory(5, 3, pixelBytes: 4, scatteredByte).pixels)
        let parts = (0..<4).map { _ in VImageMemory(5, 3, pixelBytes: 1) }
        let split = vImageConvert_ARGB8888toPlanar8(
            &image.buffer, &parts[0].buffer, &parts[1].buffer, &parts[2].buffer, &parts[3].buffer, noFlags)
        #expect(split == kvImageNoError)
        #expect(zip(parts, planes).allSatisfy { $0.pixels == $1.pixels && $0.isPaddingKept })
    }

    @Test func planes_threeJoinedAndSplit_areTheSame() {
        let image = VImageMemory(5, 3, pixelBytes: 3, scatteredByte)
        let parts = (0..<3).map { _ in VImageMemory(5, 3, pixelBytes: 1) }
        let split = vImageConvert_RGB888toPlanar8(
            &image.buffer, &parts[0].buffer, &parts[1].buffer, &parts[2].buffer, noFlags)
        #expect(split == kvImageNoError)
        #expect(parts[2].pixels == image.pixels.map { [$0[2]] })
        let joined = VImageMemory(5, 3, pixelBytes: 3)
        let error = vImageConvert_Planar8toRGB888(
            &parts[0].buffer, &parts[1].buffer, &parts[2].buffer, &joined.buffer, noFlags)
        #expect(error == kvImageNoError && joined.pixels == image.pixels)
    }

    @Test func planes_ofSeveralSizes_areAMismatch() {
        let image = VImageMemory(5, 3, pixelBytes: 3, scatteredByte)
        let planes = [3, 2, 3].map { height in VImageMemory(5, height, pixelBytes: 1) }
        let error = vImageConvert_RGB888toPlanar8(
            &image.buffer, &planes[0].buffer, &planes[1].buffer, &planes[2].buffer, noFlags)
        #expect(error == kvImageBufferSizeMismatch)
    }

    @Test func alphaAdded_oneValue_hasTheOrderOfTheName() {
        let source = VImageMemory(5, 3, pixelBytes: 3, scatteredByte)
        let target = VImageMemory(5, 3, pixelBytes: 4)
        let argb = vImageConvert_RGB888toARGB8888(&source.buffer, nil, 9, &target.buffer, false, noFlags)
        #expect(argb == kvImageNoError)
        #expect(target.pixels == source.pixels.map { [9, $0[0], $0[1], $0[2]] })
        let rgba = vImageConvert_RGB888toRGBA8888(&source.buffer, nil, 9, &target.buffer, false, noFlags)
        #expect(rgba == kvImageNoError)
        #expect(target.pixels == source.pixels.map { [$0[0], $0[1], $0[2], 9] })
        let bgra = vImageConvert_RGB888toBGRA8888(&source.buffer, nil, 9, &target.buffer, false, noFlags)
        #expect(bgra == kvImageNoError)
        #expect(target.pixels == source.pixels.map { [$0[2], $0[1], $0[0], 9] })
        #expect(target.isPaddingKept)
    }

    @Test func alphaAdded_plane_multipliesColors() {
        let source = VImageMemory(5, 3, pixelBytes: 3, scatteredByte)
        let plane = VImageMemory(5, 3, pixelBytes: 1) { column, row, _ in UInt8(50 * column + row) }
        let target = VImageMemory(5, 3, pixelBytes: 4)
        let error = vImageConvert_RGB888toRGBA8888(&source.buffer, &plane.buffer, 0, &target.buffer, true, noFlags)
        #expect(error == kvImageNoError)
        for (index, pixel) in target.pixels.enumerated() {
            let alpha = plane.pixels[index][0]
            var expected = source.pixels[index].map { product($0, alpha) }
            expected.append(alpha)
            #expect(pixel == expected)
        }
    }

    @Test func alphaDropped_hasTheOrderOfTheName() {
        let source = VImageMemory(5, 3, pixelBytes: 4, scatteredByte)
        let target = VImageMemory(5, 3, pixelBytes: 3)
        let argb = vImageConvert_ARGB8888toRGB888(&source.buffer, &target.buffer, noFlags)
        #expect(argb == kvImageNoError)
        #expect(target.pixels == source.pixels.map { [$0[1], $0[2], $0[3]] })
        let bgra = vImageConvert_BGRA8888toRGB888(&source.buffer, &target.buffer, noFlags)
        #expect(bgra == kvImageNoError)
        #expect(target.pixels == source.pixels.map { [$0[2], $0[1], $0[0]] })
        #expect(target.isPaddingKept)
    }

    @Test func alphaDropped_inPlace_isCorrect() {
        let memory = VImageMemory(5, 3, pixelBytes: 4, scatteredByte)
        let before = memory.pixels
        var buffer = memory.buffer
        let error = vImageConvert_RGBA8888toRGB888(&buffer, &buffer, noFlags)
        #expect(error == kvImageNoError)
        for row in 0..<3 {
            for column in 0..<5 {
                let bytes = (0..<3).map { channel in
                    buffer.data.load(fromByteOffset: row * buffer.rowBytes + 3 * column + channel, as: UInt8.self)
                }
                #expect(bytes == Array(before[row * 5 + column].prefix(3)))
            }
        }
    }

    @Test func floatingPoint_bothWays_followsTheFormula() {
        let source = VImageMemory(256, 1, pixelBytes: 1) { column, _, _ in UInt8(column) }
        let floats = VImageMemory(256, 1, pixelBytes: 4)
        let made = vImageConvert_Planar8toPlanarF(&source.buffer, &floats.buffer, 1, -1, noFlags)
        #expect(made == kvImageNoError)
        for value in 0..<256 {
            let float = floats.buffer.data.load(fromByteOffset: 4 * value, as: Float.self)
            let expected = Float(value) * 2 / 255 - 1
            #expect(abs(float - expected) < 1e-6)
        }
        let target = VImageMemory(256, 1, pixelBytes: 1)
        let back = vImageConvert_PlanarFtoPlanar8(&floats.buffer, &target.buffer, 1, -1, noFlags)
        #expect(back == kvImageNoError && target.pixels == source.pixels)
    }

    @Test func floatingPoint_outOfRange_isBounded() {
        let values: [Float] = [-1, 0, 0.5, 2, .infinity, -.infinity, .nan]
        var floats = values
        let target = VImageMemory(values.count, 1, pixelBytes: 1)
        let error = floats.withUnsafeMutableBytes { bytes in
            var source = vImage_Buffer(
                data: bytes.baseAddress, height: 1, width: vImagePixelCount(values.count), rowBytes: bytes.count)
            return vImageConvert_PlanarFtoPlanar8(&source, &target.buffer, 1, 0, noFlags)
        }
        #expect(error == kvImageNoError)
        #expect(target.pixels == [[0], [0], [128], [255], [255], [0], [0]])
    }

    @Test func alpha_everyColorAndAlpha_isMultipliedAndDivided() {
        let source = VImageMemory(256, 256, pixelBytes: 4) { column, row, channel in
            [UInt8(row), UInt8(column), 255 - UInt8(column), 0][channel]
        }
        let target = VImageMemory(256, 256, pixelBytes: 4)
        let multiplied = vImagePremultiplyData_ARGB8888(&source.buffer, &target.buffer, noFlags)
        #expect(multiplied == kvImageNoError && target.isPaddingKept)
        let isMultiplied = zip(source.pixels, target.pixels).allSatisfy { from, to in
            to[0] == from[0] && (1..<4).allSatisfy { to[$0] == product(from[$0], from[0]) }
        }
        #expect(isMultiplied)
        let divided = vImageUnpremultiplyData_ARGB8888(&source.buffer, &target.buffer, noFlags)
        #expect(divided == kvImageNoError)
        let isDivided = zip(source.pixels, target.pixels).allSatisfy { from, to in
            to[0] == from[0] && (1..<4).allSatisfy { to[$0] == quotient(from[$0], from[0]) }
        }
        #expect(isDivided)
    }

    @Test func alpha_lastComponentInPlace_isKept() {
        let pixels: [[UInt8]] = [[200, 100, 50, 128], [9, 9, 9, 0]]
        let memory = VImageMemory(2, 1, pixelBytes: 4) { column, _, channel in pixels[column][channel] }
        var buffer = memory.buffer
        let multiplied = vImagePremultiplyData_RGBA8888(&buffer, &buffer, noFlags)
        #expect(multiplied == kvImageNoError && memory.pixels == [[100, 50, 25, 128], [0, 0, 0, 0]])
        let divided = vImageUnpremultiplyData_RGBA8888(&buffer, &buffer, noFlags)
        #expect(divided == kvImageNoError && memory.pixels == [[199, 100, 50, 128], [0, 0, 0, 0]])
    }
}
