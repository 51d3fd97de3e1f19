import Testing

@testable import WebService

@Suite struct TimelineTests {
    private func line(step: Double, _ spans: [(Double, Double)]) -> [Timeline.Span] {
        var timeline = Timeline(step: step)
        for (number, span) in spans.enumerated() {
            timeline.add(.init(begin: span.0, end: span.1, id: "\(number)"), of: "front")
        }
        return timeline.lines.first?.spans ?? []
    }

    @Test func spans_consecutiveFilesInFineSteps_staySeparate() {
        let spans = line(step: 1, [(0, 600), (600, 1200), (1200, 1800)])
        #expect(spans.map(\.id) == ["0", "1", "2"])
    }

    @Test func spans_closerThanAPoint_areMerged() {
        let spans = line(step: 1000, [(0, 600), (600, 1200), (1500, 1800), (9000, 9100)])
        #expect(spans.map(\.begin) == [0, 9000] && spans.map(\.end) == [1800, 9100])
        #expect(spans.map(\.count) == [3, 1] && spans.map(\.id) == [nil, "3"])
    }

    @Test func spans_visibleGap_staySeparate() {
        #expect(line(step: 1, [(0, 10), (12, 20)]).count == 2)
    }

    @Test func spans_savedPreRoll_isPartOfTheRecording() {
        let spans = line(step: 1, [(0, 600), (300, 330)])
        #expect(spans.count == 1 && spans[0].end == 600 && spans[0].id == nil)
    }

    @Test func spans_aHundredThousandRecordings_areBounded() {
        let recordings = (0..<100_000).map { number -> (Double, Double) in
            let start = Double(number) * 100
            return (start, start + 60)
        }
        let spans = line(step: 10_000, recordings)
        #expect(spans.count <= 2000 && spans.reduce(0) { $0 + $1.count } == 100_000)
    }

    @Test func spans_pausedRecording_areMergedIntoOne() {
        var timeline = Timeline(step: 100)
        for range in [(0.0, 10.0), (20, 30)] {
            timeline.add(.init(begin: range.0, end: range.1, id: "a"), of: "front")
        }
        #expect(timeline.lines[0].spans == [.init(begin: 0, end: 30, id: "a")])
    }

    @Test func marks_samePoint_areMergedWithTheirCount() {
        var timeline = Timeline(step: 10)
        for (time, title) in [(5.0, "goal"), (6, "again"), (40, "end")] {
            timeline.add(Timeline.Mark(time: time, title: title, id: "a"), of: "front")
        }
        #expect(timeline.lines[0].marks.map(\.title) == ["goal", "end"])
        #expect(timeline.lines[0].marks.map(\.count) == [2, 1])
    }
}
