import Foundation
import MediaTypes
import Testing

@testable import AVFoundation

/// Tests of the size, the row alignment and the color that a program requests of a reader.
@Suite struct ReaderSettingsTests {
    private func frame(_ format: PixelFormat, _ width: Int, _ height: Int) -> SampleBuffer {
        let layout = PixelLayout(format: format, width: width, height: height)
        let data = MediaData((0..<layout.byteCount).map { UInt8(truncatingIfNeeded: $0 / 7) })
        return SampleBuffer(
            pixels: PixelBuffer(layout: layout, color: .bt709, data: data),
            presentationTime: MediaTime(value: 3, timescale: 30), duration: MediaTime(value: 1, timescale: 30))
    }

    private func pixels(_ sample: SampleBuffer) throws -> PixelBuffer {
        guard case .pixels(let pixels) = sample.content else { throw CancellationError() }
        return pixels
    }

    private func fault(_ words: [String: Any], _ color: ColorDescription? = nil) -> String? {
        do { _ = try ReaderSettings.frames(words, color: color) } catch { return error.reason }
        return nil
    }

    @Test(arguments: [PixelFormat.bgra, .nv12, .i420, .i010]) func frame_requestedSize_isScaled(
        format: PixelFormat
    ) throws {
        let attributes = try ReaderSettings.frames(
            [kCVPixelBufferWidthKey: 32, kCVPixelBufferHeightKey: 18], color: nil)
        let source = frame(format, 128, 72)
        let sample = try RequestedFrames(attributes).shaped(source)
        let small = try pixels(sample)
        #expect(small.width == 32 && small.height == 18 && small.format == format && small.color == .bt709)
        #expect(sample.format.video?.width == 32 && sample.presentationTime == source.presentationTime)
        #expect(sample.duration == source.duration)
    }

    @Test func frame_ofTheRequestedSize_isNotCopied() throws {
        let attributes = try ReaderSettings.frames(
            [kCVPixelBufferWidthKey: 64, kCVPixelBufferHeightKey: 36, kCVPixelBufferBytesPerRowAlignmentKey: 32],
            color: nil)
        let source = frame(.bgra, 64, 36)
        #expect(try pixels(RequestedFrames(attributes).shaped(source)).data === pixels(source).data)
    }

    @Test func frame_requestedRowAlignment_keepsItsPixels() throws {
        let attributes = try ReaderSettings.frames([kCVPixelBufferBytesPerRowAlignmentKey: 256], color: nil)
        let source = try pixels(frame(.nv12, 100, 6))
        let aligned = try pixels(RequestedFrames(attributes).shaped(frame(.nv12, 100, 6)))
        #expect(aligned.layout.planes.map(\.bytesPerRow) == [256, 256])
        for plane in 0..<2 {
            for row in 0..<source.layout.planes[plane].rows {
                #expect(aligned.plane(plane)[row * 256 + 99] == source.plane(plane)[row * 100 + 99])
            }
        }
    }

    @Test func settings_sizeThatIsNotPossible_isRefusedByName() {
        #expect(fault([kCVPixelBufferWidthKey: 64])?.contains(kCVPixelBufferWidthKey) == true)
        #expect(fault([kCVPixelBufferHeightKey: 64])?.contains(kCVPixelBufferHeightKey) == true)
        #expect(
            fault([kCVPixelBufferWidthKey: 40_000, kCVPixelBufferHeightKey: 36])?.contains("32767") == true)
        for key in [AVVideoWidthKey, AVVideoHeightKey, AVVideoScalingModeKey, AVVideoCleanApertureKey] {
            #expect(fault([key: 64])?.contains(key) == true)
        }
    }

    @Test func settings_otherColorThanTheFrames_isRefused() {
        let properties: [String: Any] = [
            AVVideoColorPrimariesKey: AVVideoColorPrimaries_ITU_R_709_2,
            AVVideoTransferFunctionKey: AVVideoTransferFunction_ITU_R_709_2,
            AVVideoYCbCrMatrixKey: AVVideoYCbCrMatrix_ITU_R_709_2,
        ]
        let words: [String: Any] = [AVVideoColorPropertiesKey: properties]
        #expect(fault(words, .hlg)?.contains(AVVideoTransferFunctionKey) == true)
        #expect(fault(words, .bt709) == nil && fault(words, ColorDescription()) == nil)
        #expect(fault(words, .bt601)?.contains(AVVideoYCbCrMatrixKey) == true)
        // RGB has no matrix; the transfer functions of BT.601 and BT.709 are the same.
        let rgb: [String: Any] = [
            AVVideoColorPropertiesKey: properties, kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_32BGRA,
        ]
        let mixed = ColorDescription(primaries: 1, transfer: 6, matrix: 6)
        #expect(fault(rgb, mixed) == nil && fault(words, mixed) != nil)
    }
}
