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

    @Test(
        arguments: [
            (.s8, .s16), (.s16, .s16), (.s24, .s24), (.s32, .s32), (.float32, .float32), (.float64, .float64),
        ] as [(PCMSampleFormat, PCMSampleFormat)])
    func settings_PCMOfPCM_keepsEveryBit(source: PCMSampleFormat, stored: PCMSampleFormat) {
        let format = AudioFormat(pcm: source, sampleRate: 48_000, channelCount: 2)
        let fitted = AudioFit.settings(AudioSettings(codec: .linearPCM), source: format)
        #expect(fitted.pcm == stored && AudioFit.sampleFormat(for: fitted, source: format) == stored)
        let chosen = AudioFit.settings(AudioSettings(codec: .linearPCM, pcm: .s16), source: format)
        #expect(chosen.pcm == .s16)
        #expect(AudioFit.settings(AudioSettings(codec: .alac), source: format).pcm == nil)
    }

    /// The encoder converts them, and counts the values that no integer can represent.
    @Test(arguments: [PCMSampleFormat.float32, .float64])
    func sampleFormat_floatingPointToIntegers_isTheSource(source: PCMSampleFormat) {
        let format = AudioFormat(pcm: source, sampleRate: 48_000, channelCount: 2)
        let settings = AudioSettings(codec: .linearPCM, pcm: .s16)
        #expect(AudioFit.sampleFormat(for: settings, source: format) == source)
    }

    /// The bit depths of the magic cookie of ALAC, bare and in its atom, and of the STREAMINFO of FLAC.
    @Test(arguments: [(16, .s16), (20, .s24), (24, .s24), (32, .s32)] as [(Int, PCMSampleFormat)])
    func settings_PCMOfLosslessCodecs_keepsEveryBit(depth: Int, stored: PCMSampleFormat) {
        let cookie: [UInt8] = [0, 0, 16, 0, 0, UInt8(depth)] + [UInt8](repeating: 0, count: 18)
        let atom: [UInt8] = [0, 0, 0, 36] + Array("alac".utf8) + [0, 0, 0, 0] + cookie
        var streamInfo = [UInt8](repeating: 0, count: 34)
        streamInfo[12] = 0xF2 | UInt8((depth - 1) >> 4)
        streamInfo[13] = UInt8((depth - 1) & 15) << 4 | 0xF
        for (codec, bytes) in [(AudioCodec.alac, cookie), (.alac, atom), (.flac, streamInfo)] {
            let format = AudioFormat(codec: codec, sampleRate: 48_000, channelCount: 2, decoderConfiguration: bytes)
            #expect(AudioFit.settings(AudioSettings(codec: .linearPCM), source: format).pcm == stored, "\(codec)")
        }
    }

    @Test func settings_PCMOfALossyCodec_has16Bits() {
        let format = AudioFormat(codec: .aac, sampleRate: 48_000, channelCount: 2)
        #expect(AudioFit.settings(AudioSettings(codec: .linearPCM), source: format).pcm == .s16)
    }
}
