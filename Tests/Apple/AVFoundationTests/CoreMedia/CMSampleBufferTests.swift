import Foundation
import Testing

@testable import AVFoundation

@Suite struct CMSampleBufferTests {
    private func frameBuffer() throws -> CVPixelBuffer {
        var frame: CVPixelBuffer?
        CVPixelBufferCreate(nil, 64, 48, kCVPixelFormatType_32BGRA, nil, &frame)
        return try #require(frame)
    }

    @Test func sampleBuffer_ofAnImageBuffer_keepsTimesAndMemory() throws {
        let frame = try frameBuffer()
        var format: CMVideoFormatDescription?
        CMVideoFormatDescriptionCreateForImageBuffer(
            allocator: kCFAllocatorDefault, imageBuffer: frame, formatDescriptionOut: &format)
        var timing = CMSampleTimingInfo(
            duration: CMTime(value: 1, timescale: 30), presentationTimeStamp: CMTime(value: 5, timescale: 30),
            decodeTimeStamp: .invalid)
        var sample: CMSampleBuffer?
        let status = CMSampleBufferCreateReadyWithImageBuffer(
            allocator: nil, imageBuffer: frame, formatDescription: try #require(format), sampleTiming: &timing,
            sampleBufferOut: &sample)
        let made = try #require(sample)
        #expect(status == noErr && made.presentationTimeStamp.value == 5 && made.numSamples == 1)
        #expect(CMSampleBufferGetImageBuffer(made) === frame)
        #expect(CMSampleBufferGetDataBuffer(made) == nil)
        CMSampleBufferInvalidate(made)
        #expect(!CMSampleBufferIsValid(made) && CMSampleBufferGetImageBuffer(made) == nil)
    }

    @Test func sampleBuffer_mismatchedFormat_isRefused() throws {
        var format: CMVideoFormatDescription?
        CMVideoFormatDescriptionCreate(
            allocator: nil, codecType: kCVPixelFormatType_32BGRA, width: 32, height: 32, extensions: nil,
            formatDescriptionOut: &format)
        var timing = CMSampleTimingInfo.invalid
        var sample: CMSampleBuffer?
        let status = CMSampleBufferCreateReadyWithImageBuffer(
            allocator: nil, imageBuffer: try frameBuffer(), formatDescription: try #require(format),
            sampleTiming: &timing, sampleBufferOut: &sample)
        #expect(status == kCMSampleBufferError_InvalidMediaFormat && sample == nil)
    }

