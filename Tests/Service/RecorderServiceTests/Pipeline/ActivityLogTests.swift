import FakeDevices
import MediaTypes
import Testing

@testable import RecorderService
@testable import RecorderStorage

@Suite struct ActivityLogTests {
    /// Adds seconds with ten packets each, of these sizes.
    private func add(_ sizes: [Int], from first: Int = 0, to log: inout ActivityLog) {
        for (second, size) in sizes.enumerated() {
            for number in 0..<10 {
                log.add(
                    SampleBuffer(
                        format: RouterBench.videoFormat,
                        content: .data(MediaData([UInt8](repeating: 0, count: size))),
                        presentationTime: milliseconds((first + second) * 1000 + number * 100),
                        isKeyframe: false))
            }
        }
    }

    @Test func file_begun_hasItsSecondsAndTheOpenOne() throws {
        var log = ActivityLog()
        add([1000, 1000], to: &log)
        log.begin(1, at: milliseconds(2000))
        add([1000, 9000, 1000, 9000], from: 2, to: &log)
        log.end(1)
        add([9000], from: 6, to: &log)
        let taken = log.take(1)
        let series = try #require(taken)
        #expect(series.values.count == 4 && series.step == 1)
        #expect(series.values.map { $0 > 50 } == [false, true, false, true])
        let again = log.take(1)
        #expect(again == nil)
    }

    @Test func file_beginsWithThePreRoll_hasItsActivity() throws {
        var log = ActivityLog()
        add([1000, 1000, 9000, 1000, 1000], to: &log)
        log.begin(1, at: milliseconds(1500))
        log.end(1)
        let taken = log.take(1)
        let series = try #require(taken)
        #expect(series.values.map { $0 > 50 } == [false, true, false, false])
    }

    @Test func still_framesWithoutPackets_areSecondsWithoutActivity() {
        var log = ActivityLog()
        add([1000, 1000], to: &log)
        for number in 0..<50 { log.addRepeated(at: milliseconds(2000 + number * 40)) }
        add([9000, 1000], from: 4, to: &log)
        let seconds = log.seconds(after: -1)
        #expect(seconds.map(\.index) == [0, 1, 2, 3, 4])
        #expect(seconds.map { $0.value > 50 } == [false, false, false, false, true])
        #expect(seconds[2].value == 0 && seconds[3].value == 0)
    }

    @Test func seconds_afterAnIndex_areTheLaterOnes() {
        var log = ActivityLog()
        #expect(log.seconds(after: nil).isEmpty)
        add([1000, 1000, 1000, 1000], to: &log)
        #expect(log.seconds(after: nil).map(\.index) == [2])
        #expect(log.seconds(after: 0).map(\.index) == [1, 2])
        #expect(log.seconds(after: 2).isEmpty)
    }
}

@Suite struct ActivitySeriesTests {
    @Test func series_gaps_areZero() {
        var series = ActivitySeries()
        series.set(40, at: 0)
        series.set(120, at: 3)
        series.set(30, at: 1)
        #expect(series.values == [40, 30, 0, 100] && series.peak == 100 && series.seconds == 4)
        #expect(ActivitySeries().peak == nil)
    }

    @Test func series_longerThanItsLimit_keepsThePeaks() {
        var series = ActivitySeries()
        for second in 0..<(3 * ActivitySeries.most) { series.set(second == 100_001 ? 77 : 1, at: second) }
        #expect(series.step == 4 && series.values.count == 3 * ActivitySeries.most / 4)
        #expect(series.values[100_001 / 4] == 77 && series.peak == 77 && series.values[0] == 1)
    }

    @Test func series_stored_isTheSame() throws {
        var series = ActivitySeries()
        for second in 0..<100 { series.set(second, at: second) }
        #expect(ActivitySeries(step: series.step, text: series.text) == series)
        #expect(ActivitySeries(step: 0, text: "") == nil && ActivitySeries(step: 1, text: "?") == nil)
    }
}
