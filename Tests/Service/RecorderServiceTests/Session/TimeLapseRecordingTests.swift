import AssetIO
import Capture
import FakeDevices
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Time-lapses of a camera with 25 fps: the frames that FFmpeg decodes, their times, and the metadata.
@Suite(.timeLimit(.minutes(10))) struct TimeLapseRecordingTests {
    /// A process with a fake camera alone. The brightness of each frame is its number.
    private final class Bench: Sendable {
        let camera = FakeDevice { FakeSource(JoinBench.frame, frameRate: FrameRate(25)) }
        let clock = ManualClock(nanoseconds: 1_000_000_000)
        let process: CaptureProcess
        private let count = Locked(0)

        init(_ directory: String, _ configure: (inout RecordingConfiguration) -> Void = { _ in }) {
            var configuration = RecordingConfiguration()
            configuration.output = directory + "/take.mov"
            configuration.diskReserve = 0
            configuration.microphone = .none
            configuration.video = .h264(
                preset: "veryfast", rateControl: .constantQuality(2), keyframeInterval: milliseconds(1000))
            configuration.every = milliseconds(200)
            configure(&configuration)
            var foundations = SessionFoundations()
            let clock = clock
            foundations.memory = .none
            foundations.clock = clock
            foundations.wallClock = {
                Date(timeIntervalSince1970: 1_800_000_000).addingTimeInterval(Double(clock.nanoseconds) / 1e9)
            }
            process = CaptureProcess(
                configuration: configuration, opener: FakeOpener(camera: camera), log: LogLines().logger,
                unfinished: nil, retention: nil, foundations: foundations)
        }

        func run() async throws -> Task<SessionOutcome, Never> {
            let task = Task { await process.run { _ in } }
            try await waitUntil { self.camera.sources.last?.isStarted ?? false }
            return task
        }

        /// Stops now, and plays the frames that the recording ends with.
        func stop() async throws -> RecordingStatus {
            let stopping = Task { try await process.stop(disarms: true) }
            // The task may start late. A time-lapse then waits for a frame that nothing plays any more.
            try await waitUntil { process.hasAcceptedStop }
            try await play(30)
            return try await stopping.value
        }

        /// Plays frames every 40 ms, as fast as the encoder accepts them.
        func play(_ frames: Int) async throws {
            for _ in 0..<frames {
                let number = count.withLock { count in
                    defer { count += 1 }
                    return count
                }
                let start = 1000 + number * 40
                camera.source.send(
                    .sample(SyntheticMedia.videoSample(number, at: milliseconds(start), width: 64, height: 48)))
                clock.advance(by: max(0, Int64(start + 40) * 1_000_000 - clock.nanoseconds))
                try await waitUntil { (self.process.session.snapshot.pipeline?.video?.queueDepth ?? 0) < 8 }
            }
        }
    }

    private func facts(_ path: String) throws -> RecordedTimeLapse {
        let summary = try MovieSummary(contentsOf: URL(fileURLWithPath: path))
        let value = try #require(summary.metadata[MetadataItem.timeLapseKey])
        return try JSONDecoder().decode(RecordedTimeLapse.self, from: Data(value.utf8))
    }

    @Test func recording_everyFifthFrame_playsAtThePlayRate() async throws {
        try await withTemporaryDirectory { directory in
            let bench = Bench(directory)
            let run = try await bench.run()
            try await bench.play(100)
            let status = try await bench.stop()
            #expect(await run.value.failure == nil)
            let path = try #require(status.segments.first?.file)
            let brightness = try Probe.brightness(path)
            #expect(brightness.count >= 20)
            for (index, value) in brightness.enumerated() {
                #expect(abs(Int(value) - Int(SyntheticMedia.luma(index * 5))) <= 3, "frame \(index)")
            }
            let times = try Probe.frameTimes(path)
            for (index, time) in times.enumerated() { #expect(abs(time - Double(index) / 25) < 0.001) }
            #expect(try Probe(path).streams.map(\.codecType) == ["video"])
            let stored = try facts(path)
            #expect(stored.every == 0.2 && stored.playRate == 25 && stored.step == 1)
            #expect(stored.times == times.indices.map { (Double($0) * 200).rounded() / 1000 })
            #expect(status.video?.captured == Int64(times.count) && status.isExact)
        }
    }

    @Test func duration_ofATimeLapse_isTheTimeThatPasses() async throws {
        try await withTemporaryDirectory { directory in
            let bench = Bench(directory) { $0.duration = milliseconds(2000) }
            let run = try await bench.run()
            try await bench.play(80)
            let outcome = await run.value
            #expect(outcome.failure == nil)
            let path = try #require(outcome.status.segments.first?.file)
            #expect(try Probe.frameTimes(path).count == 10)
            #expect(abs(try Probe(path).format.seconds - 0.4) < 0.01)
        }
    }

    @Test func clock_ofATimeLapse_leadsToTheCaptureTimes() async throws {
        try await withTemporaryDirectory { directory in
            let bench = Bench(directory) { $0.duration = milliseconds(2000) }
            let run = try await bench.run()
            try await bench.play(80)
            let path = try #require(await run.value.status.segments.first?.file)
            let summary = try MovieSummary(contentsOf: URL(fileURLWithPath: path))
            let clock = try #require(summary.clock)
            #expect(abs(clock.start - 1) < 0.001 && clock.pauses.count == 9)
            #expect(abs(clock.pauses.reduce(0) { $0 + $1.duration } - 9 * 0.16) < 0.001)
        }
    }

    @Test func substream_ofATimeLapse_hasTheFramesThatItLeavesOut() async throws {
        try await withTemporaryDirectory { directory in
            let bench = Bench(directory) {
                $0.substream = SubstreamSettings(FrameSize(32, 32), frameRate: FrameRate(25))
            }
            let run = try await bench.run()
            try await bench.play(10)
            let (watch, _) = try bench.process.watchSubstream(limit: 16 << 20)
            let subStream = try #require(bench.process.session.snapshot.pipeline?.subStream)
            // This frame opens the encoder, and the next one is the first that it encodes.
            try await bench.play(1)
            try await waitUntil { subStream.figures.isEncoding }
            var packets: [SampleBuffer] = []
            while packets.count < 10 {
                try await bench.play(10)
                packets += try #require(await watch.watcher.next())
            }
            let times = packets.map(\.presentationTime.seconds)
            #expect(abs(times[0] - 1.44) < 0.001 && abs(times[1] - 1.48) < 0.001)
            for packet in packets {
                let wall = try #require(watch.watcher.wallClock(packet.presentationTime))
                #expect(abs(wall - 1_800_000_000 - packet.presentationTime.seconds) < 0.001)
            }
            let status = try await bench.stop()
            #expect(await run.value.failure == nil && status.isExact)
        }
    }
}
