import CommandInterface
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Requests with a time: a recorder begins, pauses and ends at that instant, so that several do so together.
@Suite(.timeLimit(.minutes(10))) struct SameInstantTests {
    private func milliseconds(_ count: Int) -> MediaTime { MediaTime(value: Int64(count), timescale: 1000) }

    /// An armed recorder with frames every 40 ms from 1000 on.
    private func armed(
        _ directory: String, isOnce: Bool = false, preRoll: MediaTime? = nil,
        _ body: (CaptureBench, Task<SessionOutcome, Never>) async throws -> Void
    ) async throws {
        let bench = CaptureBench(directory) {
            ($0.isArmed, $0.isArmedOnce) = (true, isOnce)
            $0.preRoll = preRoll
        }
        let run = bench.run()
        try await bench.ready()
        bench.play(to: 3000)
        try await bench.play { bench.process.status.state == .armed }
        try await body(bench, run)
    }

    @Test func record_pastTime_beginsThere() async throws {
        try await withTemporaryDirectory { directory in
            try await armed(directory, preRoll: milliseconds(1500)) { bench, run in
                let wanted = bench.now - 700
                _ = try await bench.record(at: milliseconds(wanted))
                #expect(bench.files.all[0].opening.start == milliseconds(wanted))
                bench.process.requestStop()
                try await bench.play { bench.files.all[0].isWhole }
                _ = try await bench.end(run, at: bench.now)
            }
        }
    }

    @Test func record_futureTime_beginsThere() async throws {
        try await withTemporaryDirectory { directory in
            try await armed(directory) { bench, run in
                let wanted = bench.now + 130
                _ = try await bench.record(at: milliseconds(wanted))
                let file = bench.files.all[0]
                #expect(file.opening.start >= milliseconds(wanted))
                #expect(file.opening.start < milliseconds(wanted + 40))
                #expect(file.shown.allSatisfy { $0 >= wanted })
                _ = try await bench.end(run, at: bench.now + 400)
            }
        }
    }

    @Test func pauseAndResume_atGivenTimes_leaveOutExactlyThat() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            try await bench.play { bench.process.status.state == .recording }
            let (pause, resume) = (bench.now + 200, bench.now + 600)
            #expect(try bench.process.pause(at: milliseconds(pause)).state == .paused)
            bench.play(to: pause + 100)
            #expect(try bench.process.resume(at: milliseconds(resume)).state == .recording)
            bench.play(to: resume + 400)
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.failure == nil && outcome.status.isExact)
            // 400 ms of both tracks are left out, and nothing else. A pause is not a drop.
            #expect(outcome.status.video?.paused == 10 && outcome.status.video?.dropped.paused == 0)
            #expect(outcome.status.audio?.paused == 19_200 && outcome.status.audio?.dropped.paused == 0)
        }
    }

    @Test func pause_pastTime_beginsNowAndIsLogged() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            try await bench.play { bench.process.status.state == .recording }
            #expect(try bench.process.pause(at: milliseconds(bench.now + 100)).state == .paused)
            #expect(!bench.log.contains("came late"))
            bench.play(to: bench.now + 1000)
            let late = try bench.process.resume(at: milliseconds(bench.now - 700))
            #expect(late.state == .recording)
            #expect(bench.log.contains("s after the common time"))
            _ = try await bench.end(run, at: bench.now + 400)
        }
    }

    @Test func lateness_answerAfterTheInstant_isReported() {
        let instant = milliseconds(1000)
        #expect(SeveralRecordings.lateness(of: "front", nil, now: 2_000_000_000) == nil)
        #expect(SeveralRecordings.lateness(of: "front", instant, now: 1_000_000_000) == nil)
        #expect(
            SeveralRecordings.lateness(of: "front", instant, now: 1_701_000_000)
                == "front answered late: it may have acted up to 0.71 s after the other recorders")
    }

    @Test func stop_futureTime_endsThere() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            try await bench.play { bench.process.status.state == .recording }
            let end = bench.now + 300
            let stop = Task { try await bench.process.stop(disarms: false, at: milliseconds(end)) }
            try await waitUntil { bench.process.status.state == .stopping }
            _ = try await bench.playing(stop)
            #expect(await run.value.failure == nil)
            let last = try #require(bench.files.all[0].shown.max())
            #expect(last < end && last >= end - 80)
        }
    }

    /// The option that `start` uses for several recorders. Without it, an armed recorder would remain.
    @Test func armedOnce_afterItsRecording_ends() async throws {
        try await withTemporaryDirectory { directory in
            try await armed(directory, isOnce: true) { bench, run in
                _ = try await bench.record()
                bench.play(to: bench.now + 500)
                let status = try await bench.stopRecording()
                #expect(status.state == .stopping && status.file != nil)
                let outcome = await run.value
                #expect(outcome.failure == nil && outcome.status.isExact)
            }
        }
    }

    @Test func armedOnce_neverStarted_ends() async throws {
        try await withTemporaryDirectory { directory in
            try await armed(directory, isOnce: true) { bench, run in
                bench.play(to: bench.now + 61_000)
                try await bench.play { bench.process.session.quit.current != nil }
                #expect(await run.value.failure == nil)
                #expect(bench.files.all.isEmpty)
            }
        }
    }
}
