import Testing

@testable import AVCapture

/// The items are their times in milliseconds.
@Suite struct SampleMatcherTests {
    /// Adds a sample of each output at its times, in the order of the times, and returns the groups, each as
    /// `OUTPUT:TIME OUTPUT:TIME`.
    private func groups(_ matcher: inout SampleMatcher<Int>, _ times: [[Int]]) -> [String] {
        let all = times.enumerated().flatMap { output, times in times.map { (output: output, time: $0) } }
        var lines: [String] = []
        for (output, time) in all.sorted(by: { ($0.time, $0.output) < ($1.time, $1.output) }) {
            matcher.add(time, at: Int64(time) * 1_000_000, from: output)
            lines += rest(&matcher)
        }
        return lines
    }

    private func rest(_ matcher: inout SampleMatcher<Int>) -> [String] {
        var lines: [String] = []
        while let group = matcher.next() {
            lines.append(group.map { "\($0.output):\($0.item)" }.joined(separator: " "))
        }
        return lines
    }

    @Test func matcher_equalTimes_arePairs() {
        var matcher = SampleMatcher<Int>(outputCount: 2)
        #expect(groups(&matcher, [[0, 33, 66], [0, 33, 66]]) == ["0:0 1:0", "0:33 1:33", "0:66 1:66"])
        #expect(matcher.waitingCount == 0)
    }

    @Test func matcher_clocksOfTheirOwn_matchTheNearest() {
        var matcher = SampleMatcher<Int>(outputCount: 2)
        #expect(groups(&matcher, [[10, 43, 77], [0, 33, 67]]) == ["0:10 1:0", "0:43 1:33", "0:77 1:67"])
        var late = SampleMatcher<Int>(outputCount: 2)
        #expect(groups(&late, [[0, 33, 67], [12, 45, 79]]) == ["0:0 1:12", "0:33 1:45", "0:67 1:79"])
    }

    @Test func matcher_halfTheRate_leavesEverySecondAlone() {
        var matcher = SampleMatcher<Int>(outputCount: 2)
        let lines = groups(&matcher, [[0, 33, 67, 100, 133], [0, 67, 133]])
        #expect(lines == ["0:0 1:0", "0:33", "0:67 1:67", "0:100", "0:133 1:133"])
    }

    @Test func matcher_twiceTheRate_deliversTheOthersAlone() {
        var matcher = SampleMatcher<Int>(outputCount: 2)
        let lines = groups(&matcher, [[0, 34, 68], [0, 17, 34, 51, 68]])
        #expect(lines == ["0:0 1:0", "1:17", "0:34 1:34", "1:51", "0:68 1:68"])
    }

    @Test func matcher_silentOutput_isWaitedForAQuarterOfASecond() {
        var matcher = SampleMatcher<Int>(outputCount: 2)
        #expect(groups(&matcher, [[0, 50, 100, 150, 200, 250], []]) == [])
        #expect(groups(&matcher, [[300], []]) == ["0:0"])
        // The leader is silent.
        var other = SampleMatcher<Int>(outputCount: 2)
        #expect(groups(&other, [[], [0, 100, 200, 300]]) == ["1:0"])
    }

    @Test func matcher_endedOutput_isNotWaitedFor() {
        var matcher = SampleMatcher<Int>(outputCount: 2)
        #expect(groups(&matcher, [[0], []]) == [])
        matcher.setEnded(true, 1)
        #expect(rest(&matcher) == ["0:0"])
        #expect(groups(&matcher, [[33], []]) == ["0:33"])
        matcher.setEnded(false, 1)
        #expect(groups(&matcher, [[66], []]) == [])
    }

    @Test func matcher_loss_isAloneAndTakesNoPartner() {
        var matcher = SampleMatcher<Int>(outputCount: 2)
        #expect(groups(&matcher, [[0], [0]]) == ["0:0 1:0"])
        matcher.add(-1, at: 100_000_000, from: 1, isAlone: true)
        #expect(groups(&matcher, [[100], [100]]) == ["1:-1", "0:100 1:100"])
        matcher.add(-2, at: 200_000_000, from: 0, isAlone: true)
        #expect(groups(&matcher, [[200], [200]]) == ["0:-2", "0:200 1:200"])
    }

    @Test func matcher_slowerRate_isFollowed() {
        var matcher = SampleMatcher<Int>(outputCount: 2)
        _ = groups(&matcher, [[0, 10], [0, 10]])
        let (slow, shifted) = ((1...40).map { $0 * 100 }, (1...40).map { $0 * 100 + 40 })
        let lines = groups(&matcher, [slow, shifted])
        #expect(lines.last == "0:4000 1:4040" && lines.first == "0:100")
    }

    @Test func matcher_timesThatStand_areBounded() {
        var matcher = SampleMatcher<Int>(outputCount: 2)
        for _ in 0...1000 { matcher.add(7, at: 7, from: 0) }
        while matcher.next() != nil {}
        #expect(matcher.waitingCount == SampleMatcher<Int>.mostWaiting)
    }

    @Test func matcher_oneOutput_waitsForNothing() {
        var matcher = SampleMatcher<Int>(outputCount: 1)
        #expect(groups(&matcher, [[0, 33]]) == ["0:0", "0:33"])
    }
}
