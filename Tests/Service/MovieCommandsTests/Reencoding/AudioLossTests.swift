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
}
