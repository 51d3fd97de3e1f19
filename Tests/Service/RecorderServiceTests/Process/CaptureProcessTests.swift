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

/// One recording from its start to its end.
@Suite(.timeLimit(.minutes(10))) struct CaptureProcessTests {
    @Test func tracks_bothRecorded_beginAndEndTogether() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            for time in stride(from: 1000, to: 1300, by: 100) { bench.block(at: time) }
            for time in stride(from: 1250, to: 1450, by: 40) { bench.frame(at: time) }
            bench.block(at: 1300)
            let file = try #require(bench.files.all.first)
            #expect(file.opening.start == milliseconds(1250))
            #expect(file.times(.audio) == [1250, 1300])
            try await waitUntil { bench.started.withLock { $0 } == [directory + "/take.mov"] }
            #expect(bench.process.status.state == .recording)

            bench.stop(at: 1455)
            bench.frame(at: 1490)
            try await waitUntil { bench.camera?.source.isStopped == true }
            #expect(bench.process.status.state == .stopping)
            bench.block(at: 1400)
            let outcome = await run.value
            #expect(outcome.failure == nil)
            #expect(file.times(.video) == [1250, 1290, 1330, 1370, 1410])
            #expect(file.times(.audio) == [1250, 1300, 1400])
            #expect(file.end == milliseconds(1450))
            #expect(outcome.status.duration == 0.2)
            #expect(outcome.status.file == directory + "/take.mov")
            #expect(outcome.status.closedIn != nil)
            #expect(outcome.status.isExact)
            #expect(bench.microphone?.source.isStopped == true)
            #expect(bench.encoders.made(.video)[0].isOver && bench.encoders.made(.audio)[0].isOver)
        }
    }

    @Test func camera_disconnects_microphoneContinues() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.frame(at: 1000)
            bench.block(at: 1000)
            bench.camera?.unplug()
            try await waitUntil { bench.process.status.error == "lost the camera: it was unplugged" }
            #expect(bench.process.status.state == .recording)
            bench.block(at: 1100)
            bench.block(at: 1200)
            bench.stop(at: 1290)
            let outcome = await run.value
            #expect(outcome.failure == nil)
            #expect(bench.files.all.count == 1)
            #expect(bench.files.all[0].times(.audio) == [1000, 1100, 1200])
            #expect(bench.files.all[0].end == milliseconds(1290))
        }
    }

    @Test func microphone_disconnects_cameraContinues() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory) { $0.duration = milliseconds(100) }
            let run = bench.run()
            try await bench.ready()
            bench.block(at: 900)
            bench.microphone?.unplug()
            try await waitUntil { bench.process.status.audio?.present == false }
            for time in [1000, 1040, 1080, 1120] { bench.frame(at: time) }
            let outcome = await run.value
            #expect(outcome.failure == nil)
            #expect(bench.files.all[0].times(.video) == [1000, 1040, 1080])
            #expect(bench.files.all[0].end == milliseconds(1100))
            #expect(outcome.status.error == "lost the camera: it was unplugged")
        }
    }

    @Test func disk_full_endsTheRecordingAndKeepsTheFile() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            let file = bench.files.all[0]
            try await waitUntil { bench.started.withLock { $0.count } == 1 }
            let rest = directory + "/take.recording.mov"
            #expect(FileManager.default.createFile(atPath: rest, contents: Data("fragments".utf8)))
            file.fail(MediaError(.diskFull, "cannot write \(rest)", reason: "no space left"))
            try await waitUntil { bench.process.status.state == .stopping }
            let outcome = try await bench.end(run, at: 2000)
            #expect(outcome.failure.map(ExitCode.init) == .ioError)
            #expect(outcome.status.state == .failed)
            #expect(outcome.status.error?.contains("no space left") == true)
            #expect(!file.isWhole && !file.isCancelled)
            #expect(FileManager.default.fileExists(atPath: rest))
            #expect(bench.camera?.source.isStopped == true && bench.microphone?.source.isStopped == true)
            // Samples that came after the disk was full are counted.
            #expect(outcome.status.isExact)
            #expect(outcome.status.video.map { $0.dropped.inAll == $0.dropped.disk && $0.written >= 25 } == true)
        }
    }

    @Test func encoder_cannotBeOpened_leavesNoFile() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory + "/%Y") { $0.output = directory + "/%Y/take.mov" }
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            bench.encoders.refuse(MediaError(.codecFailure, "cannot open x264", reason: "no memory"))
            let outcome = await bench.run().value
            #expect(outcome.failure?.stage == .output)
            #expect(bench.started.withLock { $0 }.isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
            #expect(bench.camera?.source.isStopped == true)
        }
    }

    @Test func devices_deliverNoFrame_failAndLeaveNoFile() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            #expect(bench.process.status.state == .starting)
            bench.block(at: 1000)
            let isOver = Locked(false)
            let waiter = Task {
                let outcome = await run.value
                isOver.withLock { $0 = true }
                return outcome
            }
            try await waitUntil {
                bench.clock.advance(by: 200_000_000)
                return isOver.withLock { $0 }
            }
            let outcome = await waiter.value
            #expect(bench.now >= 16_000)
            #expect(outcome.failure.map(ExitCode.init) == .unavailable)
            #expect(bench.files.all.isEmpty)
            #expect(bench.started.withLock { $0 }.isEmpty)
            #expect(outcome.status.file == nil)
        }
    }

    @Test func stop_beforeTheFirstFrame_leavesNoFile() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory) { $0.output = directory + "/%Y/take.mov" }
            let run = bench.run()
            try await bench.ready()
            bench.block(at: 1000)
            bench.stop(at: 1050)
            try await waitUntil {
                bench.clock.advance(by: 100_000_000)
                return bench.camera?.source.isStopped == true && bench.microphone?.source.isStopped == true
            }
            #expect(await run.value.failure?.error.code == .cancelled)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
        }
    }

    @Test func device_cannotBeOpened_leavesNoFile() async throws {
        try await withTemporaryDirectory { directory in
            let error = MediaError(.busy, "cannot open /dev/video0", reason: "in use")
            let outcome = await CaptureBench(directory, error: error).run().value
            #expect(outcome.failure == RecordingFailure(.devices, error))
            #expect(outcome.status.state == .failed)
            let left = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(left.isEmpty)
        }
    }

    @Test func drops_beforeTheSession_areNotCounted() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory) { $0.duration = milliseconds(100) }
            let run = bench.run()
            try await bench.ready()
            let (camera, microphone) = (bench.camera?.source, bench.microphone?.source)
            camera?.send(.lost(count: 5, cause: .device, near: milliseconds(900)))
            microphone?.send(.lost(count: 480, cause: .device, near: milliseconds(900)))
            camera?.frame(at: 1000)
            camera?.send(.lost(count: 2, cause: .device, near: milliseconds(1040)))
            microphone?.send(.lost(count: 960, cause: .device, near: milliseconds(1040)))
            camera?.frame(at: 1120)
            microphone?.block(at: 1050)
            let status = await run.value.status
            #expect(status.video?.captured == 3)
            #expect(status.video?.dropped.device == 2)
            #expect(status.audio?.dropped.device == 960)
            #expect(status.audio?.xruns == 1)
            #expect(status.isExact)
            // The file's own drop counts include them.
            #expect(bench.files.all[0].ledger(.video)[dropped: .device] == 2)
            #expect(bench.files.all[0].ledger(.audio)[dropped: .device] == 960)
        }
    }

    @Test func recording_audioOnly_isWritten() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory, camera: false) { $0.duration = milliseconds(150) }
            let run = bench.run()
            try await bench.ready()
            for time in [1000, 1100, 1200] { bench.block(at: time) }
            let outcome = await run.value
            #expect(outcome.failure == nil)
            let file = try #require(bench.files.all.first)
            #expect(file.opening.start == milliseconds(1000) && file.opening.video == nil)
            #expect(file.end == milliseconds(1150))
            #expect(file.times(.audio) == [1000, 1100])
            #expect(outcome.status.video == nil)
            #expect(bench.started.withLock { $0 }.count == 1)
        }
    }

    @Test func encoder_fails_otherTrackContinues() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 1500)
            bench.encoders.made(.video)[0].end(MediaError(.codecFailure, "cannot encode video", reason: "x264 says no"))
            try await waitUntil { bench.process.status.error?.contains("x264 says no") == true }
            #expect(bench.process.status.state == .recording)
            bench.play(to: 3000)
            let outcome = try await bench.end(run, at: 3000)
            #expect(outcome.failure == nil)
            #expect(bench.files.all[0].times(.audio).contains(2800))
            // Frames without an encoder are counted.
            #expect(outcome.status.isExact)
            #expect(outcome.status.video.map { $0.dropped.encoder >= 37 } == true)
        }
    }
}
