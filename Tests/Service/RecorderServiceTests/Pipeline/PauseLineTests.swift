import FakeDevices
import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

@Suite struct PauseLineTests {
    private func block(_ line: PauseLine, at start: Int) -> PauseLine.Place {
        line.place(milliseconds(start), frames: 4800, rate: 48_000)
    }

    private func frame(_ line: PauseLine, at time: Int) -> PauseLine.Place {
        line.place(milliseconds(time), frames: 1, rate: nil)
    }

    private func paused(from start: Int, to end: Int? = nil) -> PauseLine {
        var line = PauseLine()
        line.pause(at: milliseconds(start))
        if let end { line.resume(at: milliseconds(end)) }
        return line
    }

    @Test func place_noPause_keepsTheDeviceTime() {
        let line = PauseLine()
        #expect(block(line, at: 100) == .recorded(shift: .zero))
        #expect(frame(line, at: 100) == .recorded(shift: .zero))
        #expect(line.moment(of: milliseconds(7)) == milliseconds(7))
        #expect(!line.isPaused)
    }

    @Test func place_audioAtBothEndsOfAPause_isTrimmedExactly() {
        let line = paused(from: 1050, to: 2075)
        #expect(block(line, at: 900) == .recorded(shift: .zero))
        #expect(block(line, at: 1000) == .head(frames: 2400, shift: .zero))
        #expect(block(line, at: 1050) == .paused)
        #expect(block(line, at: 1500) == .paused)
        #expect(block(line, at: 2000) == .split(skipping: 3600, shift: milliseconds(1025)))
        #expect(block(line, at: 2100) == .recorded(shift: milliseconds(1025)))
    }

    @Test func place_frameNearAPause_dependsOnItsStart() {
        let line = paused(from: 1050, to: 2075)
        #expect(frame(line, at: 1049) == .recorded(shift: .zero))
        #expect(frame(line, at: 1050) == .paused)
        #expect(frame(line, at: 2074) == .paused)
        #expect(frame(line, at: 2075) == .recorded(shift: milliseconds(1025)))
    }

    @Test func place_lateSample_dependsOnItsOwnTime() {
        // After the resume, samples of the pause and of the time before it still arrive.
        let line = paused(from: 1000, to: 1200)
        #expect(frame(line, at: 960) == .recorded(shift: .zero))
        #expect(frame(line, at: 1100) == .paused)
        #expect(block(line, at: 950) == .head(frames: 2400, shift: .zero))
    }

    @Test func place_openPause_leavesOutAllAfterItsStart() {
        let line = paused(from: 1000)
        #expect(line.isPaused)
        #expect(frame(line, at: 999) == .recorded(shift: .zero))
        #expect(frame(line, at: 50_000) == .paused)
        #expect(block(line, at: 50_000) == .paused)
        #expect(line.moment(of: milliseconds(50_000)) == milliseconds(1000))
    }

    @Test func pauses_several_addUpAndTimesNeverDecrease() {
        var line = paused(from: 1000, to: 2000)
        line.pause(at: milliseconds(3000))
        line.resume(at: milliseconds(3500))
        #expect(frame(line, at: 2500) == .recorded(shift: milliseconds(1000)))
        #expect(frame(line, at: 3250) == .paused)
        #expect(frame(line, at: 3600) == .recorded(shift: milliseconds(1500)))
        let moments = (0..<500).map { line.moment(of: milliseconds($0 * 10)) }
        #expect(zip(moments, moments.dropFirst()).allSatisfy { $0 <= $1 })
        // Each recorded sample is at the movie time of its capture time.
        for time in stride(from: 0, to: 5000, by: 10) {
            guard case .recorded(let shift) = frame(line, at: time) else { continue }
            #expect(milliseconds(time) - shift == line.moment(of: milliseconds(time)))
        }
    }

    @Test func pauses_several_leaveOutTheirLengthOfAudio() {
        var line = paused(from: 1013, to: 1987)
        line.pause(at: milliseconds(2001))
        line.resume(at: milliseconds(2044))
        var recorded = 0
        for start in stride(from: 0, to: 4000, by: 100) {
            switch block(line, at: start) {
            case .recorded: recorded += 4800
            case .head(let frames, _): recorded += frames
            case .split(let skipped, _): recorded += 4800 - skipped
            case .paused: break
            }
        }
        // One range of a block is kept: a pause inside a block also removes the rest of the block, here 56 ms.
        #expect(recorded == (4000 - 974 - 43 - 56) * 48)
    }

    @Test func pauseAndResume_repeated_changeNothing() {
        var line = paused(from: 1000)
        line.pause(at: milliseconds(1500))
        line.resume(at: milliseconds(2000))
        line.resume(at: milliseconds(2500))
        #expect(frame(line, at: 2000) == .recorded(shift: milliseconds(1000)))
    }

    @Test func pause_beforeTheEndOfTheLast_beginsAtThatEnd() {
        var line = paused(from: 1000, to: 2000)
        line.pause(at: milliseconds(1500))
        line.resume(at: milliseconds(2500))
        #expect(line.moment(of: milliseconds(3000)) == milliseconds(1500))
        #expect(frame(line, at: 2200) == .paused)
    }

    @Test func time_ofAMovieTime_isTheCaptureTime() {
        var line = paused(from: 1000, to: 2000)
        line.pause(at: milliseconds(3000))
        #expect(line.time(of: milliseconds(1500)) == milliseconds(2500))
        line.resume(at: milliseconds(3500))
        for time in stride(from: 0, to: 5000, by: 10) {
            guard case .recorded = frame(line, at: time) else { continue }
            #expect(line.time(of: line.moment(of: milliseconds(time))) == milliseconds(time))
        }
        // At the position of a pause, the time is that of the sample after it.
        #expect(line.time(of: milliseconds(1000)) == milliseconds(2000))
    }

    private func pauses(_ line: PauseLine, from start: Int, to end: Int) -> [[Int64]] {
        line.pauses(from: milliseconds(start), at: line.time(of: milliseconds(start)), to: milliseconds(end)).map {
            [$0.moment.ticks(in: 1000), $0.duration.ticks(in: 1000)]
        }
    }

    @Test func pauses_inATimeRange_areListedWithTheirPosition() {
        var line = paused(from: 1000, to: 2000)
        line.pause(at: milliseconds(3000))
        line.resume(at: milliseconds(3500))
        // A pause right after a pause: both become one.
        line.pause(at: milliseconds(3500))
        line.resume(at: milliseconds(3700))
        line.pause(at: milliseconds(5000))
        #expect(pauses(line, from: 0, to: 4000) == [[1000, 1000], [2000, 700]])
        #expect(pauses(line, from: 1000, to: 4000) == [[2000, 700]])
        #expect(pauses(line, from: 500, to: 2000) == [[1000, 1000]])
        #expect(pauses(line, from: 2100, to: 9000).isEmpty)
    }

    @Test func pauses_tooMany_mergeTheOldestAndKeepTheSum() {
        var line = PauseLine()
        for index in 0..<2000 {
            line.pause(at: milliseconds(1000 * index + 500))
            line.resume(at: milliseconds(1000 * index + 600))
        }
        let all = line.pauses(from: .zero, at: .zero, to: .positiveInfinity)
        #expect(all.count == PauseLine.most)
        #expect(all.first?.duration == milliseconds(100 * (2000 - PauseLine.most + 1)))
        #expect(all.reduce(.zero) { $0 + $1.duration } == milliseconds(200_000))
        #expect(line.moment(of: milliseconds(2_000_000)) == milliseconds(1_800_000))
    }
}
