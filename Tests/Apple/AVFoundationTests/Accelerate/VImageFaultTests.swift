import Accelerate
import Testing

/// Tests that unusable buffers and flags give an error code, and that nothing is written then.
@Suite struct VImageFaultTests {
    private let source = VImageMemory(8, 6, pixelBytes: 4, scatteredByte)
    private let target = VImageMemory(8, 6, pixelBytes: 4)

    private func permute(_ from: vImage_Buffer, _ to: vImage_Buffer, _ flags: Int = kvImageNoFlags) -> vImage_Error {
        var (from, to) = (from, to)
        return vImagePermuteChannels_ARGB8888(&from, &to, [3, 2, 1, 0], vImage_Flags(flags))
    }

    private var isUntouched: Bool { target.pixels.allSatisfy { $0 == [0xEE, 0xEE, 0xEE, 0xEE] } }

    @Test func buffer_withoutMemory_isANullPointer() {
        var empty = source.buffer
        empty.data = nil
        #expect(permute(empty, target.buffer) == kvImageNullPointerArgument)
        #expect(permute(target.buffer, empty) == kvImageNullPointerArgument)
        let scaled = vImageScale_ARGB8888(&empty, &target.buffer, nil, noFlags)
        #expect(scaled == kvImageNullPointerArgument)
        #expect(isUntouched)
    }

    @Test func source_smallerThanTheTarget_isRefused() {
        var small = source.buffer
        small.height -= 1
        #expect(permute(small, target.buffer) == kvImageRoiLargerThanInputBuffer)
        small = source.buffer
        small.width -= 1
        #expect(permute(small, target.buffer) == kvImageRoiLargerThanInputBuffer)
        #expect(isUntouched)
    }

    @Test(arguments: [31, 0, -32, Int.min, Int.max])
    func rowBytes_notPossible_areInvalid(_ rowBytes: Int) {
        var (from, to) = (source.buffer, target.buffer)
        from.rowBytes = rowBytes
        to.rowBytes = rowBytes
        #expect(permute(from, target.buffer) == kvImageInvalidRowBytes)
        #expect(permute(source.buffer, to) == kvImageInvalidRowBytes)
        #expect(isUntouched)
    }

    @Test func size_tooLarge_isInvalid() {
        var huge = target.buffer
        huge.width = .max
        #expect(permute(source.buffer, huge) == kvImageInvalidParameter)
        huge = target.buffer
        huge.height = vImagePixelCount(Int32.max) + 1
        #expect(permute(source.buffer, huge) == kvImageInvalidParameter)
    }

    @Test func size_zero_doesNothing() {
        var (none, empty) = (target.buffer, source.buffer)
        none.height = 0
        empty.width = 0
        #expect(permute(source.buffer, none) == kvImageNoError)
        let nothing = vImageScale_ARGB8888(&source.buffer, &none, nil, noFlags)
        let fromNothing = vImageScale_ARGB8888(&empty, &target.buffer, nil, noFlags)
        #expect(nothing == kvImageNoError && fromNothing == kvImageInvalidParameter && isUntouched)
    }

    @Test func buffers_overlapping_areRefused() {
        var shifted = source.buffer
        shifted.data = source.buffer.data.advanced(by: 4)
        shifted.width -= 1
        let before = source.pixels
        #expect(permute(source.buffer, shifted) == kvImageOutOfPlaceOperationRequired)
        // Between the rows of the source, into the next one.
        shifted.data = source.buffer.data.advanced(by: source.buffer.rowBytes - 4)
        shifted.width = 2
        shifted.height -= 1
        #expect(permute(source.buffer, shifted) == kvImageOutOfPlaceOperationRequired)
        var other = source.buffer
        other.rowBytes += 1
        other.height -= 1
        other.data = source.buffer.data.advanced(by: 1)
        #expect(permute(source.buffer, other) == kvImageOutOfPlaceOperationRequired)
        #expect(source.pixels == before)
    }

    @Test func calls_thatDoNotWorkInPlace_areRefused() {
        let before = source.pixels
        var (from, to) = (source.buffer, source.buffer)
        to.width = 4
        let scaled = vImageScale_ARGB8888(&from, &to, nil, noFlags)
        let turned = vImageRotate90_ARGB8888(&from, &to, UInt8(kRotate180DegreesClockwise), [0, 0, 0, 0], noFlags)
        let widened = vImageConvert_RGB888toRGBA8888(&from, nil, 255, &to, false, noFlags)
        #expect(scaled == kvImageOutOfPlaceOperationRequired && turned == kvImageOutOfPlaceOperationRequired)
        #expect(widened == kvImageOutOfPlaceOperationRequired && source.pixels == before)
    }

    @Test func halves_ofOneImage_doNotOverlap() {
        let before = source.pixels
        var (left, right) = (source.buffer, source.buffer)
        left.width = 4
        right.width = 4
        right.data = source.buffer.data.advanced(by: 16)
        #expect(permute(left, right) == kvImageNoError)
        for row in 0..<6 {
            for column in 0..<4 {
                #expect(source.pixel(column, row) == before[row * 8 + column])
                #expect(source.pixel(column + 4, row) == Array(before[row * 8 + column].reversed()))
            }
        }
        #expect(permute(right, left) == kvImageNoError)
        #expect(source.isPaddingKept)
    }

    @Test func flags_unknown_areRefused() {
        #expect(permute(source.buffer, target.buffer, 1 << 20) == kvImageUnknownFlagsBit)
        #expect(isUntouched)
    }

    @Test func flags_temporaryBuffer_hasNoSize() {
        let size = vImageScale_ARGB8888(
            &source.buffer, &target.buffer, nil, vImage_Flags(kvImageGetTempBufferSize))
        #expect(size == 0 && isUntouched)
    }

    @Test func flags_everyKnownOne_isAccepted() {
        let flags =
            kvImageLeaveAlphaUnchanged | kvImageCopyInPlace | kvImageBackgroundColorFill | kvImageEdgeExtend
            | kvImageDoNotTile | kvImageHighQualityResampling | kvImageTruncateKernel | kvImagePrintDiagnosticsToConsole
            | kvImageNoAllocate | kvImageHDRContent | kvImageDoNotClamp | kvImageUseFP16Accumulator
        #expect(flags | kvImageGetTempBufferSize == 8191)
        #expect(permute(source.buffer, target.buffer, flags) == kvImageNoError)
    }

    @Test func error_codes_areThoseOfTheConstants() {
        let codes = [
            kvImageNoError, kvImageRoiLargerThanInputBuffer, kvImageInvalidKernelSize, kvImageInvalidEdgeStyle,
            kvImageInvalidOffset_X, kvImageInvalidOffset_Y, kvImageMemoryAllocationError, kvImageNullPointerArgument,
            kvImageInvalidParameter, kvImageBufferSizeMismatch, kvImageUnknownFlagsBit, kvImageInternalError,
            kvImageInvalidRowBytes, kvImageInvalidImageFormat, kvImageColorSyncIsAbsent,
            kvImageOutOfPlaceOperationRequired, kvImageInvalidImageObject, kvImageInvalidCVImageFormat,
            kvImageUnsupportedConversion, kvImageCoreVideoIsAbsent,
        ]
        #expect(codes == [0] + (21766...21784).map { -$0 })
        #expect(codes.allSatisfy { vImage.Error(vImageError: $0).rawValue == $0 })
        #expect(vImage.Error(vImageError: 5) == .internalError)
    }
}
