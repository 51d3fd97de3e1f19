import CALSA
import MediaTypes
import Testing

@testable import Capture

@Suite struct ChannelMapTests {
    private func map(_ positions: [snd_pcm_chmap_position]) -> ChannelMap { ChannelMap(positions.map(\.rawValue)) }

    @Test func channelMap_surround_isReportedButRecordedAsDiscrete() {
        let surround = map([
            SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_RL, SND_CHMAP_RR, SND_CHMAP_FC, SND_CHMAP_LFE,
        ])
        #expect(surround.layout == .discrete(6))
        #expect(surround.text == "FL FR RL RR FC LFE")
    }

    @Test func channelMap_reversedPair_staysReversed() {
        let reversed = map([SND_CHMAP_FR, SND_CHMAP_FL])
        #expect(reversed.layout == ChannelLayout([.frontRight, .frontLeft]))
        #expect(reversed.text == "FR FL")
    }

    @Test func channelMap_reversedPair_isStoredWithLeftFirst() throws {
        let layout = try #require(map([SND_CHMAP_FR, SND_CHMAP_FL]).layout)
        let source = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2, layout: layout)
        let target = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2)
        #expect(ChannelRoute(from: source, to: target) == .each([1, 0]))
    }

    @Test func channelMap_stereo_isAsWithoutAMap() {
        let stereo = map([SND_CHMAP_FL, SND_CHMAP_FR])
        #expect(stereo.layout == nil)
        #expect(stereo.text == nil)
    }

    @Test func channelMap_mono_isAsWithoutAMap() {
        #expect(map([SND_CHMAP_MONO]).layout == nil)
        #expect(map([SND_CHMAP_MONO]).text == nil)
    }

    @Test(arguments: [2, 4]) func channelMap_unknown_isAsWithoutAMap(count: Int) {
        let unknown = map(Array(repeating: SND_CHMAP_UNKNOWN, count: count))
        #expect(unknown.layout == (count > 2 ? .discrete(count) : nil))
        #expect(unknown.text == nil)
    }

    @Test func channelMap_flagsAndUnknownNumbers_areNoNames() {
        let inverse = SND_CHMAP_FR.rawValue | 1 << 16
        #expect(ChannelMap([inverse, SND_CHMAP_FL.rawValue]).text == "FR FL")
        #expect(ChannelMap([SND_CHMAP_FL.rawValue, 9_000]).text == "FL 9000")
    }
}
