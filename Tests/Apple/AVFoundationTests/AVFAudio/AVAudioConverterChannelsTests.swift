import AVFoundation
import Foundation
import Testing

/// Tests that channels go where the formats, a map or a mix say, and never elsewhere.
@Suite struct AVAudioConverterChannelsTests {
    private func format(_ tag: AudioChannelLayoutTag) throws -> AVAudioFormat {
        AVAudioFormat(
            standardFormatWithSampleRate: 48_000, channelLayout: try #require(AVAudioChannelLayout(layoutTag: tag)))
    }

    /// Converts a frame whose channels have the values 0.1, 0.2 and so on; returns the channels times ten.
    private func channels(
        _ source: AVAudioFormat, _ target: AVAudioFormat, _ configure: (AVAudioConverter) -> Void = { _ in }
    ) throws -> [Int] {
        let input = try #require(AVAudioPCMBuffer(pcmFormat: source, frameCapacity: 1))
        input.frameLength = 1
        for channel in 0..<Int(source.channelCount) { input.floatChannelData?[channel][0] = Float(channel + 1) / 10 }
        let converter = try #require(AVAudioConverter(from: source, to: target))
        configure(converter)
        let output = try #require(AVAudioPCMBuffer(pcmFormat: target, frameCapacity: 1))
        try converter.convert(to: output, from: input)
        #expect(output.frameLength == 1)
        return (0..<Int(target.channelCount)).map { channel in
            Int((10 * AudioTone.samples(output, channel: channel)[0]).rounded())
        }
    }

    @Test func convert_sameLoudspeakers_areReordered() throws {
        // L R C LFE Ls Rs, and C L R Ls Rs LFE.
        let usual = try format(kAudioChannelLayoutTag_MPEG_5_1_A)
        let coded = try format(kAudioChannelLayoutTag_MPEG_5_1_D)
        #expect(try channels(usual, coded) == [3, 1, 2, 5, 6, 4])
        #expect(try channels(coded, usual) == [2, 3, 1, 6, 4, 5])
        #expect(try channels(usual, usual) == [1, 2, 3, 4, 5, 6])
    }

    @Test func convert_bufferInOtherOrder_isRefused() throws {
        let usual = try format(kAudioChannelLayoutTag_MPEG_5_1_A)
        let coded = try format(kAudioChannelLayoutTag_MPEG_5_1_D)
        let converter = try #require(AVAudioConverter(from: usual, to: usual))
        let output = try #require(AVAudioPCMBuffer(pcmFormat: usual, frameCapacity: 1))
        let other = try #require(AVAudioPCMBuffer(pcmFormat: coded, frameCapacity: 1))
        other.frameLength = 1
        for (target, source) in [(output, other), (other, output)] {
            let error = #expect(throws: NSError.self) { try converter.convert(to: target, from: source) }
            #expect(error?.code == Int(kAudio_ParamError))
        }
        // Channels without loudspeakers fit.
        let discrete = try #require(
            AVAudioPCMBuffer(pcmFormat: try format(kAudioChannelLayoutTag_DiscreteInOrder | 6), frameCapacity: 1))
        discrete.frameLength = 1
        try converter.convert(to: output, from: discrete)
        #expect(output.frameLength == 1)
    }

    @Test func convert_otherNumber_dropsOrSilences() throws {
        let surround = try format(kAudioChannelLayoutTag_MPEG_5_1_A)
        let (mono, stereo) = (try format(kAudioChannelLayoutTag_Mono), try format(kAudioChannelLayoutTag_Stereo))
        #expect(try channels(mono, stereo) == [1, 1])
        #expect(try channels(stereo, mono) == [1])
        #expect(try channels(surround, stereo) == [1, 2])
        #expect(try channels(stereo, surround) == [1, 2, 0, 0, 0, 0])
        let discrete = try format(kAudioChannelLayoutTag_DiscreteInOrder | 4)
        #expect(try channels(discrete, stereo) == [1, 2])
    }

    @Test func convert_channelMap_isObeyed() throws {
        let (mono, stereo) = (try format(kAudioChannelLayoutTag_Mono), try format(kAudioChannelLayoutTag_Stereo))
        #expect(try channels(stereo, stereo) { $0.channelMap = [1, 0] } == [2, 1])
        #expect(try channels(stereo, stereo) { $0.channelMap = [-1, 0] } == [0, 1])
        #expect(try channels(stereo, mono) { $0.channelMap = [1] } == [2])
        let converter = try #require(AVAudioConverter(from: mono, to: stereo))
        #expect(converter.channelMap == [0, 0])
        converter.channelMap = [0, -1]
        #expect(converter.channelMap == [0, -1] && !converter.downmix)
    }

    @Test func convert_downmix_mixesTheChannels() throws {
        let (mono, stereo) = (try format(kAudioChannelLayoutTag_Mono), try format(kAudioChannelLayoutTag_Stereo))
        // The mean of 0.1 and 0.2, in tenths.
        let mixed = try channels(stereo, mono) { $0.downmix = true }
        #expect(mixed == [1] || mixed == [2])
        let surround = try format(kAudioChannelLayoutTag_MPEG_5_1_A)
        let sides = try channels(surround, stereo) { $0.downmix = true }
        #expect(sides[0] > 1 && sides[1] >= sides[0])
    }

    @Test func convert_otherLoudspeakers_isRefusedUnlessMixed() throws {
        // L R C Cs, and L R Ls Rs.
        let four = try format(kAudioChannelLayoutTag_MPEG_4_0_A)
        let quad = try format(kAudioChannelLayoutTag_Quadraphonic)
        let error = #expect(throws: NSError.self) { try channels(four, quad) }
        #expect(error?.code == Int(kAudioFileUnsupportedDataFormatError))
        #expect(error?.localizedRecoverySuggestion?.contains("downmix") == true)
        #expect(try channels(four, quad) { $0.downmix = true }.count == 4)
        #expect(try channels(four, quad) { $0.channelMap = [0, 1, 3, 3] } == [1, 2, 4, 4])
    }
}
