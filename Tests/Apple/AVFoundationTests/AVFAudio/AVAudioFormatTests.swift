import AVFAudio
import Foundation
import Testing

@Suite struct AVAudioFormatTests {
    @Test func format_standard_isDeinterleavedFloat() throws {
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2))
        #expect(format.isStandard && !format.isInterleaved && format.commonFormat == .pcmFormatFloat32)
        #expect(format.channelCount == 2 && format.sampleRate == 44_100 && format.channelLayout == nil)
        let stream = format.streamDescription.pointee
        #expect(stream.mFormatID == kAudioFormatLinearPCM && stream.mBytesPerFrame == 4 && stream.mBytesPerPacket == 4)
        #expect(stream.mBitsPerChannel == 32 && stream.mChannelsPerFrame == 2 && stream.mFramesPerPacket == 1)
        let flags = kAudioFormatFlagsNativeFloatPacked | kAudioFormatFlagIsNonInterleaved
        #expect(stream.mFormatFlags == flags)
        #expect(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 6) == nil)
        #expect(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 0) == nil)
        let layout = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_MPEG_5_1_A))
        let surround = AVAudioFormat(standardFormatWithSampleRate: 48_000, channelLayout: layout)
        #expect(surround.channelCount == 6 && surround.isStandard && surround.channelLayout == layout)
    }

    static let sizes: [(AVAudioCommonFormat, UInt32)] = [
        (.pcmFormatFloat32, 4), (.pcmFormatFloat64, 8), (.pcmFormatInt16, 2), (.pcmFormatInt32, 4),
    ]

    @Test(arguments: sizes)
    func format_common_hasItsSize(_ common: AVAudioCommonFormat, _ size: UInt32) throws {
        let apart = try #require(
            AVAudioFormat(commonFormat: common, sampleRate: 8000, channels: 2, interleaved: false))
        #expect(apart.commonFormat == common && apart.streamDescription.pointee.mBytesPerFrame == size)
        let woven = try #require(AVAudioFormat(commonFormat: common, sampleRate: 8000, channels: 2, interleaved: true))
        #expect(woven.isInterleaved && woven.streamDescription.pointee.mBytesPerFrame == 2 * size)
        #expect(apart != woven && woven == AVAudioFormat(streamDescription: woven.streamDescription))
        let layout = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_Quadraphonic))
        let quad = AVAudioFormat(commonFormat: common, sampleRate: 8000, interleaved: true, channelLayout: layout)
        #expect(quad.channelCount == 4 && quad.streamDescription.pointee.mBytesPerFrame == 4 * size)
        #expect(AVAudioFormat(commonFormat: .otherFormat, sampleRate: 8000, channels: 2, interleaved: true) == nil)
    }

    @Test func format_streamDescription_isKept() throws {
        var stream = AudioStreamBasicDescription(
            mSampleRate: 48_000, mFormatID: kAudioFormatMPEG4AAC, mFormatFlags: 0, mBytesPerPacket: 0,
            mFramesPerPacket: 1024, mBytesPerFrame: 0, mChannelsPerFrame: 2, mBitsPerChannel: 0, mReserved: 0)
        let format = try #require(AVAudioFormat(streamDescription: &stream))
        #expect(format.streamDescription.pointee == stream && format.commonFormat == .otherFormat)
        format.magicCookie = Data([0x11, 0x90])
        #expect(format.magicCookie == Data([0x11, 0x90]))
        stream.mChannelsPerFrame = 6
        #expect(AVAudioFormat(streamDescription: &stream) == nil)
        let layout = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_AAC_5_1))
        #expect(AVAudioFormat(streamDescription: &stream, channelLayout: layout)?.channelLayout == layout)
        let mono = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_Mono))
        #expect(AVAudioFormat(streamDescription: &stream, channelLayout: mono) == nil)
    }

    @Test func format_differencesWithoutEffect_areEqual() throws {
        func mono(_ interleaved: Bool) throws -> AVAudioFormat {
            try #require(
                AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 8000, channels: 1, interleaved: interleaved))
        }
        let (woven, apart) = (try mono(true), try mono(false))
        #expect(woven == apart && woven.hash == apart.hash)
        // 16 bits in two bytes are packed and aligned, whatever the flags are.
        var stream = woven.streamDescription.pointee
        stream.mFormatFlags = kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsAlignedHigh
        let unmarked = try #require(AVAudioFormat(streamDescription: &stream))
        #expect(unmarked == woven && unmarked.hash == woven.hash)
        // With padding, the alignment matters.
        (stream.mBytesPerFrame, stream.mBytesPerPacket) = (4, 4)
        let high = try #require(AVAudioFormat(streamDescription: &stream))
        stream.mFormatFlags = kAudioFormatFlagIsSignedInteger
        let low = try #require(AVAudioFormat(streamDescription: &stream))
        #expect(high != low && low != woven)
        let stereo = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_Stereo))
        let headphones = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_StereoHeadphones))
        let plain = try #require(AVAudioFormat(standardFormatWithSampleRate: 8000, channels: 2))
        #expect(AVAudioFormat(standardFormatWithSampleRate: 8000, channelLayout: stereo) == plain)
        #expect(AVAudioFormat(standardFormatWithSampleRate: 8000, channelLayout: headphones) != plain)
    }

    @Test func commonFormat_absurdNumbers_isOther() throws {
        let layout = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_DiscreteInOrder | 0xFFFF))
        var stream = AudioStreamBasicDescription(
            mSampleRate: 48_000, mFormatID: kAudioFormatLinearPCM, mFormatFlags: kAudioFormatFlagIsSignedInteger,
            mBytesPerPacket: .max, mFramesPerPacket: 1, mBytesPerFrame: .max, mChannelsPerFrame: 0xFFFF,
            mBitsPerChannel: .max, mReserved: 0)
        let format = try #require(AVAudioFormat(streamDescription: &stream, channelLayout: layout))
        #expect(format.commonFormat == .otherFormat && !format.isStandard)
        #expect(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 1) == nil)
    }

    @Test func format_settings_makeTheSameFormat() throws {
        let layout = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_MPEG_5_1_A))
        let formats = [
            try #require(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 1)),
            try #require(
                AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 16_000, channels: 2, interleaved: true)),
            AVAudioFormat(standardFormatWithSampleRate: 48_000, channelLayout: layout),
        ]
        for format in formats { #expect(AVAudioFormat(settings: format.settings) == format) }
        let aac = try #require(
            AVAudioFormat(settings: [
                AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 44_100.0, AVNumberOfChannelsKey: 2,
            ]))
        #expect(aac.streamDescription.pointee.mFormatID == kAudioFormatMPEG4AAC && aac.sampleRate == 44_100)
        #expect(AVAudioFormat(settings: [AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 44_100.0]) == nil)
        #expect(AVAudioFormat(settings: formats[0].settings.merging([AVSampleRateKey: -1]) { $1 }) == nil)
        #expect(
            AVAudioFormat(settings: formats[0].settings.merging([AVChannelLayoutKey: Data([1])]) { $1 }) == nil)
    }

    @Test func format_ofCoreMedia_isConvertedBothWays() throws {
        let format = try #require(
            AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 22_050, channels: 2, interleaved: true))
        let description = format.formatDescription
        #expect(CMFormatDescriptionGetMediaSubType(description) == kAudioFormatLinearPCM)
        #expect(description.audioStreamBasicDescription == format.streamDescription.pointee)
        #expect(AVAudioFormat(cmAudioFormatDescription: description) == format)
        #expect(format.description.contains("22050"))
    }
}
