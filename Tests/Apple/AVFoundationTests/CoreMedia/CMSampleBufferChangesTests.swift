import Foundation
import MediaTypes
import Testing

@testable import AVFoundation

/// Tests of programs that change a reader's or a camera's sample buffer before they append it to a writer.
@Suite struct CMSampleBufferChangesTests {
    private let time = MediaTime(value: 5, timescale: 30)

    /// Two audio frames of two channels.
    private func audio() -> CMSampleBuffer {
        let format = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2)
        return CMSampleBuffer(
            SampleBuffer(pcm: MediaData([1, 2, 3, 4, 5, 6, 7, 8]), format: format, presentationTime: time))
    }

    private func packet(isKeyframe: Bool = true) -> CMSampleBuffer {
        CMSampleBuffer(
            SampleBuffer(
                format: .video(VideoFormat(codec: .h264, width: 64, height: 48)), content: .data(MediaData([1, 2, 3])),
                presentationTime: time, decodeTime: MediaTime(value: 4, timescale: 30),
                duration: MediaTime(value: 1, timescale: 30), isKeyframe: isKeyframe))
    }

    private func frame() throws -> CMSampleBuffer {
        let layout = PixelLayout(format: .bgra, width: 16, height: 8)
        let data = MediaData([UInt8](repeating: 0, count: layout.byteCount))
        return CMSampleBuffer(
            SampleBuffer(pixels: PixelBuffer(layout: layout, color: .hlg, data: data), presentationTime: time))
    }

    private func appended(_ buffer: CMSampleBuffer) throws -> SampleBuffer {
        let samples = try buffer.engineSamples()
        #expect(samples.count == 1)
        return try #require(samples.first)
    }

    private func bytes(_ sample: SampleBuffer) -> [UInt8] {
        if case .data(let data) = sample.content { Array(data.bytes) } else { [] }
    }

    @Test func readAudio_filledByTheProgram_isAppendedAsFilled() throws {
        let buffer = audio()
        try buffer.dataBuffer?.fillDataBytes(with: 0)
        let sample = try appended(buffer)
        #expect(bytes(sample) == [UInt8](repeating: 0, count: 8) && sample.sampleCount == 2)
        #expect(sample.presentationTime == time && sample.duration == MediaTime(value: 2, timescale: 48_000))
    }

    @Test func readAudio_replacedBytesThenPointer_bothAreAppended() throws {
        let buffer = audio()
        try [UInt8(9), 0].withUnsafeBytes { try buffer.dataBuffer?[2..<4].replaceDataBytes(with: $0) }
        try buffer.withAudioBufferList { list, _ in list[0].mData?.storeBytes(of: 7, as: UInt8.self) }
        #expect(bytes(try appended(buffer)) == [7, 2, 9, 0, 5, 6, 7, 8])
    }

    @Test func readAudio_appendedTo_lastsLonger() throws {
        let buffer = audio()
        let more = try CMBlockBuffer(length: 4)
        try more.fillDataBytes(with: 1)
        CMBlockBufferAppendBufferReference(
            try #require(buffer.dataBuffer), targetBBuf: more, offsetToData: 0, dataLength: 0, flags: 0)
        let sample = try appended(buffer)
        #expect(sample.sampleCount == 3 && sample.duration == MediaTime(value: 3, timescale: 48_000))
    }

    @Test func readPacket_changedBytes_keepsTimes() throws {
        let buffer = packet(isKeyframe: false)
        try buffer.dataBuffer?.fillDataBytes(with: 8)
        let sample = try appended(buffer)
        #expect(bytes(sample) == [8, 8, 8] && !sample.isKeyframe && sample.presentationTime == time)
        #expect(sample.decodeTime == MediaTime(value: 4, timescale: 30))
    }

    @Test func readPacket_changedSyncAttachment_isAppendedWithIt() throws {
        let key = packet()
        key.sampleAttachments[0][.notSync] = true
        #expect(try !appended(key).isKeyframe)
        let dependent = packet(isKeyframe: false)
        #expect(try !appended(dependent).isKeyframe)
        dependent.sampleAttachments[0][.notSync] = false
        #expect(try appended(dependent).isKeyframe)
    }

    @Test func readFrame_changedColor_isAppendedWithIt() throws {
        let buffer = try frame()
        let image = try #require(buffer.imageBuffer)
        CVBufferSetAttachment(
            image, kCVImageBufferTransferFunctionKey, kCVImageBufferTransferFunction_ITU_R_709_2, .shouldPropagate)
        let sample = try appended(buffer)
        guard case .pixels(let pixels) = sample.content else {
            Issue.record("not a frame")
            return
        }
        #expect(pixels.color.transfer == 1 && pixels.color.primaries == 9 && sample.format.video?.color == pixels.color)
    }

    @Test func copyWithNewTiming_ofChangedAudio_keepsTheChange() throws {
        let buffer = audio()
        let timing = CMSampleTimingInfo(
            duration: .invalid, presentationTimeStamp: CMTime(value: 9, timescale: 30), decodeTimeStamp: .invalid)
        let early = try CMSampleBuffer(copying: buffer, withNewTiming: [timing])
        try buffer.dataBuffer?.fillDataBytes(with: 3)
        let late = try CMSampleBuffer(copying: buffer, withNewTiming: [timing])
        // The copies share the data of the original.
        for copy in [early, late] {
            let sample = try appended(copy)
            #expect(bytes(sample) == [UInt8](repeating: 3, count: 8) && sample.presentationTime.seconds == 0.3)
        }
    }

    @Test func readSample_onlyLookedAt_isAppendedWithoutACopy() throws {
        let data = MediaData([1, 2, 3])
        let buffer = CMSampleBuffer(
            SampleBuffer(
                format: .video(VideoFormat(codec: .h264, width: 64, height: 48)), content: .data(data),
                presentationTime: time))
        #expect(try buffer.dataBuffer?.dataBytes() == Data([1, 2, 3]))
        guard case .data(let appended) = try appended(buffer).content else {
            Issue.record("not a packet")
            return
        }
        #expect(appended === data)
    }
}
