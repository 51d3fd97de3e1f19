import CoreMedia
import Foundation
import Testing

/// Tests that Core Media's calls and Swift's members return the same times, ranges and mappings.
@Suite struct CMTimeCallsTests {
    private let third = CMTime(value: 200, timescale: 600)

    @Test func cmTime_fromValueSecondsOrEpoch_isCorrect() throws {
        #expect(CMTimeMake(value: 200, timescale: 600) == third && third.value == 200 && third.timescale == 600)
        let later = CMTimeMakeWithEpoch(value: 200, timescale: 600, epoch: 3)
        #expect(later.epoch == 3 && later > CMTime(value: 9999, timescale: 1) && later.flags == .valid)
        let seconds = CMTimeMakeWithSeconds(0.3334, preferredTimescale: 600)
        #expect(seconds.value == 200 && seconds.hasBeenRounded && CMTimeGetSeconds(third) == 200.0 / 600)
        #expect(!CMTime().isValid && CMTime(value: 1, timescale: 2, flags: .valid, epoch: 0).seconds == 0.5)
        let stored = try JSONDecoder().decode(CMTime.self, from: JSONEncoder().encode(later))
        #expect(stored == later && stored.epoch == 3)
        #expect(CMTime(seconds: 0.5, preferredTimescale: 4).description.contains("2/4"))
    }

    @Test func cmTime_predicates_distinguishKinds() {
        #expect(CMTIME_IS_VALID(third) && CMTIME_IS_NUMERIC(third) && !CMTIME_IS_INVALID(third))
        #expect(CMTIME_IS_INVALID(.invalid) && CMTIME_IS_INDEFINITE(.indefinite) && !CMTIME_IS_NUMERIC(.indefinite))
        #expect(CMTIME_IS_POSITIVEINFINITY(.positiveInfinity) && CMTIME_IS_NEGATIVEINFINITY(.negativeInfinity))
        #expect(CMTIME_HAS_BEEN_ROUNDED(CMTime(seconds: 0.1, preferredTimescale: 3)) && !CMTIME_HAS_BEEN_ROUNDED(third))
        let range = CMTimeRange(start: .zero, duration: third)
        #expect(CMTIMERANGE_IS_VALID(range) && !CMTIMERANGE_IS_EMPTY(range) && CMTIMERANGE_IS_EMPTY(.zero))
        #expect(CMTIMERANGE_IS_INVALID(.invalid))
        #expect(CMTIMERANGE_IS_INDEFINITE(CMTimeRange(start: .zero, duration: .indefinite)))
        #expect(CMTimeRange(start: .indefinite, duration: third).isIndefinite)
        #expect(!CMTimeRange(start: .zero, duration: CMTime(value: -1, timescale: 1)).isValid)
    }

    @Test func cmTime_arithmeticCalls_matchTheOperators() {
        var sum = third
        sum += third
        #expect(sum == CMTimeAdd(third, third) && sum.value == 400)
        sum -= third
        #expect(sum == CMTimeSubtract(CMTimeAdd(third, third), third) && sum == third && (-third).value == -200)
        #expect(CMTimeMinimum(third, .zero) == .zero && CMTimeMaximum(third, .zero) == third)
        #expect(CMTimeAbsoluteValue(-third) == third && CMTimeAbsoluteValue(.negativeInfinity) == .positiveInfinity)
        #expect(CMTimeMultiply(third, multiplier: 3).seconds == 1)
    }

    @Test func descriptions_includeValueAndTimescale() {
        #expect(CMTimeCopyDescription(allocator: nil, time: third)?.contains("200/600") == true)
        let range = CMTimeRange(start: third, duration: third)
        #expect(CMTimeRangeCopyDescription(allocator: nil, range: range)?.contains("200/600") == true)
        let mapping = CMTimeMapping(source: range, target: range)
        #expect(CMTimeMappingCopyDescription(allocator: nil, mapping: mapping)?.contains("->") == true)
    }

    @Test func cmTimeRange_calls_matchTheMethods() {
        let range = CMTimeRangeMake(start: third, duration: third)
        #expect(range == CMTimeRangeFromTimeToTime(start: third, end: CMTime(value: 400, timescale: 600)))
        #expect(CMTimeRangeGetEnd(range).value == 400 && range.end == CMTimeRangeGetEnd(range))
        #expect(CMTimeRangeEqual(range, CMTimeRange(start: third, end: CMTime(value: 2, timescale: 3))))
        #expect(CMTimeRangeContainsTime(range, time: third) && !CMTimeRangeContainsTime(range, time: range.end))
        let wide = CMTimeRange(start: .zero, duration: CMTime(value: 1, timescale: 1))
        #expect(CMTimeRangeContainsTimeRange(wide, otherRange: range) && !range.containsTimeRange(wide))
        #expect(range.intersection(wide) == range && range.union(wide) == wide)
        #expect(!CMTimeRange().isValid && range.start == third && range.duration == third)
    }

    @Test func rangesAndMappings_asDictionariesAndObjects_roundTrip() throws {
        let range = CMTimeRange(start: third, duration: CMTime(value: 7, timescale: 25))
        let words = try #require(CMTimeRangeCopyAsDictionary(range, allocator: nil))
        #expect(words.object(forKey: kCMTimeRangeStartKey) != nil && CMTimeRangeMakeFromDictionary(words) == range)
        #expect(!CMTimeRangeMakeFromDictionary([:]).isValid)
        let mapping = CMTimeMappingMake(source: range, target: CMTimeRange(start: .zero, duration: third))
        let stored = try #require(CMTimeMappingCopyAsDictionary(mapping, allocator: nil))
        #expect(CMTimeMappingMakeFromDictionary(stored) == mapping)
        #expect(NSValue(timeMapping: mapping).timeMappingValue == mapping)
        #expect(NSNumber(value: 1).timeMappingValue.target == .invalid)
        #expect(!CMTimeMappingMakeEmpty(target: range).source.isValid)
    }

    @Test func mapDuration_scalesByTheDurationsOnly() {
        let source = CMTimeRange(start: third, duration: CMTime(value: 1, timescale: 1))
        let target = CMTimeRange(start: .zero, duration: CMTime(value: 3, timescale: 1))
        #expect(CMTimeMapDurationFromRangeToRange(third, fromRange: source, toRange: target).seconds == 1)
    }
}
