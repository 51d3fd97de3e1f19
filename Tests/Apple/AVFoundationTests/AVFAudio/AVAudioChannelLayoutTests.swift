import AVFAudio
import Foundation
import Testing

@Suite struct AVAudioChannelLayoutTests {
    @Test func layout_tag_statesItsChannels() throws {
        let layout = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_MPEG_5_1_A))
        #expect(layout.layoutTag == kAudioChannelLayoutTag_MPEG_5_1_A && layout.channelCount == 6)
        #expect(layout == AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_MPEG_5_1_A))
        #expect(layout != AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_MPEG_5_1_B))
        #expect(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_UseChannelBitmap) == nil)
        #expect(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_UseChannelDescriptions) == nil)
    }

    @Test func layout_bitmapAndDescriptions_areCopied() {
        var bitmap = AudioChannelLayout()
        bitmap.mChannelLayoutTag = kAudioChannelLayoutTag_UseChannelBitmap
        bitmap.mChannelBitmap = [.bit_Left, .bit_Right, .bit_Center]
        #expect(AVAudioChannelLayout(layout: &bitmap).channelCount == 3)
        let size = AudioChannelLayout.sizeInBytes(maximumDescriptions: 2)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
        defer { memory.deallocate() }
        memory.copyMemory(from: [UInt8](repeating: 0, count: size), byteCount: size)
        let pointer = memory.assumingMemoryBound(to: AudioChannelLayout.self)
        pointer.pointee.mNumberChannelDescriptions = 2
        memory.storeBytes(of: kAudioChannelLabel_Right, toByteOffset: 12, as: UInt32.self)
        memory.storeBytes(of: kAudioChannelLabel_Left, toByteOffset: 32, as: UInt32.self)
        let described = AVAudioChannelLayout(layout: pointer)
        #expect(described.channelCount == 2 && described.layoutTag == kAudioChannelLayoutTag_UseChannelDescriptions)
        #expect(described.layout.pointee.mChannelDescriptions.mChannelLabel == kAudioChannelLabel_Right)
        let second = UnsafeRawPointer(described.layout).load(fromByteOffset: 32, as: UInt32.self)
        #expect(second == kAudioChannelLabel_Left)
    }
}
