import FakeDevices
import Foundation
import MediaTypes
import Testing

@testable import RecorderService
@testable import RecorderStorage

@Suite struct TimeLapseLineTests {
    private static let lapse = TimeLapse(every: milliseconds(10_000), playRate: FrameRate(25))
    private static let half = milliseconds(20)

    /// Places frames at these times, in milliseconds, and returns the times in the movie.
    private func place(_ times: [Int], in line: inout TimeLapseLine) -> [Int64?] {
        times.map { time in
            line.place(milliseconds(time), captured: milliseconds(time + 500), tolerance: Self.half)?.ticks(in: 1000)
        }
    }

    @Test func line_framesOfACamera_takesOneOfEachInterval() {
        var line = TimeLapseLine(Self.lapse)
        let placed = place(Array(stride(from: 7000, through: 37_100, by: 40)), in: &line).compactMap(\.self)
        #expect(placed == [7000, 7040, 7080, 7120])
        #expect(line.frames.map { $0.captured.ticks(in: 1000) } == [7500, 17_500, 27_500, 37_500])
    }

    @Test func line_frameAlittleEarly_countsForTheNextInterval() {
        var line = TimeLapseLine(TimeLapse(every: milliseconds(1000)))
        #expect(place([0, 990, 2010, 2985, 3990], in: &line) == [0, 40, 80, 120, 160])
    }

    @Test func line_cameraWasAway_leavesTheTimeOut() {
        var line = TimeLapseLine(Self.lapse)
        #expect(place([0, 5000, 45_000, 50_000], in: &line) == [0, nil, 160, 200])
    }

    @Test func line_times_areConvertedBothWays() {
        var line = TimeLapseLine(Self.lapse)
        #expect(line.played(milliseconds(9000)) == milliseconds(9000))
        _ = place([1000], in: &line)
        #expect(line.played(milliseconds(11_000)) == milliseconds(1040))
        #expect(line.moment(of: milliseconds(1080)) == milliseconds(21_000))
        #expect(line.played(milliseconds(6000)) == milliseconds(1020))
        #expect(line.played(.positiveInfinity) == .positiveInfinity)
        #expect(Self.lapse.speed == 250)
    }

    @Test func line_afterLast_isBetweenTheLastFrameAndTheNext() {
        var line = TimeLapseLine(Self.lapse)
        #expect(line.afterLast(milliseconds(500)) == milliseconds(500))
        // The second frame is early, and plays where its interval begins.
        _ = place([0, 9990], in: &line)
        #expect(line.afterLast(milliseconds(9995)) == milliseconds(60))
        #expect(line.afterLast(milliseconds(19_000)) == milliseconds(76))
    }

    @Test func line_afterLastWithAFrameToBePlaced_isAfterItsInterval() {
        var line = TimeLapseLine(Self.lapse)
        _ = place([0], in: &line)
        #expect(line.afterLast(milliseconds(9995), tolerance: milliseconds(20)) == milliseconds(60))
        #expect(place([9990], in: &line) == [40])
        #expect(line.afterLast(milliseconds(5000), tolerance: milliseconds(20)) == milliseconds(60))
    }

    @Test func line_end_givesTheLastFrameItsDuration() {
        var line = TimeLapseLine(Self.lapse)
        _ = place([0, 10_000], in: &line)
        #expect(line.end(milliseconds(10_010)) == milliseconds(80))
        #expect(line.end(milliseconds(10_000)) == milliseconds(80))
        #expect(line.end(milliseconds(25_000)) == milliseconds(120))
    }

    @Test func line_pauses_leadToTheCaptureTimes() {
        var line = TimeLapseLine(Self.lapse)
        _ = place([0, 10_010, 20_000, 30_000], in: &line)
        let pauses = line.pauses(from: .zero, at: milliseconds(500), to: milliseconds(160))
        #expect(pauses.map { $0.moment.ticks(in: 1000) } == [40, 80, 120])
        #expect(pauses.map { $0.duration.ticks(in: 1000) } == [9970, 9950, 9960])
        // The last one includes those that are left out.
        let few = line.pauses(from: .zero, at: milliseconds(500), to: milliseconds(160), most: 2)
        #expect(few.map { $0.moment.ticks(in: 1000) } == [40, 120])
        #expect(few.map { $0.duration.ticks(in: 1000) } == [9970, 19_910])
    }

    @Test func line_manyFrames_forgetsEverySecondOne() {
        var line = TimeLapseLine(TimeLapse(every: milliseconds(1000)))
        for number in 0..<(TimeLapseLine.most + 2) {
            _ = line.place(milliseconds(number * 1000), captured: milliseconds(number * 1000), tolerance: .zero)
        }
        #expect(line.stride == 2 && line.frames.count == TimeLapseLine.most / 2 + 1)
        #expect(line.frames[1].captured == milliseconds(2000))
        #expect(line.frames.last?.captured == milliseconds(TimeLapseLine.most * 1000))
    }

    @Test func metadata_ofAFile_hasTheTimesOfItsFrames() throws {
        var line = TimeLapseLine(Self.lapse)
        _ = place([0, 10_010, 20_000, 30_000], in: &line)
        let growing = RecordedTimeLapse(Self.lapse)
        #expect(growing.metadataItem.value == #"{"every":10,"playRate":25}"#)
        let facts = RecordedTimeLapse(line, from: milliseconds(40), to: milliseconds(120))
        #expect(facts.times == [0, 9.99] && facts.step == 1)
        let read = try JSONDecoder().decode(RecordedTimeLapse.self, from: Data(facts.metadataItem.value.utf8))
        #expect(read == facts)
    }
}
