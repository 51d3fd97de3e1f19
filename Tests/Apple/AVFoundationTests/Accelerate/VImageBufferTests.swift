import Accelerate
import Foundation
import Testing

@Suite struct VImageBufferTests {
    @Test func buffer_init_hasRowsOfAMultipleOf16Bytes() {
        var buffer = vImage_Buffer()
        #expect(buffer.data == nil)
        let error = vImageBuffer_Init(&buffer, 5, 10, 8, noFlags)
        defer { buffer.free() }
        #expect(error == kvImageNoError)
        #expect(buffer.data != nil)
        #expect(buffer.width == 10 && buffer.height == 5 && buffer.rowBytes == 16)
        let size = vImageBuffer_GetSize(&buffer)
        #expect(size == CGSize(width: 10, height: 5) && buffer.size == size)
    }

    @Test func buffer_noAllocate_onlyReturnsAlignmentAndRowBytes() throws {
        var buffer = vImage_Buffer()
        let alignment = vImageBuffer_Init(&buffer, 5, 10, 32, vImage_Flags(kvImageNoAllocate))
        #expect(alignment == 16 && buffer.data == nil && buffer.rowBytes == 48)
        let preferred = try vImage_Buffer.preferredAlignmentAndRowBytes(width: 10, height: 5, bitsPerPixel: 32)
        #expect(preferred.alignment == 16 && preferred.rowBytes == 48)
    }

    @Test func buffer_swiftInitializers_allocateMemory() throws {
        let buffer = try vImage_Buffer(width: 3, height: 2, bitsPerPixel: 32)
        defer { buffer.free() }
        #expect(buffer.data != nil && buffer.width == 3 && buffer.height == 2 && buffer.rowBytes == 16)
        let other = try vImage_Buffer(size: CGSize(width: 17.9, height: 1), bitsPerPixel: 1)
        defer { other.free() }
        #expect(other.width == 17 && other.height == 1 && other.rowBytes == 16)
        #expect(throws: vImage.Error.invalidParameter) {
            try vImage_Buffer(width: -1, height: 2, bitsPerPixel: 32)
        }
    }

    @Test func buffer_impossibleSizes_returnErrors() {
        var buffer = vImage_Buffer()
        let noBits = vImageBuffer_Init(&buffer, 5, 10, 0, noFlags)
        #expect(noBits == kvImageInvalidParameter)
        let tooWide = vImageBuffer_Init(&buffer, 5, .max, 8, noFlags)
        #expect(tooWide == kvImageInvalidParameter)
        let side = vImagePixelCount(Int32.max)
        let tooLarge = vImageBuffer_Init(&buffer, side, side, 128, noFlags)
        #expect(tooLarge == kvImageMemoryAllocationError)
        #expect(buffer.data == nil)
    }

    @Test func copyBuffer_targetOfLessSize_getsItsPartOnly() {
        let source = VImageMemory(6, 5, pixelBytes: 3, scatteredByte)
        let target = VImageMemory(4, 3, pixelBytes: 3)
        let error = vImageCopyBuffer(&source.buffer, &target.buffer, 3, noFlags)
        #expect(error == kvImageNoError)
        for row in 0..<3 {
            for column in 0..<4 { #expect(target.pixel(column, row) == source.pixel(column, row)) }
        }
        #expect(target.isPaddingKept)
        let noSize = vImageCopyBuffer(&source.buffer, &target.buffer, 0, noFlags)
        #expect(noSize == kvImageInvalidParameter)
    }

    @Test func bufferFill_setsEveryPixel() {
        let target = VImageMemory(4, 3, pixelBytes: 4)
        let error = vImageBufferFill_ARGB8888(&target.buffer, [255, 1, 2, 3], noFlags)
        #expect(error == kvImageNoError)
        #expect(target.pixels.allSatisfy { $0 == [255, 1, 2, 3] })
        #expect(target.isPaddingKept)
    }
}
