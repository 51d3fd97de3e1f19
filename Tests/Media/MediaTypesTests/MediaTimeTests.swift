import Foundation
import MediaTypes
import Testing

@Suite struct MediaTimeTests {
    private func time(_ value: Int64, _ scale: Int32) -> MediaTime { MediaTime(value: value, timescale: scale) }

    @Test func addition_commonScale_isExact() {
        #expect(time(1, 3) + time(1, 4) == time(7, 12))
        #expect(time(1, 44_100) + time(1, 48_000) == time(307, 7_056_000))
        #expect(time(1, 30) - time(1, 60) == time(1, 60))
        var sum = MediaTime.zero
        for _ in 0..<30_000 { sum += time(1001, 30_000) }
        #expect(sum == time(1001, 1))
    }

    @Test func addition_commonScaleTooLarge_usesTheFinerScale() {
        let sum = time(1, 1_000_000_000) + time(1, 999_999_937)
        #expect(sum.timescale == 1_000_000_000 && sum.value == 2)
    }

    @Test func addition_overflow_saturates() {
        #expect((time(.max, 1) + time(.max, 1)).value == .max)
        #expect((time(.min, 1) - time(.max, 1)).value == .min)
        #expect((-time(.min, 1)).value == .max)
        #expect(time(.max, 1).ticks(in: 1_000_000) == .max)
        #expect(time(.min, 1).ticks(in: 1_000_000) == .min)
    }

    @Test func ticks_noRounding_areTheNearestOnBothSidesOfZero() {
        #expect(time(1, 3).ticks(in: 10) == 3)
        #expect(time(-1, 3).ticks(in: 10) == -3)
        #expect(time(2, 3).ticks(in: 10) == 7)
        #expect(time(-2, 3).ticks(in: 10) == -7)
        #expect(time(1, 2).ticks(in: 1) == 1)
        #expect(time(-1, 2).ticks(in: 1) == 0)
    }

    @Test func ticks_roundingDownOrUp_areRounded() {
        #expect(time(1, 3).ticks(in: 10, rounding: .down) == 3)
        #expect(time(1, 3).ticks(in: 10, rounding: .up) == 4)
        #expect(time(-1, 3).ticks(in: 10, rounding: .down) == -4)
        #expect(time(-1, 3).ticks(in: 10, rounding: .up) == -3)
        #expect(time(30, 10).ticks(in: 1, rounding: .up) == 3)
    }

    @Test func comparison_closeTimes_isExact() {
        #expect(time(9_007_199_254_740_993, 3) > time(9_007_199_254_740_992, 3))
        #expect(time(1, 3) < time(333_333_334, 1_000_000_000))
        #expect(time(1, 3) > time(333_333_333, 1_000_000_000))
        #expect(time(.max, 1) > time(.max, 2))
    }

    @Test func hash_equalTimesInOtherScales_isEqual() {
        let times: Set<MediaTime> = [time(1, 2), time(2, 4), time(500, 1000), time(-1, 2)]
        #expect(times.count == 2)
        #expect(Set([time(0, 1), time(0, 90_000)]).count == 1)
    }

    @Test func sort_infinitiesAndInvalid_areAtTheEnds() {
        let sorted = [.positiveInfinity, time(5, 1), .invalid, .negativeInfinity, time(-5, 1)].sorted()
        #expect(sorted == [.invalid, .negativeInfinity, time(-5, 1), time(5, 1), .positiveInfinity])
        #expect(MediaTime.invalid == .invalid && MediaTime.invalid != .zero)
    }

    @Test func addition_infinity_staysInfinite() {
        #expect(MediaTime.positiveInfinity + time(1, 1) == .positiveInfinity)
        #expect(time(1, 1) + .positiveInfinity == .positiveInfinity)
        #expect(time(1, 1) - .positiveInfinity == .negativeInfinity)
        #expect(MediaTime.negativeInfinity - time(1, 1) == .negativeInfinity)
        #expect(MediaTime.positiveInfinity + .positiveInfinity == .positiveInfinity)
        #expect(-MediaTime.positiveInfinity == .negativeInfinity)
    }

    @Test func addition_undefined_isInvalid() {
        #expect(MediaTime.positiveInfinity - .positiveInfinity == .invalid)
        #expect(MediaTime.positiveInfinity + .negativeInfinity == .invalid)
        #expect(MediaTime.positiveInfinity + .invalid == .invalid)
        #expect(MediaTime.invalid + time(1, 1) == .invalid)
        #expect(time(1, 1) - .invalid == .invalid)
    }

    @Test func ticks_timeWithoutANumber_areZero() {
        #expect(MediaTime.positiveInfinity.ticks(in: 600) == 0)
        #expect(MediaTime.positiveInfinity.converted(to: 600) == .positiveInfinity)
        #expect(time(1, 1).ticks(in: 0) == 0)
        #expect(
            !MediaTime.invalid.isValid && MediaTime.positiveInfinity.isValid && !MediaTime.positiveInfinity.isNumeric)
        #expect(MediaTime.invalid.seconds.isNaN && MediaTime.negativeInfinity.seconds == -.infinity)
    }

    @Test func init_seconds_isTheNearestTick() {
        #expect(MediaTime(seconds: 0.1, timescale: 48_000) == time(4800, 48_000))
        #expect(MediaTime(seconds: -1.5, timescale: 1000) == time(-1500, 1000))
        #expect(MediaTime(seconds: .infinity) == .positiveInfinity)
        #expect(MediaTime(seconds: -.infinity) == .negativeInfinity)
        #expect(MediaTime(seconds: 1e300) == .positiveInfinity)
        #expect(MediaTime(seconds: .nan) == .invalid)
    }

    @Test func nanoseconds_areExact() {
        #expect(MediaTime(nanoseconds: 123_456_789_012_345).nanoseconds == 123_456_789_012_345)
        #expect(time(1, 3).nanoseconds == 333_333_333)
    }

    @Test func coding_anyTime_isReadBack() throws {
        let times = [time(-7, 90_000), .positiveInfinity, .invalid, .zero]
        let copy = try JSONDecoder().decode([MediaTime].self, from: JSONEncoder().encode(times))
        #expect(copy == times && copy[0].timescale == 90_000)
    }

    @Test(arguments: [
        (MediaTime(value: 997, timescale: 100), "9.97 s"), (MediaTime(value: 65, timescale: 1), "1 min 05 s"),
        (MediaTime(value: 6525, timescale: 100), "1 min 05.25 s"),
        (MediaTime(value: 3731, timescale: 1), "1 h 02 min 11 s"),
        (.zero, "0.00 s"), (MediaTime(value: -1, timescale: 2), "−0.50 s"),
        (MediaTime(value: 59_999, timescale: 1000), "1 min 00 s"),
        (.positiveInfinity, "+∞"),
    ])
    func words_anyTime_areReadable(time: MediaTime, words: String) { #expect(time.words == words) }
}
