import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

@Suite struct PrimingTests {
    private let places = [0, 3000, 10_240, 20_001, 33_333, 47_000]

    /// The decoder's output has exactly the encoder's priming before the first audio frame.
    @Test(arguments: [8000, 32_000, 44_100, 48_000]) func priming_aac_isExact(rate: Int) throws {
        let block = SyntheticMedia.clicks(at: places, count: 48_000)
        guard case .data(let data) = block.content else {
            Issue.record("no audio")
            return
        }
        let input = AudioFormat(pcm: .s16, sampleRate: rate, channelCount: 1)
        let settings = AudioSettings(bitRate: min(256_000, 6 * rate))
        let audio = try EncodedAudio(settings, input: input, pcm: data.bytes)
        let decoded = try audio.decodedADTS()
        #expect(SyntheticMedia.clickPlaces(in: decoded) == places.map { $0 + audio.primingFrames })
        #expect(
            audio.packets[0].presentationTime == MediaTime(value: -Int64(audio.primingFrames), timescale: Int32(rate)))
        #expect(decoded.count == audio.packets.count * 1024 && decoded.count >= 48_000 + audio.primingFrames)
    }

    @Test(arguments: [AudioCodec.alac, .linearPCM]) func priming_alacAndPCM_isZero(codec: AudioCodec) throws {
        let block = SyntheticMedia.clicks(at: places, count: 48_000)
        guard case .data(let data) = block.content else {
            Issue.record("no audio")
            return
        }
        let audio = try EncodedAudio(AudioSettings(codec: codec), input: SyntheticMedia.clickFormat, pcm: data.bytes)
        #expect(audio.primingFrames == 0)
        #expect(SyntheticMedia.clickPlaces(in: try audio.decodedMovie()) == places)
    }
}
