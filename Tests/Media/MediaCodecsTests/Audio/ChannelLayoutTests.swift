import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

/// Tests of channel layouts: each channel has a tone of its own, and ffmpeg's output shows where it arrives.
@Suite struct ChannelLayoutTests {
    private let rate = 48_000
    private let frames = 16_000

    /// A low-frequency channel carries only low tones.
    private func frequency(_ channel: Int, of layout: ChannelLayout) -> Double {
        let isLow = layout.positions[channel] == .lowFrequency
        return isLow ? 100 : 500 + 300 * Double(channel)
    }

    private func tones(_ layout: ChannelLayout) -> [Int16] {
        let count = layout.channelCount
        var samples = [Int16](repeating: 0, count: frames * count)
        for channel in 0..<count {
            let step = 2 * Double.pi * frequency(channel, of: layout) / Double(rate)
            for frame in 0..<frames { samples[frame * count + channel] = Int16(6000 * sin(step * Double(frame))) }
        }
        return samples
    }

    /// The strength of a tone in one channel, in the middle of the audio (Goertzel's algorithm), with full scale 1.
    private func strength(_ frequency: Double, _ channel: Int, of count: Int, in samples: [Float]) -> Double {
        let coefficient = 2 * cos(2 * Double.pi * frequency / Double(rate))
        var (before, last) = (0.0, 0.0)
        let length = 4800
        for frame in 9600..<(9600 + length) {
            (before, last) = (last, Double(samples[frame * count + channel]) + coefficient * last - before)
        }
        return (last * last + before * before - coefficient * last * before).squareRoot() * 2 / Double(length)
    }

    /// Our channel whose tone is loudest in each output channel; -1 if another is within 20 dB.
    private func order(_ samples: [Float], _ layout: ChannelLayout) -> [Int] {
        let count = layout.channelCount
        return (0..<count).map { channel in
            let strengths = (0..<count).map { strength(frequency($0, of: layout), channel, of: count, in: samples) }
            guard let loudest = strengths.indices.max(by: { strengths[$0] < strengths[$1] }) else { return -1 }
            let others = strengths.indices.filter { $0 != loudest }.map { strengths[$0] }.max() ?? 0
            return strengths[loudest] > 0.1 && others * 10 < strengths[loudest] ? loudest : -1
        }
    }

    @Test(arguments: ChannelLayout.allCases, codecs)
    func encode_anyLayout_keepsEachChannelInItsPlace(layout: ChannelLayout, codec: AudioCodec) throws {
        let input = AudioFormat(
            pcm: .s16, sampleRate: rate, channelCount: layout.channelCount, layout: layout)
        var settings = AudioSettings(codec: codec)
        if codec == .aac || codec == .opus { settings.bitRate = 96_000 * layout.channelCount }
        let samples = tones(layout)
        let audio = try EncodedAudio(settings, input: input, samples)
        #expect(audio.format.channelCount == layout.channelCount)
        let decoded = try audio.decodedMovie()
        #expect(decoded.count >= frames * layout.channelCount)
        // ffmpeg returns ALAC's seven channels as 6.1(back): the surrounds before the one in the middle.
        let expected = codec == .alac && layout == .surround61 ? [0, 1, 2, 3, 5, 6, 4] : Array(0..<layout.channelCount)
        #expect(order(decoded, layout) == expected)
        guard codec == .alac else { return }
        // Reordering channels is lossless.
        let first = expected.map { Float(samples[1000 * layout.channelCount + $0]) / 32_768 }
        #expect(Array(decoded[(1000 * layout.channelCount)..<(1001 * layout.channelCount)]) == first)
    }

    private static let codecs: [AudioCodec] = [.linearPCM, .alac, .flac, .aac, .opus]

