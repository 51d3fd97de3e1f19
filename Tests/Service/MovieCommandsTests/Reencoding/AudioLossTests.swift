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
}
