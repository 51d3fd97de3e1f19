import Foundation
import MediaTypes
import Testing

@Suite struct ChannelLayoutNameTests {
    @Test(arguments: [
        "mono", "stereo", "2.1", "3.0", "4.0", "quad", "5.1", "5.1(side)", "6.1(back)", "7.1", "octagonal",
        "6 discrete",
        "16 discrete", "FL+FR+LFE2", "FC+FL+FR", "FL+discrete",
    ])
    func rawValue_readBack_givesTheSameLayout(name: String) throws {
        let layout = try #require(ChannelLayout(rawValue: name))
        #expect(layout.rawValue == name)
        let coded = try JSONEncoder().encode([layout])
        #expect(try JSONDecoder().decode([ChannelLayout].self, from: coded) == [layout])
    }

    @Test(arguments: ["", "9.9", "FL+", "FL+XX", "0 discrete", "65 discrete", "x discrete"])
    func rawValue_unknown_isRefused(name: String) {
        #expect(ChannelLayout(rawValue: name) == nil)
    }

    private func route(_ from: ChannelLayout?, _ to: ChannelLayout?, _ counts: (Int, Int)? = nil) -> ChannelRoute {
        ChannelRoute(
            from: AudioFormat(
                pcm: .s16, sampleRate: 48_000, channelCount: counts?.0 ?? from?.channelCount ?? 0, layout: from),
            to: AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: counts?.1 ?? to?.channelCount ?? 0, layout: to)
        )
    }

    @Test(arguments: 1...16) func route_sameCountWithoutLoudspeakers_keepsEachChannel(count: Int) {
        #expect(route(nil, nil, (count, count)) == .each([]))
        #expect(route(.discrete(count), nil, (count, count)) == .each([]))
        #expect(route(.discrete(count), .discrete(count)) == .each([]))
        if count <= 8 {
            #expect(route(.discrete(count), ChannelLayout.allCases[count - 1]) == .each([]))
            #expect(route(ChannelLayout.allCases[count - 1], .discrete(count)) == .each([]))
        }
    }

    @Test func route_sameLoudspeakersInAnotherOrder_onlyMovesChannels() throws {
        let centerFirst = try #require(ChannelLayout(rawValue: "FC+FL+FR"))
        #expect(route(centerFirst, .surround3) == .each([1, 2, 0]))
        let side = try #require(ChannelLayout(rawValue: "5.1(side)"))
        #expect(route(side, .surround51) == .each([]))
    }

    @Test func route_otherCount_mixesWithoutLosingAChannel() {
        #expect(route(.surround51, .stereo) == .mixed(.surround51, .stereo, order: []))
        guard case .gains(let rows) = route(.discrete(5), .stereo) else {
            Issue.record("discrete channels have no loudspeakers to mix by")
            return
        }
        for channel in 0..<5 { #expect(rows.contains { $0[channel] > 0 }) }
        for row in rows { #expect(row.reduce(0, +) <= 1.000_001) }
    }
}
