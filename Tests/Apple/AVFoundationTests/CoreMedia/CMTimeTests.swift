import CoreMedia
import Foundation
import Testing

@Suite struct CMTimeTests {
    @Test func cmTime_nonNumeric_behavesAsInCoreMedia() {
        #expect(!CMTime.invalid.isValid)
        #expect(CMTime.positiveInfinity.isPositiveInfinity && CMTime.positiveInfinity.isValid)
        #expect(CMTime.indefinite.isIndefinite && !CMTime.indefinite.isNumeric)
        #expect(!CMTime(value: 1, timescale: 0).isValid)
        #expect(CMTime.invalid.seconds.isNaN && CMTime.positiveInfinity.seconds == .infinity)
        #expect(CMTime(seconds: .nan, preferredTimescale: 600) == .invalid)
        #expect(CMTime(seconds: 1e300, preferredTimescale: 600) == .positiveInfinity)
        #expect((CMTime.positiveInfinity - .positiveInfinity) == .invalid)
        #expect((CMTime.zero + .indefinite) == .indefinite)
        #expect((CMTime.zero + .positiveInfinity) == .positiveInfinity)
    }

    @Test func cmTime_differentTimescales_areOrdered() {
        let sorted: [CMTime] = [
            .negativeInfinity, CMTime(value: -1, timescale: 3), .zero, CMTime(value: 1, timescale: 3),
            CMTime(value: 334, timescale: 1000), .indefinite, .positiveInfinity, .invalid,
        ]
        #expect(sorted.shuffled().sorted { CMTimeCompare($0, $1) < 0 } == sorted)
        #expect(CMTime(value: 1, timescale: 2) == CMTime(value: 300, timescale: 600))
        #expect(Set([CMTime(value: 1, timescale: 2), CMTime(value: 2, timescale: 4)]).count == 1)
    }

    @Test func cmTime_sum_isExactInTheCommonTimescale() {
        let sum = CMTime(value: 1, timescale: 600) + CMTime(value: 1, timescale: 44_100)
        #expect(sum.timescale == 88_200 && sum.value == 147 + 2 && !sum.hasBeenRounded)
        let coarse = CMTime(value: 1, timescale: 2_147_483_647) + CMTime(value: 1, timescale: 2_147_483_629)
        #expect(coarse.hasBeenRounded)
    }

    private func time(_ seconds: Int64, epoch: Int64) -> CMTime {
        CMTimeMakeWithEpoch(value: seconds, timescale: 1, epoch: epoch)
    }

    @Test func sum_epochs_areThoseOfTimesAndDurations() {
        let (early, late) = (time(10, epoch: 1), time(30, epoch: 1))
        #expect(early + time(5, epoch: 0) == time(15, epoch: 1) && time(5, epoch: 0) + early == time(15, epoch: 1))
        #expect(late - time(5, epoch: 0) == time(25, epoch: 1))
        #expect(late - early == time(20, epoch: 0) && (late - early).epoch == 0)
        #expect(early + time(5, epoch: 2) == .invalid)
        #expect(-early == time(-10, epoch: 1))
    }

    @Test func timeRange_ofALaterEpoch_isValidAndEnds() {
        let range = CMTimeRange(start: time(10, epoch: 1), end: time(15, epoch: 1))
        #expect(range.isValid && range.duration == time(5, epoch: 0) && range.end == time(15, epoch: 1))
        #expect(range.containsTime(time(14, epoch: 1)) && !range.containsTime(time(15, epoch: 1)))
        #expect(!range.containsTime(time(12, epoch: 2)) && !range.containsTime(time(12, epoch: 0)))
    }

    @Test func sum_infiniteAndIndefinite_isInfinite() {
        #expect(CMTime.positiveInfinity + .indefinite == .positiveInfinity)
        #expect(CMTime.indefinite - .positiveInfinity == .negativeInfinity)
        #expect(CMTime.indefinite + .indefinite == .indefinite && CMTime.indefinite - time(1, epoch: 2) == .indefinite)
        #expect(CMTime.negativeInfinity + .negativeInfinity == .negativeInfinity)
        #expect(CMTime.negativeInfinity + .positiveInfinity == .invalid && CMTime.invalid + .indefinite == .invalid)
        #expect(CMTimeMinimum(.indefinite, .positiveInfinity) == .indefinite)
        #expect(CMTimeCompare(.indefinite, .positiveInfinity) == -1)
    }

