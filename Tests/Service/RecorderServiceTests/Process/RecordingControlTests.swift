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

/// Pause, split and mark during a recording.
@Suite(.timeLimit(.minutes(10))) struct RecordingControlTests {
    private func recording(
        _ directory: String, _ configure: (inout RecordingConfiguration) -> Void = { _ in }
    ) async throws -> (CaptureBench, Task<SessionOutcome, Never>) {
        let bench = CaptureBench(directory, configure)
        let run = bench.run()
        try await bench.ready()
        bench.play(to: 1500)
        try await waitUntil { bench.process.status.state == .recording }
        return (bench, run)
    }

    private func pause(_ bench: CaptureBench, at time: Int) throws {
        bench.play(to: time)
        #expect(try bench.process.pause().state == .paused)
    }

    private func resume(_ bench: CaptureBench, at time: Int) throws {
        bench.play(to: time)
        #expect(try bench.process.resume().state == .recording)
    }

    @Test func pause_bothTracks_leaveOutTheSameTime() async throws {
        try await withTemporaryDirectory { directory in
            let (bench, run) = try await recording(directory)
            try pause(bench, at: 2050)
            #expect(await MediaError.of { try bench.process.pause() }?.code == .invalidState)
            try resume(bench, at: 3070)
            #expect(await MediaError.of { try bench.process.resume() }?.code == .invalidState)
            bench.play(to: 4500)
            let outcome = try await bench.end(run, at: 4520)
            #expect(outcome.failure == nil)
            let status = outcome.status
            #expect(status.isExact)
            // Frames 2080 … 3040 ms, and 1.02 s of audio.
            #expect(status.video?.paused == 25)
            #expect(status.audio?.paused == 48_960)
            #expect(status.video?.dropped.inAll == 0 && status.audio?.dropped.inAll == 0)
            let file = bench.files.all[0]
            let times = file.times(.video)
            #expect(times.contains(2040) && times.contains(2060))
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
            let end = try #require(file.end)
            #expect(end == milliseconds(4520 - 1020))
            // Audio without a gap: as long as the file.
            let audio = file.packets.filter { $0.format.mediaType == .audio }
            #expect(zip(audio, audio.dropFirst()).allSatisfy { $0.endTime == $1.presentationTime })
            #expect(audio.first?.presentationTime == file.opening.start)
            #expect(audio.last.map { $0.endTime >= end } == true)
        }
    }

    @Test func stop_whilePaused_endsAtThePause() async throws {
        try await withTemporaryDirectory { directory in
            let (bench, run) = try await recording(directory)
            try pause(bench, at: 2000)
            bench.play(to: 5000)
            let outcome = try await bench.end(run, at: 5000)
            #expect(outcome.failure == nil && outcome.status.isExact)
            #expect(bench.files.all[0].end == milliseconds(2000))
            #expect(outcome.status.duration == 1)
            #expect(outcome.status.video?.written == 25)
            #expect(outcome.status.video.map { ($0.paused ?? 0) >= 75 } == true)
        }
    }

    @Test func split_twice_returnsTheClosedFiles() async throws {
        try await withTemporaryDirectory { directory in
            let (bench, run) = try await recording(directory)
            bench.play(to: 2300)
            let closed = try await bench.split()
            #expect(closed.file == directory + "/take.mov")
            #expect(closed.duration.map { $0 >= 1.3 && $0 < 2 } == true)
            let second = try await bench.split()
            #expect(second.file == directory + "/take-002.mov")
            bench.play(to: bench.now + 500)
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.status.segments.map(\.file) == ["", "-002", "-003"].map { directory + "/take\($0).mov" })
            #expect(outcome.status.isExact)
            let files = bench.files.all
            #expect(files.count == 3)
            let shown = files.flatMap(\.shown)
            #expect(shown == Array(stride(from: 1000, to: 1000 + shown.count * 40, by: 40).map(Int64.init)))
            #expect(Int64(shown.count) == outcome.status.video?.written)
            for (file, next) in zip(files, files.dropFirst()) {
                #expect(file.end == next.opening.start)
                #expect(next.packets.first { $0.format.mediaType == .video }?.isKeyframe == true)
            }
            for file in files { #expect(file.ledger(.video).pending == 0 && file.ledger(.audio).pending == 0) }
        }
    }

    @Test func split_anotherInProgress_isRefused() async throws {
        try await withTemporaryDirectory { directory in
            let (bench, run) = try await recording(directory)
            let first = Task { try await bench.process.split() }
            try await waitUntil { !bench.process.session.snapshot.splits.isEmpty }
            let error = await MediaError.of { try await bench.process.split() }
            #expect(error?.code == .busy && error?.wayOut != nil)
            #expect(try await bench.playing(first).file == directory + "/take.mov")
            _ = try await bench.end(run, at: bench.now)
        }
    }

    @Test func split_paused_isRefusedAtOnce() async throws {
        try await withTemporaryDirectory { directory in
            let (bench, run) = try await recording(directory)
            try pause(bench, at: 2050)
            let error = await MediaError.of { try await bench.process.split() }
            #expect(error?.code == .invalidState && error?.reason == "it is paused")
            try resume(bench, at: 3070)
            bench.play(to: 4500)
            let outcome = try await bench.end(run, at: 4520)
            #expect(outcome.failure == nil && outcome.status.segments.count == 1)
        }
    }

    @Test func pause_duringASplit_answersBoth() async throws {
        try await withTemporaryDirectory { directory in
            let (bench, run) = try await recording(directory)
            let split = Task { try await bench.process.split() }
            try await waitUntil { !bench.process.session.snapshot.splits.isEmpty }
            #expect(try bench.process.pause().state == .paused)
            let error = await MediaError.of { try await split.value }
            #expect(error?.code == .invalidState && error?.reason.contains("paused") == true)
            try resume(bench, at: bench.now + 1000)
            // The file ends at the first keyframe after the pause.
            try await bench.play { bench.files.all.count == 2 }
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.failure == nil && outcome.status.isExact)
        }
    }

    @Test func stop_duringASplit_answersBoth() async throws {
        try await withTemporaryDirectory { directory in
            let (bench, run) = try await recording(directory)
            let split = Task { try await bench.process.split() }
            try await waitUntil { !bench.process.session.snapshot.splits.isEmpty }
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.failure == nil && outcome.status.isExact)
            #expect(try await split.value.file == directory + "/take.mov")
            #expect(bench.files.all.allSatisfy { $0.isWhole })
        }
    }

    @Test func mark_acrossAPause_isAChapterAtItsTime() async throws {
        try await withTemporaryDirectory { directory in
            let (bench, run) = try await recording(directory)
            bench.play(to: 2100)
            try bench.process.mark("goal")
            try pause(bench, at: 2500)
            bench.play(to: 3500)
            try resume(bench, at: 3500)
            bench.play(to: 4000)
            try bench.process.mark("half-time")
            bench.play(to: 4300)
            #expect(bench.process.status.marks == 2)
            _ = try await bench.end(run, at: 4300)
            #expect(bench.files.all[0].chapters == ["goal 2100", "half-time 3000"])
        }
    }

    /// A recording with a configuration file that sets the length of files. If the text is nil, the file cannot be
    /// read.
    private func reloadable(_ directory: String, _ text: Locked<Int?>, segment: Int? = nil) -> CaptureBench {
        CaptureBench(directory) {
            $0.segments.duration = segment.map { milliseconds($0) }
        } reloader: { () throws(RecordingFailure) in
            guard let duration = text.withLock({ $0 }) else {
                throw RecordingFailure(
                    .configuration,
                    MediaError(.invalidSettings, "cannot read recorder.yaml", reason: "line 3 says nothing"))
            }
            var configuration = RecordingConfiguration()
            configuration.output = directory + "/take.mov"
            configuration.segments.duration = duration == 0 ? nil : milliseconds(duration)
            return configuration
        }
    }

    @Test func reload_otherRules_applyFromNowOn() async throws {
        try await withTemporaryDirectory { directory in
            let text = Locked<Int?>(nil)
            let bench = reloadable(directory, text)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 1500)
            // An unreadable file changes nothing.
            #expect(await MediaError.of { try await bench.process.reload() }?.code == .invalidSettings)
            #expect(bench.process.settings.segments.duration == nil)
            #expect(bench.log.contains("line 3 says nothing"))
            bench.play(to: 4000)
            #expect(bench.files.all.count == 1)
            text.withLock { $0 = 1000 }
            #expect(try await bench.process.reload() == ["segment: not set → 1s"])
            #expect(bench.log.lines.contains("notice: segment: not set → 1s"))
            #expect(try await bench.process.reload().isEmpty)
            #expect(bench.log.lines.contains("notice: no changes"))
            // The file is already longer: it ends at the next keyframe. Each of the following files lasts a second.
            bench.play(to: 7500)
            let files = bench.files.all
            #expect(files.count >= 3)
            #expect(files[0].end.map { $0 >= milliseconds(4000) && $0 <= milliseconds(5100) } == true)
            #expect(files[1].end.map { ($0 - files[1].opening.start) <= milliseconds(2100) } == true)
            _ = try await bench.end(run, at: bench.now)
        }
    }

    @Test func reload_ruleRemoved_endsNoMoreFiles() async throws {
        try await withTemporaryDirectory { directory in
            let text = Locked<Int?>(0)
            let bench = reloadable(directory, text, segment: 3000)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2500)
            #expect(try await bench.process.reload() == ["segment: 3s → not set"])
            bench.play(to: 9000)
            #expect(bench.files.all.count == 1)
            _ = try await bench.end(run, at: bench.now)
        }
    }
}
