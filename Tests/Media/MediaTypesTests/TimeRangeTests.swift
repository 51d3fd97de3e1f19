import MediaTypes
import Testing

@Suite struct TimeRangeTests {
    private func range(_ start: Int64, _ duration: Int64) -> TimeRange {
        TimeRange(start: MediaTime(value: start, timescale: 10), duration: MediaTime(value: duration, timescale: 10))
    }

    @Test func contains_startAndEnd_includesOnlyTheStart() {
        let range = range(10, 5)
        #expect(range.contains(range.start))
        #expect(!range.contains(range.end))
        #expect(range.contains(MediaTime(value: 149, timescale: 100)))
        #expect(!range.contains(MediaTime(value: 99, timescale: 100)))
    }

    @Test func intersection_twoRanges_isWhatBothContain() {
        #expect(range(0, 10).intersection(range(5, 10)) == range(5, 5))
        #expect(range(5, 10).intersection(range(0, 10)) == range(5, 5))
        #expect(range(0, 10).intersection(range(2, 3)) == range(2, 3))
        #expect(range(0, 5).intersection(range(5, 5)).isEmpty)
        #expect(range(0, 5).intersection(range(50, 5)).isEmpty)
    }

    @Test func contains_endlessRange_includesEverythingAfterItsStart() {
        let range = TimeRange(start: .zero, duration: .positiveInfinity)
        #expect(range.contains(MediaTime(value: .max, timescale: 1)))
        #expect(!range.contains(MediaTime(value: -1, timescale: 1)))
        #expect(range.intersection(self.range(3, 4)) == self.range(3, 4))
    }

    @Test func duration_startAndEnd_isTheirDifference() {
        #expect(
            TimeRange(start: MediaTime(value: 1, timescale: 3), end: MediaTime(value: 1, timescale: 2)).duration
                == MediaTime(value: 1, timescale: 6))
        #expect(range(0, 0).isEmpty && range(0, -1).isEmpty && !range(0, 1).isEmpty)
    }
}
