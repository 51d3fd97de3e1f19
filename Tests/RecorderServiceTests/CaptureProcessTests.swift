import Capture
import Foundation
import Logging
import MediaTypes
import RealTime
import Testing

@testable import RecorderService

@Suite(.timeLimit(.minutes(1))) struct CaptureProcessTests {
    /// A recording of fakes: the test is camera, microphone, disk and clock.
    private final class Bench: Sendable {
        let camera: FakeSource?
        let microphone: FakeSource?
        let sink: FakeSink
        let clock = ManualClock(nanoseconds: 1_000_000_000)
        let process: CaptureProcess
        let started = Locked<[String]>([])

        init(
            _ directory: String, camera: Bool = true, microphone: Bool = true, duration: MediaTime? = nil,
            error: MediaError? = nil
        ) {
            self.camera = camera ? .camera() : nil
            self.microphone = microphone ? .microphone() : nil
            let sink = FakeSink(hasVideo: camera, hasAudio: microphone)
            self.sink = sink
            var configuration = RecordingConfiguration()
            configuration.output = directory + "/take.mov"
            configuration.duration = duration
            let sources = RecordingSources(camera: self.camera, microphone: self.microphone)
            process = CaptureProcess(
                configuration: configuration, opener: FakeOpener(sources: sources, error: error), clock: clock,
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, soundPatience: 0
            ) { _, _, _, _ in sink }
        }

        func run() -> Task<CaptureProcess.Outcome, Never> {
            Task { await process.run { path in self.started.withLock { $0.append(path) } } }
        }

        /// Both devices are running.
        func ready() async throws {
            try await eventually { (self.camera?.isStarted ?? true) && (self.microphone?.isStarted ?? true) }
        }

        func stop(at time: Int) {
            clock.advance(by: Int64(time) * 1_000_000 - clock.nanoseconds)
            process.requestStop()
        }
    }

    @Test func bothTracksBeginAndEndTogether() async throws {
        try await withTemporaryDirectory { directory in
            let bench = Bench(directory)
            let run = bench.run()
            try await bench.ready()
            for time in stride(from: 1000, to: 1300, by: 100) { bench.microphone?.block(at: time) }
            for time in stride(from: 1250, to: 1450, by: 40) { bench.camera?.frame(at: time) }
            bench.microphone?.block(at: 1300)
            #expect(bench.sink.told.sessionStart == milliseconds(1250))
            #expect(bench.sink.audioTrack.times == [1200, 1300])
            bench.sink.send(.firstSampleWritten)
            try await eventually { bench.started.withLock { $0 } == [directory + "/take.mov"] }
            #expect(bench.process.status.state == .recording)

            bench.stop(at: 1455)
            bench.camera?.frame(at: 1490)
            try await eventually { bench.camera?.isStopped == true }
            #expect(bench.process.status.state == .stopping)
            bench.microphone?.block(at: 1400)
            let outcome = await run.value
            #expect(outcome.failure == nil)
            #expect(bench.sink.videoTrack.times == [1250, 1290, 1330, 1370, 1410])
            #expect(bench.sink.audioTrack.times == [1200, 1300, 1400])
            #expect(bench.sink.told.end == milliseconds(1450))
            #expect(bench.sink.told.isFinished)
            #expect(bench.sink.videoTrack.isFinished && bench.sink.audioTrack.isFinished)
            #expect(outcome.status.duration == 0.2)
            #expect(outcome.status.file == directory + "/take.mov")
            #expect(outcome.status.closedIn != nil)
            #expect(bench.microphone?.isStopped == true)
        }
    }

    @Test func aCameraThatFailsLeavesTheMicrophoneRecording() async throws {
        try await withTemporaryDirectory { directory in
            let bench = Bench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.camera?.frame(at: 1000)
            bench.microphone?.block(at: 1000)
            bench.sink.send(.firstSampleWritten)
            bench.camera?.send(.failed(MediaError(.deviceLost, "cannot read the camera", reason: "it was unplugged")))
            try await eventually { bench.sink.videoTrack.isFinished }
            #expect(bench.process.status.error == "cannot read the camera: it was unplugged")
            #expect(bench.process.status.state == .recording)
            bench.microphone?.block(at: 1100)
            bench.microphone?.block(at: 1200)
            bench.stop(at: 1290)
            let outcome = await run.value
            #expect(outcome.failure == nil)
            #expect(bench.sink.audioTrack.times == [1000, 1100, 1200])
            #expect(bench.sink.told.end == milliseconds(1290))
        }
    }

    @Test func aMicrophoneThatFailsLeavesTheCameraRecording() async throws {
        try await withTemporaryDirectory { directory in
            let bench = Bench(directory, duration: milliseconds(100))
            let run = bench.run()
            try await bench.ready()
            bench.microphone?.block(at: 900)
            bench.microphone?.send(.failed(MediaError(.deviceLost, "cannot read the microphone", reason: "gone")))
            try await eventually { bench.sink.audioTrack.isFinished }
            for time in [1000, 1040, 1080, 1120] { bench.camera?.frame(at: time) }
            let outcome = await run.value
            #expect(outcome.failure == nil)
            #expect(bench.sink.videoTrack.times == [1000, 1040, 1080])
            #expect(bench.sink.told.end == milliseconds(1100))
            #expect(outcome.status.error == "cannot read the microphone: gone")
        }
    }

    @Test func withoutAnyDeviceLeftTheFileIsFinishedAndTheExitCodeSaysSo() async throws {
        try await withTemporaryDirectory { directory in
            let bench = Bench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.camera?.frame(at: 1000)
            bench.microphone?.block(at: 1000)
            bench.sink.send(.firstSampleWritten)
            for source in [bench.camera, bench.microphone] {
                source?.send(.failed(MediaError(.deviceLost, "cannot read it", reason: "gone")))
            }
            let outcome = await run.value
            #expect(outcome.failure.map(ExitCode.init) == .failed)
            #expect(outcome.status.state == .failed)
            #expect(bench.sink.told.isFinished)
            #expect(!bench.sink.told.isCancelled)
        }
    }

    @Test func aFullDiskEndsItAndLeavesTheFile() async throws {
        try await withTemporaryDirectory { directory in
            let bench = Bench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.camera?.frame(at: 1000)
            bench.sink.send(.firstSampleWritten)
            let rest = directory + "/take.recording.mov"
            #expect(FileManager.default.createFile(atPath: rest, contents: Data("fragments".utf8)))
            bench.sink.send(.failed(MediaError(.diskFull, "cannot write \(rest)", reason: "no space left")))
            let outcome = await run.value
            #expect(outcome.failure.map(ExitCode.init) == .ioError)
            #expect(outcome.status.error?.contains("no space left") == true)
            #expect(!bench.sink.told.isFinished && !bench.sink.told.isCancelled)
            #expect(FileManager.default.fileExists(atPath: rest))
            #expect(bench.camera?.isStopped == true && bench.microphone?.isStopped == true)
        }
    }

    @Test func devicesThatSayNothingAreGivenUpAndNothingIsLeft() async throws {
        try await withTemporaryDirectory { directory in
            let bench = Bench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.clock.advance(by: 10_000_000_000)
            bench.microphone?.block(at: 11_000)
            try await eventually { bench.sink.told.isStarted }
            bench.clock.advance(by: 10_000_000_000)
            let outcome = await run.value
            #expect(outcome.failure.map(ExitCode.init) == .unavailable)
            #expect(bench.sink.told.isCancelled)
            #expect(bench.started.withLock { $0 }.isEmpty)
            #expect(outcome.status.file == nil)
        }
    }

    @Test func stoppedBeforeTheFirstPictureNothingIsLeft() async throws {
        try await withTemporaryDirectory { directory in
            let bench = Bench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.microphone?.block(at: 1000)
            bench.stop(at: 1050)
            try await eventually {
                bench.clock.advance(by: 100_000_000)
                return bench.sink.told.isCancelled
            }
            #expect(await run.value.failure?.error.code == .cancelled)
        }
    }

    @Test func aDeviceThatCannotBeOpenedLeavesNothing() async throws {
        try await withTemporaryDirectory { directory in
            let error = MediaError(.busy, "cannot open /dev/video0", reason: "in use")
            let outcome = await Bench(directory, error: error).run().value
            #expect(outcome.failure == RecordingFailure(.devices, error))
            #expect(outcome.status.state == .failed)
            let left = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(left.isEmpty)
        }
    }

    @Test func lossesCountFromTheStartOfTheSession() async throws {
        try await withTemporaryDirectory { directory in
            let bench = Bench(directory, duration: milliseconds(100))
            let run = bench.run()
            try await bench.ready()
            bench.camera?.send(.lost(count: 5, cause: .device, near: milliseconds(900)))
            bench.microphone?.send(.lost(count: 480, cause: .device, near: milliseconds(900)))
            bench.camera?.frame(at: 1000)
            bench.camera?.send(.lost(count: 2, cause: .device, near: milliseconds(1040)))
            bench.microphone?.send(.lost(count: 960, cause: .device, near: milliseconds(1040)))
            bench.camera?.frame(at: 1120)
            bench.microphone?.block(at: 1050)
            let status = await run.value.status
            #expect(status.video?.captured == 3)
            #expect(status.video?.dropped.device == 2)
            #expect(status.audio?.dropped.device == 960)
            #expect(status.audio?.xruns == 1)
        }
    }

    @Test func soundAloneIsARecordingToo() async throws {
        try await withTemporaryDirectory { directory in
            let bench = Bench(directory, camera: false, duration: milliseconds(150))
            let run = bench.run()
            try await bench.ready()
            for time in [1000, 1100, 1200] { bench.microphone?.block(at: time) }
            let outcome = await run.value
            #expect(outcome.failure == nil)
            #expect(bench.sink.told.sessionStart == milliseconds(1000))
            #expect(bench.sink.told.end == milliseconds(1150))
            #expect(bench.sink.audioTrack.times == [1000, 1100])
            #expect(outcome.status.video == nil)
            // Shorter than the first fragment: it is announced when it is whole.
            #expect(bench.started.withLock { $0 }.count == 1)
        }
    }
}