    @Test func sum_tooLarge_hasACoarserTimescale() {
        let largest = CMTime(value: .max, timescale: 600)
        let sum = largest + largest
        #expect(sum.timescale == 300 && sum.value == .max && !sum.hasBeenRounded)
        let least = CMTime(value: .min, timescale: 600)
        #expect(least + least == CMTime(value: .min, timescale: 300))
        let seconds = CMTime(value: .max, timescale: 1)
        #expect(seconds + seconds == .positiveInfinity && -seconds - seconds == .negativeInfinity)
    }

    @Test func sum_ofScalesWithoutACommonOne_isInTheFinestTimescale() {
        let sum = CMTime(value: 1, timescale: 90_001) + CMTime(value: 1, timescale: 48_000)
        #expect(sum.timescale == .max && sum.hasBeenRounded)
        #expect(abs(sum.seconds - (1.0 / 90_001 + 1.0 / 48_000)) < 1e-9)
        // Half a tick is rounded away from zero.
        let half = CMTime(value: 1, timescale: 2) - CMTime(value: 1, timescale: .max)
        #expect(half.timescale == .max && half.value == 1_073_741_823)
    }

    @Test(arguments: [
        (CMTimeRoundingMethod.roundHalfAwayFromZero, Int64(2), Int64(-2)), (.roundTowardZero, 1, -1),
        (.roundAwayFromZero, 2, -2), (.quickTime, 1, -1), (.roundTowardPositiveInfinity, 2, -1),
        (.roundTowardNegativeInfinity, 1, -2),
    ])
    func convertScale_roundsByTheMethod(_ method: CMTimeRoundingMethod, _ up: Int64, _ down: Int64) {
        let positive = CMTimeConvertScale(CMTime(value: 3, timescale: 2), timescale: 1, method: method)
        let negative = CMTimeConvertScale(CMTime(value: -3, timescale: 2), timescale: 1, method: method)
        #expect(positive.value == up && negative.value == down)
        #expect(positive.hasBeenRounded)
        #expect(!CMTimeConvertScale(CMTime(value: 2, timescale: 2), timescale: 10, method: method).hasBeenRounded)
    }

    @Test func cmTime_productsAndRatios_areExact() {
        let third = CMTimeMultiplyByRatio(CMTime(value: 600, timescale: 600), multiplier: 1, divisor: 3)
        #expect(third.value == 200 && third.timescale == 600)
        #expect(CMTimeMultiplyByRatio(CMTime(value: 1, timescale: 1), multiplier: 1, divisor: 0) == .invalid)
        #expect(CMTimeMultiply(CMTime(value: .max, timescale: 1), multiplier: 2) == .positiveInfinity)
        #expect(CMTimeMultiplyByFloat64(CMTime(value: 1, timescale: 600), multiplier: 0.5).seconds == 0.5 / 600)
        #expect(CMTimeAbsoluteValue(CMTime(value: .min, timescale: 1)).value == .max)
    }

    @Test func cmTimeRange_intersectionUnionAndContainment_areCorrect() {
        let second = CMTime(value: 1, timescale: 1)
        let a = CMTimeRange(start: .zero, duration: CMTime(value: 4, timescale: 1))
        let b = CMTimeRange(start: CMTime(value: 3, timescale: 1), duration: CMTime(value: 4, timescale: 1))
        #expect(CMTimeRangeGetIntersection(a, otherRange: b) == CMTimeRange(start: b.start, duration: second))
        #expect(CMTimeRangeGetUnion(a, otherRange: b).end.seconds == 7)
        #expect(a.containsTime(.zero) && !a.containsTime(a.end))
        #expect(!CMTimeRange.invalid.isValid && CMTimeRange.zero.isEmpty)
        #expect(CMTimeClampToRange(CMTime(value: 9, timescale: 1), range: a) == a.end)
        let mapped = CMTimeMapTimeFromRangeToRange(
            second, fromRange: a, toRange: CMTimeRange(start: b.start, duration: CMTime(value: 8, timescale: 1)))
        #expect(mapped.seconds == 5)
        #expect(CMTimeFoldIntoRange(CMTime(value: -1, timescale: 1), foldRange: a).seconds == 3)
    }

    @Test func timesAndRanges_asObjectsAndDictionaries_roundTrip() {
        let time = CMTime(value: 1001, timescale: 30_000, flags: [.valid, .hasBeenRounded], epoch: 7)
        #expect(CMTimeMakeFromDictionary(CMTimeCopyAsDictionary(time, allocator: kCFAllocatorDefault)).epoch == 7)
        #expect(CMTimeMakeFromDictionary([:]) == .invalid)
        let back = NSValue(time: time).timeValue
        #expect(back == time && back.flags == time.flags)
        let range = CMTimeRange(start: time, duration: time)
        #expect(NSValue(timeRange: range).timeRangeValue == range)
        #expect(NSNumber(value: 3).timeValue == .invalid)
    }
}
