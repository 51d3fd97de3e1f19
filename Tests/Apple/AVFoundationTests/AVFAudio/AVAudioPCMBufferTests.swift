import AVFAudio
import Foundation
import Testing

@Suite struct AVAudioPCMBufferTests {
    private func format(
        _ common: AVAudioCommonFormat = .pcmFormatFloat32, channels: UInt32 = 2, interleaved: Bool = false
    ) throws -> AVAudioFormat {
        try #require(
            AVAudioFormat(commonFormat: common, sampleRate: 48_000, channels: channels, interleaved: interleaved))
    }

    @Test func buffer_channelData_isApartOrInterleaved() throws {
        let apart = try #require(AVAudioPCMBuffer(pcmFormat: try format(), frameCapacity: 4))
        #expect(apart.frameCapacity == 4 && apart.frameLength == 0 && apart.stride == 1)
        apart.frameLength = 3
        let floats = try #require(apart.floatChannelData)
        for channel in 0..<2 { for frame in 0..<3 { floats[channel][frame] = Float(10 * channel + frame) } }
        let list = UnsafeMutableAudioBufferListPointer(apart.mutableAudioBufferList)
        #expect(list.count == 2 && list[0].mDataByteSize == 12 && list[1].mNumberChannels == 1)
        #expect(Array(UnsafeBufferPointer<Float>(list[1])) == [10, 11, 12])
        #expect(apart.audioBufferList.pointee.mNumberBuffers == 2)
        #expect(apart.int16ChannelData == nil && apart.int32ChannelData == nil)

        let woven = try #require(
            AVAudioPCMBuffer(pcmFormat: try format(.pcmFormatInt16, interleaved: true), frameCapacity: 3))
        woven.frameLength = 3
        let shorts = try #require(woven.int16ChannelData)
        #expect(woven.stride == 2 && woven.floatChannelData == nil)
        for frame in 0..<3 {
            shorts[0][frame * woven.stride] = Int16(frame)
            shorts[1][frame * woven.stride] = Int16(-frame)
        }
        let samples = UnsafeBufferPointer<Int16>(UnsafeMutableAudioBufferListPointer(woven.mutableAudioBufferList)[0])
        #expect(Array(samples) == [0, 0, 1, -1, 2, -2])
        let ints = try #require(AVAudioPCMBuffer(pcmFormat: try format(.pcmFormatInt32), frameCapacity: 1))
        #expect(ints.int32ChannelData?[1][0] == 0)
    }

    @Test func buffer_tooLong_isLimited() throws {
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: try format(), frameCapacity: 10))
        buffer.frameLength = 11
        #expect(buffer.frameLength == 10)
        let wide = try format(.pcmFormatFloat64, interleaved: true)
        #expect(AVAudioPCMBuffer(pcmFormat: wide, frameCapacity: .max) == nil)
        var stream = wide.streamDescription.pointee
        stream.mBytesPerFrame = .max
        let endless = try #require(AVAudioFormat(streamDescription: &stream))
        #expect(AVAudioPCMBuffer(pcmFormat: endless, frameCapacity: .max) == nil)
        let aac = try #require(
            AVAudioFormat(settings: [
                AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 2,
            ]))
        #expect(AVAudioPCMBuffer(pcmFormat: aac, frameCapacity: 10) == nil)
    }

    @Test func buffer_copy_hasItsOwnMemory() throws {
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: try format(channels: 1), frameCapacity: 2))
        buffer.frameLength = 2
        buffer.floatChannelData?[0][1] = 0.5
        let copy = try #require(buffer.copy() as? AVAudioPCMBuffer)
        buffer.floatChannelData?[0][1] = 1
        #expect(copy.frameLength == 2 && copy.floatChannelData?[0][1] == 0.5 && copy.format == buffer.format)
        #expect(buffer.mutableCopy() is AVAudioPCMBuffer)
    }

    @Test func buffer_changedList_keepsItsMemory() throws {
        var other: [Float] = [1, 2]
        try other.withUnsafeMutableBufferPointer { other in
            let buffer = try #require(AVAudioPCMBuffer(pcmFormat: try format(), frameCapacity: 2))
            let list = UnsafeMutableAudioBufferListPointer(buffer.mutableAudioBufferList)
            list[0].mDataByteSize = 1 << 20
            #expect(buffer.frameLength == 2)
            let copy = try #require(buffer.copy() as? AVAudioPCMBuffer)
            #expect(copy.frameLength == 2)
            // Released with the buffer: its own memory, not that of the caller.
            list[0].mData = UnsafeMutableRawPointer(other.baseAddress)
        }
        #expect(other == [1, 2])
    }

    private final class Counter { var count = 0 }

    @Test func buffer_noCopy_usesTheCallersMemory() throws {
        var samples: [Float] = [1, 2, 3, 4]
        let released = Counter()
        try samples.withUnsafeMutableBufferPointer { samples in
            var list = AudioBufferList(mNumberBuffers: 1, mBuffers: AudioBuffer(samples, numberOfChannels: 2))
            let format = try format(interleaved: true)
            do {
                let buffer = try #require(
                    AVAudioPCMBuffer(pcmFormat: format, bufferListNoCopy: &list) { _ in released.count += 1 })
                #expect(buffer.frameCapacity == 2 && buffer.frameLength == 2)
                buffer.floatChannelData?[1][0] = 9
            }
            list.mNumberBuffers = 0
            #expect(AVAudioPCMBuffer(pcmFormat: format, bufferListNoCopy: &list) == nil)
        }
        #expect(samples == [1, 9, 3, 4] && released.count == 1)
    }

    @Test func compressedBuffer_packets_areDescribed() throws {
        let aac = try #require(
            AVAudioFormat(settings: [
                AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 2,
            ]))
        let buffer = AVAudioCompressedBuffer(format: aac, packetCapacity: 3, maximumPacketSize: 100)
        #expect(buffer.packetCapacity == 3 && buffer.maximumPacketSize == 100 && buffer.byteCapacity == 300)
        #expect(buffer.packetCount == 0 && buffer.byteLength == 0)
        buffer.data.copyMemory(from: [1, 2, 3] as [UInt8], byteCount: 3)
        buffer.packetDescriptions?[0] = AudioStreamPacketDescription(
            mStartOffset: 0, mVariableFramesInPacket: 0, mDataByteSize: 3)
        (buffer.byteLength, buffer.packetCount) = (3, 1)
        let copy = try #require(buffer.copy() as? AVAudioCompressedBuffer)
        #expect(copy.packetCount == 1 && copy.byteLength == 3 && copy.packetDescriptions?[0].mDataByteSize == 3)
        (buffer.byteLength, buffer.packetCount) = (999, 999)
        #expect(buffer.byteLength == 300 && buffer.packetCount == 3)
        #expect(buffer.audioBufferList.pointee.mBuffers.mData == buffer.data)
        let pcm = AVAudioCompressedBuffer(format: try format(interleaved: true), packetCapacity: 2)
        #expect(pcm.packetDescriptions == nil && pcm.byteCapacity == 16)
    }
}
