import CommandInterface
import FakeDevices
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Requests to an armed recorder that arrive before it has handled the one before.
@Suite(.timeLimit(.minutes(10))) struct SimultaneousRequestTests {
    private func armed(
        _ directory: String, preRoll: MediaTime? = nil, _ body: (CaptureBench) async throws -> Void
    ) async throws {
        let bench = CaptureBench(directory) {
            $0.isArmed = true
            $0.preRoll = preRoll
        }
        let run = bench.run()
        try await bench.ready()
        bench.play(to: 3000)
        try await bench.play { bench.process.status.state == .armed }
        try await body(bench)
        _ = try await bench.end(run, at: bench.now)
    }

    private func recording(of bench: CaptureBench) throws -> RecordingRun {
        let (session, now) = (bench.process.session, Date(timeIntervalSince1970: 1_800_000_000))
        let location = try session.files.location(session.settings, now: now, numbersTaken: true)
        return RecordingRun(session.settings, first: location, now: now)
    }

    @Test(arguments: [false, true]) func stop_beforeTheRecordingBegins_recordsNothing(quits: Bool) async throws {
        try await withTemporaryDirectory { directory in
            try await armed(directory) { bench in
                let run = try recording(of: bench)
                try await bench.process.session.acceptAndEnd(run, quits: quits)
                let outcome = try await bench.playing(Task { await run.outcome.value() })
                #expect(outcome.failure?.error.code == .cancelled)
                #expect(run.hasBegun.current != nil && bench.files.all.isEmpty)
            }
        }
    }

    @Test(arguments: [false, true]) func stop_beforeTheRecordingBegins_keepsThePreRoll(quits: Bool) async throws {
        try await withTemporaryDirectory { directory in
            try await armed(directory, preRoll: milliseconds(1000)) { bench in
                let (run, asked) = (try recording(of: bench), bench.now)
                try await bench.process.session.acceptAndEnd(run, quits: quits)
                let outcome = try await bench.playing(Task { await run.outcome.value() })
                #expect(outcome.failure == nil)
                #expect(bench.files.all.map(\.end) == [milliseconds(asked)])
                #expect(bench.files.all.allSatisfy { $0.isWhole && $0.opening.start < milliseconds(asked) })
            }
        }
    }

    @Test func record_noticeBeforeItBegins_records() async throws {
        try await withTemporaryDirectory { directory in
            try await armed(directory) { bench in
                _ = try await bench.record()
                bench.play(to: bench.now + 500)
                _ = try await bench.stopRecording()
                let run = try recording(of: bench)
                try await bench.process.session.acceptAfterNotice(run)
                let failure = try await bench.playing(Task { await run.hasBegun.value() })
                #expect(failure == nil && run.outcome.current == nil)
                bench.play(to: bench.now + 500)
                let stopped = try await bench.stopRecording()
                #expect(stopped.error == nil && stopped.isExact)
                #expect(bench.files.all.count == 2 && bench.files.all.allSatisfy(\.isWhole))
            }
        }
    }
}

extension CaptureSession {
    /// Requests a recording while a notice waits, as after a stop that was refused.
    fileprivate func acceptAfterNotice(_ run: RecordingRun) throws(MediaError) {
        notices.send(.look)
        try accept(run)
    }

    /// Requests a recording and its end, before the session can begin the recording.
    fileprivate func acceptAndEnd(_ run: RecordingRun, quits: Bool) throws(MediaError) {
        try accept(run)
        end(quits: quits)
    }
}
