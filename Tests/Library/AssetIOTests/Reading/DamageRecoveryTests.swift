import MediaTypes
import Testing

@testable import AssetIO

/// Tests of the log of missing samples, without a file.
@Suite struct DamageRecoveryTests {
    private func time(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 10) }
    private func range(_ start: Int64, _ end: Int64) -> TimeRange { TimeRange(start: time(start), end: time(end)) }

    @Test func damagedRange_lastsFromFirstMissingToNextReturnedSample() {
        let log = DamageLog()
        var recovery = DamageRecovery(trackID: 3, log: log)
        recovery.lose(at: time(20), duration: time(1), reason: "torn")
        #expect(recovery.isOpen && log.ranges.isEmpty)
        // Stored later, shown earlier.
        recovery.lose(at: time(18), duration: time(1))
        // A frame from before the damage leaves the decoder late.
        recovery.recovered(at: time(17))
        #expect(recovery.isOpen)
        recovery.recovered(at: time(30))
        #expect(log.ranges == [DamagedTimeRange(trackID: 3, timeRange: range(18, 30), reason: "torn")])
        recovery.recovered(at: time(31))
        recovery.end(announced: time(99))
        #expect(log.ranges.count == 1)
    }

    @Test func damagedRange_endOfFile_usesTheLaterKnownEnd() {
        for (announced, end) in [(nil, 21), (time(15), 21), (time(40), 40)] as [(MediaTime?, Int64)] {
            let log = DamageLog()
            var recovery = DamageRecovery(trackID: 1, log: log)
            recovery.lose(at: time(20), duration: time(1), reason: "cut")
            recovery.end(announced: announced)
            #expect(log.ranges.map(\.timeRange) == [range(20, end)])
        }
    }

    @Test func damagedRange_outsideTheReadRange_isNotReported() {
        let log = DamageLog()
        var recovery = DamageRecovery(trackID: 1, log: log)
        recovery.range = range(10, 20)
        recovery.lose(at: time(2), reason: "x")
        recovery.recovered(at: time(10))
        recovery.lose(at: time(25), reason: "x")
        recovery.end(announced: time(30))
        #expect(log.ranges.isEmpty)
        recovery.lose(at: time(5), reason: "x")
        recovery.recovered(at: time(12))
        recovery.lose(at: time(18), reason: "x")
        recovery.end(announced: time(30))
        #expect(log.ranges.map(\.timeRange) == [range(10, 12), range(18, 20)])
        recovery.lose(at: .invalid, reason: "x")
        #expect(!recovery.isOpen)
    }

    @Test func damagedRange_noSampleAfterIt_lacksTheEndOfTheRange() {
        var recovery = DamageRecovery(trackID: 1, log: DamageLog())
        recovery.range = range(10, 20)
        #expect(!recovery.lacksEnd)
        recovery.lose(at: time(12), reason: "x")
        #expect(recovery.lacksEnd)
        recovery.recovered(at: time(13))
        #expect(!recovery.lacksEnd)
        // Media after the range does not matter.
        recovery.lose(at: time(20), reason: "x")
        #expect(recovery.isOpen && !recovery.lacksEnd)
    }

    @Test func damageLog_touchingRanges_areJoinedAndBounded() {
        let log = DamageLog()
        for damage in [range(5, 7), range(1, 2), range(7, 9), range(5, 6)] {
            log.add(DamagedTimeRange(trackID: 1, timeRange: damage, reason: "x"))
        }
        log.add(DamagedTimeRange(trackID: 2, timeRange: range(5, 6), reason: "x"))
        #expect(log.ranges.map(\.timeRange) == [range(1, 2), range(5, 9), range(5, 6)])
        #expect(log.ranges.map(\.trackID) == [1, 1, 2])
        for number in 0..<3000 {
            log.add(
                DamagedTimeRange(
                    trackID: 1, timeRange: range(Int64(number) * 3 + 20, Int64(number) * 3 + 21), reason: "x"))
        }
        #expect(log.ranges.count <= 1001)
        #expect(log.ranges.map(\.timeRange.end).max() == time(9018))
    }
}
