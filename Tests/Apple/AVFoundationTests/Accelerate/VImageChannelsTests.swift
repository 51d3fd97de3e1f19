import Accelerate
import Testing

@Suite struct VImageChannelsTests {
    private let source = VImageMemory(5, 3, pixelBytes: 4, scatteredByte)

    @Test func permuteChannels_map_namesTheSourceOfEachComponent() {
        let target = VImageMemory(5, 3, pixelBytes: 4)
        let error = vImagePermuteChannels_ARGB8888(&source.buffer, &target.buffer, [3, 0, 2, 1], noFlags)
        #expect(error == kvImageNoError)
        #expect(target.pixels == source.pixels.map { [$0[3], $0[0], $0[2], $0[1]] })
        #expect(target.isPaddingKept)
    }

    @Test func permuteChannels_inPlace_isCorrect() {
        let before = source.pixels
        var buffer = source.buffer
        let error = vImagePermuteChannels_ARGB8888(&buffer, &buffer, [3, 2, 1, 0], noFlags)
        #expect(error == kvImageNoError)
        #expect(source.pixels == before.map { Array($0.reversed()) })
    }

    @Test func permuteChannels_threeComponents_areReordered() {
        let source = VImageMemory(5, 3, pixelBytes: 3, scatteredByte)
        let target = VImageMemory(5, 3, pixelBytes: 3)
        let error = vImagePermuteChannels_RGB888(&source.buffer, &target.buffer, [2, 1, 0], noFlags)
        #expect(error == kvImageNoError)
        #expect(target.pixels == source.pixels.map { Array($0.reversed()) })
    }

    @Test func permuteChannels_unknownComponent_isInvalid() {
        let target = VImageMemory(5, 3, pixelBytes: 4)
        let four = vImagePermuteChannels_ARGB8888(&source.buffer, &target.buffer, [0, 1, 2, 4], noFlags)
        let three = vImagePermuteChannels_RGB888(&source.buffer, &target.buffer, [0, 1, 3], noFlags)
        #expect(four == kvImageInvalidParameter && three == kvImageInvalidParameter)
    }

    @Test func overwriteChannels_mask_choosesComponents() {
        let plane = VImageMemory(5, 3, pixelBytes: 1) { column, row, _ in UInt8(100 + column + row) }
        let target = VImageMemory(5, 3, pixelBytes: 4)
        let error = vImageOverwriteChannels_ARGB8888(&plane.buffer, &source.buffer, &target.buffer, 0x9, noFlags)
        #expect(error == kvImageNoError)
        #expect(
            target.pixels == zip(source.pixels, plane.pixels).map { [$1[0], $0[1], $0[2], $1[0]] })
        let unknown = vImageOverwriteChannels_ARGB8888(&plane.buffer, &source.buffer, &target.buffer, 0x10, noFlags)
        #expect(unknown == kvImageInvalidParameter)
    }

    @Test func overwriteChannelsWithScalar_lastComponent_makesOpaque() {
        let before = source.pixels
        var buffer = source.buffer
        let error = vImageOverwriteChannelsWithScalar_ARGB8888(255, &buffer, &buffer, 0x1, noFlags)
        #expect(error == kvImageNoError)
        #expect(source.pixels == before.map { [$0[0], $0[1], $0[2], 255] })
        #expect(source.isPaddingKept)
    }

    @Test func overwriteChannelsWithScalar_plane_isFilled() {
        let plane = VImageMemory(5, 3, pixelBytes: 1)
        let error = vImageOverwriteChannelsWithScalar_Planar8(7, &plane.buffer, noFlags)
        #expect(error == kvImageNoError)
        #expect(plane.pixels.allSatisfy { $0 == [7] } && plane.isPaddingKept)
    }

    @Test func extractChannel_eachIndex_copiesThatComponent() {
        let plane = VImageMemory(5, 3, pixelBytes: 1)
        for channel in 0..<4 {
            let error = vImageExtractChannel_ARGB8888(&source.buffer, &plane.buffer, channel, noFlags)
            #expect(error == kvImageNoError)
            #expect(plane.pixels == source.pixels.map { [$0[channel]] })
        }
        let unknown = vImageExtractChannel_ARGB8888(&source.buffer, &plane.buffer, 4, noFlags)
        #expect(unknown == kvImageInvalidParameter)
    }
}
