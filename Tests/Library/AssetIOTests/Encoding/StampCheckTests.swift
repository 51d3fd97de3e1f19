import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

@Suite struct StampCheckTests {
    /// The times that the check assigns to blocks of 20 ms, in milliseconds; nil where the sample count decides. The
    /// sample count is kept as the timeline keeps it.
    private func places(_ times: [Int]) -> [Int?] {
        var check = StampCheck(sampleRate: 48_000)
        var timeline = AudioTimeline(sampleRate: 48_000)
        var places: [Int?] = []
        func give(_ blocks: [StampCheck.Block]) {
            for block in blocks {
                _ = timeline.admit(block.time, frames: 960)
                places.append(block.time.map { Int(($0.seconds * 1000).rounded()) })
            }
        }
        for time in times {
            let sample = SyntheticMedia.clicks(at: [], count: 960, time: MediaTime(value: Int64(time), timescale: 1000))
            if check.isInOrder(sample, expected: timeline.expected) {
                give([StampCheck.Block(sample: sample, time: sample.presentationTime)])
            } else {
                give(check.admit(sample, expected: timeline.expected))
            }
        }
        give(check.finish(expected: timeline.expected))
        return places
    }

    private static let hour = 3_600_000

    @Test func timestampCheck_consecutiveBlocks_areUnchanged() { #expect(places([0, 21, 39, 60]) == [0, 21, 39, 60]) }

    @Test func timestampCheck_gapConfirmedByTheNextBlock_isAccepted() {
        #expect(places([0, 20, 300, 320, 340]) == [0, 20, 300, 320, 340])
        #expect(places([0, 20, Self.hour, Self.hour + 20]) == [0, 20, Self.hour, Self.hour + 20])
    }

    @Test(arguments: [300, hour, -500, Int(Int32.max)]) func timestampCheck_wrongTimestamp_isDiscarded(stamp: Int) {
        #expect(places([0, 20, stamp, 60, 80]) == [0, 20, nil, 60, 80])
    }

    @Test func timestampCheck_disagreeingWrongTimestamps_areDiscarded() {
        #expect(places([0, 20, 7000, 500_000, 80, 100]) == [0, 20, nil, nil, 80, 100])
    }

    @Test func timestampCheck_wrongTimestampBeforeAGap_isDiscarded() {
        #expect(places([0, 20, 5000, 300, 320]) == [0, 20, nil, 300, 320])
    }

    @Test func timestampCheck_repeatedBlock_keepsItsTimestamp() {
        // Each block arrives once, then a copy of the first one, which keeps its timestamp.
        #expect(places([0, 20, 40, 60, 80, 0, 100, 120]) == [0, 20, 40, 60, 80, 0, 100, 120])
    }

    @Test func timestampCheck_atTheEnd_returnsHeldBlocks() {
        #expect(places([0]) == [0] && places([0, 20, 300]) == [0, 20, 300])
        #expect(places([0, 20, 2 * Self.hour]) == [0, 20, nil])
        #expect(places([]) == [])
    }

    @Test func timestampCheck_wrongFirstTimestamp_doesNotSetTheStart() {
        #expect(places([Self.hour, 20, 40, 60]) == [0, 20, 40, 60])
        #expect(places([0, Self.hour, 40, 60]) == [0, 20, 40, 60])
        #expect(places([Self.hour, 500_000, 40, 60]) == [0, 20, 40, 60])
    }

    @Test func timestampCheck_gapAfterTheFirstBlock_isAccepted() {
        #expect(places([0, 300, 320, 340]) == [0, 300, 320, 340])
    }

    @Test func timestampCheck_noTwoBlocksAgree_releasesThem() {
        let times = (0..<40).map { $0 * 1000 + $0 * $0 * 100 }
        #expect(places(times).count == 40)
        #expect(places(times.reversed()).count == 40)
    }

    @Test func timestampCheck_extremeTimes_doNotTrap() {
        for value in [Int.max / 1_000_000, .min / 1_000_000] {
            #expect(places([0, value, value, 20, value]).count == 5)
            #expect(places([value, 0, value, -value]).count == 4)
        }
    }
}