    /// Encodes a tone in each channel, and checks the audio that ffmpeg decodes from the movie.
    private func judge(_ layout: ChannelLayout, _ codec: AudioCodec) throws {
        let count = layout.channelCount
        let input = AudioFormat(pcm: .s16, sampleRate: rate, channelCount: count, layout: layout)
        let settings = AudioSettings(
            codec: codec, bitRate: codec == .aac || codec == .opus ? 96_000 * count : nil)
        guard count <= CodecChannelOrder.greatestCount(codec) else {
            let error = #expect(throws: MediaError.self) { try AudioEncoders.open(settings, input: input) }
            #expect(error?.code == .invalidSettings && error?.wayOut.contains("pcm") == true, "\(layout) \(codec)")
            return
        }
        let samples = tones(layout)
        let decoded = try EncodedAudio(settings, input: input, samples).decodedMovie()
        #expect(order(decoded, layout) == Array(0..<count), "\(layout) \(codec)")
        guard codec != .aac, codec != .opus else { return }
        let exact = decoded.prefix(samples.count).elementsEqual(samples.lazy.map { Float($0) / 32_768 })
        #expect(exact, "\(layout) \(codec)")
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16], codecs)
    func encode_discreteChannels_keepsEachInItsPlace(count: Int, codec: AudioCodec) throws {
        try judge(.discrete(count), codec)
    }

    @Test(
        arguments: [
            "2.1", "3.0(back)", "3.1", "quad", "quad(side)", "4.1", "5.0(side)", "5.1(side)", "6.0", "hexagonal", "7.0",
            "7.1(wide)", "octagonal", "FL+FR+LFE2",
        ], codecs)
    func encode_unusualLayout_keepsEachChannelInItsPlace(name: String, codec: AudioCodec) throws {
        try judge(#require(ChannelLayout(rawValue: name)), codec)
    }

    @Test(arguments: [1, 2, 3, 6, 16]) func encode_otherSampleRate_mixesNoDiscreteChannel(count: Int) throws {
        let layout = ChannelLayout.discrete(count)
        let input = AudioFormat(pcm: .s16, sampleRate: 44_100, channelCount: count, layout: layout)
        let settings = AudioSettings(codec: .linearPCM, sampleRate: rate)
        // The input's rate is lower than that of the tones, which lowers each pitch by that ratio: each still leads in
        // its own channel.
        let decoded = try EncodedAudio(settings, input: input, tones(layout)).decodedMovie()
        for channel in 0..<count {
            let tone = frequency(channel, of: layout) * 44_100 / Double(rate)
            let strengths = (0..<count).map { strength(tone, $0, of: count, in: decoded) }
            #expect(strengths.indices.max { strengths[$0] < strengths[$1] } == channel, "\(strengths)")
        }
    }

    @Test(arguments: [AudioCodec.aac, .alac, .linearPCM]) func encode_surround51AsStereo_isMixedDown(codec: AudioCodec)
        throws
    {
        let layout = ChannelLayout.surround51
        let input = AudioFormat(pcm: .s16, sampleRate: rate, channelCount: 6, layout: layout)
        let audio = try EncodedAudio(AudioSettings(codec: codec, channelCount: 2), input: input, tones(layout))
        #expect(audio.format.channelCount == 2)
        let decoded = try audio.decodedMovie()
        func strength(_ source: Int, _ side: Int) -> Double {
            self.strength(frequency(source, of: layout), side, of: 2, in: decoded)
        }
        // Left, right, center, low, left and right surround (ITU-R BS.775, annex 4: the sides stay separate).
        for (left, right) in [(0, 1), (4, 5)] {
            #expect(strength(left, 0) > 0.03 && strength(left, 1) < 0.003)
            #expect(strength(right, 1) > 0.03 && strength(right, 0) < 0.003)
        }
        #expect(strength(2, 0) > 0.03 && abs(strength(2, 0) - strength(2, 1)) < 0.005)
    }

    @Test func encode_stereoAsMono_isMixedDown() throws {
        let input = AudioFormat(pcm: .s16, sampleRate: rate, channelCount: 2)
        let settings = AudioSettings(codec: .linearPCM, channelCount: 1)
        let decoded = try EncodedAudio(settings, input: input, tones(.stereo)).decodedMovie()
        for channel in 0..<2 {
            #expect(strength(frequency(channel, of: .stereo), 0, of: 1, in: decoded) > 0.08)
        }
    }
}