    @Test func blockBuffer_copies_stayWithinBounds() throws {
        var bytes: [UInt8] = Array(0..<100)
        var block: CMBlockBuffer?
        CMBlockBufferCreateWithMemoryBlock(
            allocator: nil, memoryBlock: &bytes, blockLength: 100, blockAllocator: nil, customBlockSource: nil,
            offsetToData: 10, dataLength: 50, flags: 0, blockBufferOut: &block)
        let made = try #require(block)
        #expect(CMBlockBufferGetDataLength(made) == 50)
        #expect(try made.dataBytes().first == 10)
        var out = [UInt8](repeating: 0, count: 5)
        #expect(CMBlockBufferCopyDataBytes(made, atOffset: 45, dataLength: 5, destination: &out) == noErr)
        #expect(out == [55, 56, 57, 58, 59])
        #expect(CMBlockBufferCopyDataBytes(made, atOffset: 46, dataLength: 5, destination: &out) != noErr)
        #expect(CMBlockBufferCopyDataBytes(made, atOffset: -1, dataLength: 1, destination: &out) != noErr)
        var pointer: UnsafeMutablePointer<CChar>?
        var length = 0
        CMBlockBufferGetDataPointer(
            made, atOffset: 1, lengthAtOffsetOut: &length, totalLengthOut: nil, dataPointerOut: &pointer)
        #expect(length == 49 && pointer?.pointee == 11)
        #expect(
            CMBlockBufferGetDataPointer(
                made, atOffset: 50, lengthAtOffsetOut: nil, totalLengthOut: nil, dataPointerOut: nil) != noErr)
    }

    @Test func sampleBuffer_wrongPacketSizes_isRefused() throws {
        var bytes: [UInt8] = Array(repeating: 1, count: 10)
        var block: CMBlockBuffer?
        CMBlockBufferCreateWithMemoryBlock(
            allocator: nil, memoryBlock: &bytes, blockLength: 10, blockAllocator: nil, customBlockSource: nil,
            offsetToData: 0, dataLength: 10, flags: 0, blockBufferOut: &block)
        var format: CMFormatDescription?
        CMVideoFormatDescriptionCreate(
            allocator: nil, codecType: kCMVideoCodecType_H264, width: 64, height: 64, extensions: nil,
            formatDescriptionOut: &format)
        let timing = CMSampleTimingInfo(
            duration: .invalid, presentationTimeStamp: .zero, decodeTimeStamp: .invalid)
        let sample = try CMSampleBuffer(
            dataBuffer: block, formatDescription: format, numSamples: 2, sampleTimings: [timing], sampleSizes: [6, 5])
        #expect(throws: (any Error).self) { try sample.engineSamples() }
        #expect(throws: (any Error).self) {
            try CMSampleBuffer(
                dataBuffer: block, formatDescription: format, numSamples: 3, sampleTimings: [], sampleSizes: [1, 2])
        }
    }

    @Test func sampleBuffer_cCalls_createPackets() throws {
        let block = try CMBlockBuffer(length: 10)
        let format = try CMFormatDescription(videoCodecType: .h264, width: 64, height: 64)
        let timing = CMSampleTimingInfo(
            duration: CMTime(value: 1, timescale: 30), presentationTimeStamp: .zero, decodeTimeStamp: .invalid)
        var made: CMSampleBuffer?
        #expect(
            CMSampleBufferCreateReady(
                allocator: nil, dataBuffer: block, formatDescription: format, sampleCount: 2, sampleTimingEntryCount: 1,
                sampleTimingArray: [timing], sampleSizeEntryCount: 2, sampleSizeArray: [6, 4], sampleBufferOut: &made)
                == noErr)
        #expect(CMSampleBufferGetDataBuffer(try #require(made)) === block && made?.duration.seconds == 2.0 / 30)
        #expect(CMSampleBufferGetFormatDescription(try #require(made)) === format)
        #expect(try made?.engineSamples().map(\.presentationTime.seconds) == [0, 1.0 / 30])
        #expect(
            CMSampleBufferCreate(
                allocator: nil, dataBuffer: nil, dataReady: false, makeDataReadyCallback: nil, refcon: nil,
                formatDescription: format, sampleCount: 2, sampleTimingEntryCount: 1, sampleTimingArray: [timing],
                sampleSizeEntryCount: 3, sampleSizeArray: [1, 2, 3], sampleBufferOut: &made)
                == kCMSampleBufferError_RequiredParameterMissing)
    }

    private func yuvBuffer() throws -> CVPixelBuffer {
        var frame: CVPixelBuffer?
        CVPixelBufferCreate(nil, 64, 48, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, nil, &frame)
        return try #require(frame)
    }

    @Test func imageAttachments_areKeptPropagatedAndRemoved() throws {
        let frame = try yuvBuffer()
        CVBufferSetAttachment(
            frame, kCVImageBufferColorPrimariesKey, kCVImageBufferColorPrimaries_ITU_R_2020, .shouldPropagate)
        #expect(frame.color.primaries == 9)
        let other = try yuvBuffer()
        CVBufferPropagateAttachments(frame, other)
        #expect(other.color.primaries == 9)
        CVBufferRemoveAttachment(other, kCVImageBufferColorPrimariesKey)
        #expect(!other.color.isSpecified)
        let value = CMTimeCopyAsDictionary(CMTime(value: 1024, timescale: 44_100), allocator: nil)
        CMSetAttachment(frame, key: "word", value: value, attachmentMode: kCMAttachmentMode_ShouldNotPropagate)
        #expect(CMGetAttachment(frame, key: "word", attachmentModeOut: nil) is NSDictionary)
        CMRemoveAttachment(frame, key: "word")
        #expect(CMGetAttachment(frame, key: "word", attachmentModeOut: nil) == nil)
    }
}
