import MediaTypes
import Testing

@testable import MovieCommands

struct AudioLossTests {
    private func source(_ channels: Int, _ layout: ChannelLayout? = nil) -> AudioFormat {
        AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: channels, layout: layout)
    }

    @Test func lines_mixedToALowFrequencyChannel_nameItsLoss() {
        let lines = AudioLoss.lines(AudioSettings(channelCount: 6), [source(8, .surround71)])
        #expect(lines.count == 1 && lines.first?.hasPrefix("the low-frequency channel") == true, "\(lines)")
    }

    @Test func lines_mixedMicrophones_nameTheUnusualConfiguration() {
        let lines = AudioLoss.lines(AudioSettings(channelCount: 6), [source(16), source(12)])
        #expect(lines.count == 1 && lines.first?.contains("6 discrete") == true, "\(lines)")
    }

    @Test(arguments: [AudioCodec.aac, .alac, .flac, .opus, .linearPCM])
    func lines_stereo_areEmpty(codec: AudioCodec) {
        #expect(AudioLoss.lines(AudioSettings(codec: codec), [source(2)]) == [])
    }

    @Test(
        arguments: [
            (.s24, .alac, nil), (.s16, .flac, nil), (.s32, .linearPCM, nil), (.float32, .aac, nil),
            (.s32, .flac, "32-bit integer samples: flac stores 24 bits"),
            (.float32, .alac, "32-bit floating-point samples: alac stores 24 bits"),
        ] as [(PCMSampleFormat, AudioCodec, String?)])
    func lines_sampleFormats_nameLostBits(pcm: PCMSampleFormat, codec: AudioCodec, line: String?) {
        let format = AudioFormat(pcm: pcm, sampleRate: 48_000, channelCount: 2)
        let lines = AudioLoss.lines(AudioSettings(codec: codec), [format])
        #expect(lines == (line.map { [$0 + "; --audio-codec pcm keeps them"] } ?? []))
    }

    @Test func lines_chosenSampleFormat_namesLostBits() {
        let format = AudioFormat(pcm: .s24, sampleRate: 48_000, channelCount: 2)
        let lines = AudioLoss.lines(AudioSettings(codec: .linearPCM, pcm: .s16), [format])
        #expect(lines == ["24-bit integer samples: pcm stores 16 bits"])
    }

    @Test(
        arguments: [
            (192_000, .aac, "the sample rate of 192 kHz: aac is stored at 96 kHz; use --audio-codec alac, flac or pcm"),
            (96_000, .opus, "the sample rate of 96 kHz: opus is stored at 48 kHz; use --audio-codec alac, flac or pcm"),
            (768_000, .linearPCM, "the sample rate of 768 kHz: pcm is stored at 192 kHz"),
            (44_100, .opus, nil), (192_000, .flac, nil), (37_000, .aac, nil),
        ] as [(Int, AudioCodec, String?)])
    func lines_sampleRates_nameLowerOnes(rate: Int, codec: AudioCodec, line: String?) {
        let format = AudioFormat(pcm: .s16, sampleRate: rate, channelCount: 2)
        let lines = AudioLoss.lines(AudioSettings(codec: codec), [format])
        #expect(lines.count == (line == nil ? 0 : 1) && lines.first?.hasPrefix(line ?? "") ?? true, "\(lines)")
    }

    @Test(
        arguments: [
            (2_000_000, .aac, "aac has at most 576,000 bit/s with stereo at 48 kHz"),
            (1000, .aac, "aac has at least 16,000 bit/s with stereo at 48 kHz"),
            (3_000_000, .opus, "opus has at most 512,000 bit/s with stereo at 48 kHz"), (128_000, .aac, nil),
        ] as [(Int, AudioCodec, String?)])
    func lines_bitRates_nameThoseThatAreReplaced(bits: Int, codec: AudioCodec, line: String?) {
        let lines = AudioLoss.lines(AudioSettings(codec: codec, bitRate: bits), [source(2)])
        #expect(lines.count == (line == nil ? 0 : 1) && lines.first?.hasSuffix(line ?? "") ?? true, "\(lines)")
    }
}
