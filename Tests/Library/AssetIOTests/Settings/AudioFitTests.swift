import MediaTypes
import Testing

@testable import AssetIO

@Suite struct AudioFitTests {
    private func source(_ channels: Int, _ layout: ChannelLayout? = nil) -> AudioFormat {
        AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: channels, layout: layout)
    }

    /// In 5.1 and 7.1, the fourth channel would lose the voices that are mixed into it.
    @Test(arguments: [3, 4, 6, 8, 12], [nil, .discrete(16)] as [ChannelLayout?])
    func settings_channelsWithoutLoudspeakers_getNone(channels: Int, layout: ChannelLayout?) {
        let fitted = AudioFit.settings(AudioSettings(channelCount: channels), source: source(16, layout))
        #expect(fitted.layout == .discrete(channels) && fitted.channelCount == channels)
    }

    @Test func settings_channelsWithoutLoudspeakers_becomeMonoOrStereo() {
        #expect(AudioFit.settings(AudioSettings(channelCount: 1), source: source(16)).layout == .mono)
        #expect(AudioFit.settings(AudioSettings(channelCount: 2), source: source(16)).layout == .stereo)
    }

    @Test(arguments: [(2, nil), (1, nil), (8, .surround71)] as [(Int, ChannelLayout?)])
    func settings_loudspeakers_getTheUsualOnes(channels: Int, layout: ChannelLayout?) {
        let fitted = AudioFit.settings(AudioSettings(channelCount: 6), source: source(channels, layout))
        #expect(fitted.layout == .surround51)
    }
}
