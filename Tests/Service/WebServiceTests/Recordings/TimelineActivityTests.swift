import RecorderStorage
import Testing

@testable import WebService

@Suite struct TimelineActivityTests {
    private func series(_ values: [Int]) -> ActivitySeries {
        var series = ActivitySeries()
        for (second, value) in values.enumerated() { series.set(value, at: second) }
        return series
    }

    private func activity(
        _ values: [Int], begin: Double, _ range: ClosedRange<Double>, step: Double
    ) -> TimelineActivity? {
        TimelineActivity(series(values), begin: begin, in: range, step: step)
    }

    @Test func activity_fineSteps_hasEachSecondOfTheRange() {
        let found = activity([1, 2, 3, 4, 5], begin: 100, 101...104, step: 0.1)
        #expect(found?.begin == 101 && found?.step == 1 && found?.values == [2, 3, 4])
    }

    @Test func activity_coarseSteps_hasTheLargestValueOfEach() {
        let found = activity([1, 9, 3, 4, 5, 6, 7], begin: 100, 0...1000, step: 2.5)
        #expect(found?.begin == 100 && found?.step == 3 && found?.values == [9, 6, 7])
    }

    @Test func activity_outsideOfTheRange_isLeftOut() {
        #expect(activity([1, 2, 3], begin: 100, 0...99, step: 1) == nil)
        #expect(activity([1, 2, 3], begin: 100, 104...200, step: 1) == nil)
        #expect(activity([], begin: 100, 0...200, step: 1) == nil)
    }

    @Test func timeline_longerThanAWeek_hasNone() {
        #expect(TimelineActivity.isShown(.init(range: 0...600_000, step: 600)))
        #expect(!TimelineActivity.isShown(.init(range: 0...700_000, step: 700)))
    }

    @Test func answer_recordersWithActivity_addsItToTheirLines() {
        var timeline = Timeline(step: 1)
        timeline.add(.init(begin: 100, end: 103), of: "front")
        timeline.add(.init(begin: 100, end: 103), of: "yard")
        let question = TimelineQuestion(range: 0...200, step: 1)
        let answer = TimelineAnswer(first: 100, last: 103, lines: timeline.lines, indexing: nil)
        let added = answer.adding(["yard": []], for: question)
        #expect(added.lines == timeline.lines && added.first == 100)
    }
}
