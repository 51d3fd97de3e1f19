import Testing

@testable import AVFoundation

/// Tests that Core Audio's structures have Apple's memory layout, because programs copy their bytes.
@Suite struct AudioStructuresTests {
    @Test func audioStructures_sizesAndOffsets_matchApple() {
        #expect(MemoryLayout<AudioStreamBasicDescription>.size == 40)
        #expect(MemoryLayout<AudioStreamBasicDescription>.offset(of: \.mBitsPerChannel) == 32)
        #expect(MemoryLayout<AudioStreamPacketDescription>.size == 16)
        #expect(MemoryLayout<AudioChannelDescription>.stride == 20)
        #expect(MemoryLayout<AudioChannelLayout>.size == 32)
        #expect(MemoryLayout<AudioChannelLayout>.offset(of: \.mChannelDescriptions) == 12)
        #expect(MemoryLayout<AudioBuffer>.stride == 16)
        #expect(MemoryLayout<AudioBufferList>.size == 24)
        #expect(AudioBufferList.sizeInBytes(maximumBuffers: 3) == 56)
    }

    @Test func bufferList_returnsEachBuffer() {
        let list = AudioBufferList.allocate(maximumBuffers: 2)
        defer { free(list.unsafeMutablePointer) }
        var samples: [Float] = [1, 2, 3]
        samples.withUnsafeMutableBufferPointer { samples in
            list[1] = AudioBuffer(samples, numberOfChannels: 1)
            #expect(list.map(\.mDataByteSize) == [0, 12])
            #expect(Array(UnsafeBufferPointer<Float>(list[1])) == [1, 2, 3])
        }
        let missing = AudioBuffer(mNumberChannels: 1, mDataByteSize: 12, mData: nil)
        #expect(UnsafeBufferPointer<Float>(missing).isEmpty)
    }

    @Test func layoutTag_returnsItsChannelCount() {
        #expect(AudioChannelLayoutTag_GetNumberOfChannels(kAudioChannelLayoutTag_MPEG_5_1_A) == 6)
        #expect(kAudioChannelLayoutTag_Stereo == 6_619_138)
        #expect(kAudioChannelLayoutTag_AAC_5_1 == kAudioChannelLayoutTag_MPEG_5_1_D)
    }

    @Test func managedLayout_tagBitmapOrDescriptions_countsItsChannels() {
        #expect(ManagedAudioChannelLayout(tag: kAudioChannelLayoutTag_MPEG_5_1_A).numberOfChannels == 6)
        var layout = AudioChannelLayout()
        layout.mChannelLayoutTag = kAudioChannelLayoutTag_UseChannelBitmap
        layout.mChannelBitmap = [.bit_Left, .bit_Right, .bit_Center]
        #expect(ManagedAudioChannelLayout(audioChannelLayoutPointer: &layout).numberOfChannels == 3)
        // A description is a label, flags and three coordinates.
        let labels: [UInt32] = [1, 2, 5, 6]
        let words: [UInt32] =
            [kAudioChannelLayoutTag_UseChannelDescriptions, 0, 4] + labels.flatMap { [$0, 0, 0, 0, 0] }
        let described = words.withUnsafeBytes { bytes in
            bytes.baseAddress.map { start in
                ManagedAudioChannelLayout(
                    audioChannelLayoutPointer: start.assumingMemoryBound(to: AudioChannelLayout.self))
            }
        }
        #expect(described?.numberOfChannels == 4 && described?.tag == words[0])
        let last = described?.withUnsafePointer { layout in
            UnsafeRawPointer(layout).load(fromByteOffset: 12 + 3 * 20, as: UInt32.self)
        }
        #expect(last == 6)
    }

    @Test func channelLayout_writtenAndRead_isUnchanged() {
        for layout in ChannelLayoutsKnown.all {
            let bytes = AudioChannelLayout(layout).bytes
            #expect(bytes.count == 32)
            #expect(ChannelLayoutsKnown.read(bytes) == layout, "\(layout)")
        }
    }

    @Test func channelLayout_descriptionsOrBitmap_areRead() {
        var bytes = Data()
        func append(_ words: UInt32...) {
            for word in words { withUnsafeBytes(of: word) { bytes.append(contentsOf: $0) } }
        }
        append(kAudioChannelLayoutTag_UseChannelDescriptions, 0, 2)
        append(kAudioChannelLabel_Left, 0, 0, 0, 0)
        append(kAudioChannelLabel_Right, 0, 0, 0, 0)
        #expect(ChannelLayoutsKnown.read(bytes) == .stereo)
        #expect(ChannelLayoutsKnown.read(bytes.dropLast(4)) == nil)
        #expect(ChannelLayoutsKnown.read(Data([1, 2, 3])) == nil)
        let bitmap: [UInt32] = [kAudioChannelLayoutTag_UseChannelBitmap, 0x3F, 0]
        #expect(ChannelLayoutsKnown.read(bitmap.withUnsafeBytes { Data($0) }) == .surround51)
    }

    @Test func channelLayout_aacOrder_isRefusedForPCM() {
        var layout = AudioChannelLayout()
        layout.mChannelLayoutTag = kAudioChannelLayoutTag_AAC_5_1
        #expect(ChannelLayoutsKnown.read(layout.bytes, isPCM: false) == .surround51)
        #expect(ChannelLayoutsKnown.read(layout.bytes, isPCM: true) == nil)
    }
}
