import AssetIO
import Capture
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

/// Recordings with a stamp: each frame that FFmpeg decodes shows its own capture time.
@Suite(.timeLimit(.minutes(10))) struct StampedRecordingTests {
    private static let (width, height) = (64, 48)
    /// The wall clock at the time 0 of `JoinBench`'s clock.
    private static let epoch: Int64 = 1_800_000_000_000

    private static func stamped(_ text: String = "%3N") throws -> FrameStageSettings {
        var settings = FrameStageSettings()
        settings.stamp.pattern = try StampPattern(text)
        return settings
    }

    /// A stage whose devices' clock is the wall clock.
    private static func stage(_ settings: FrameStageSettings) throws -> CameraStage {
        let clock = FrameClock(clock: ManualClock(nanoseconds: 0)) { Date(timeIntervalSince1970: 0) }
        let stage = CameraStage(settings, clock: clock)
        try stage.loadStamp(name: "default")
        return stage
    }

    private static func luma(_ event: DeviceEvent) throws -> [UInt8] {
        guard case .sample(let sample) = event, case .pixels(let frame) = sample.content else { throw TooLate() }
        return Array(frame.visible.prefix(width * height))
    }

    /// Returns the luma of a frame that was captured at a time of the wall clock, in milliseconds.
    private static func frame(_ number: Int, at wall: Int64, _ stage: CameraStage) throws -> [UInt8] {
        let time = MediaTime(nanoseconds: wall * 1_000_000)
        let sample = SyntheticMedia.videoSample(number, at: time, width: width, height: height)
        return try luma(stage.apply(.sample(sample)))
    }

    private static func decoded(_ path: String) throws -> [[UInt8]] {
        let result = try Command.run(
            "ffmpeg", "-v", "error", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-pix_fmt", "gray", "-vf",
            "extractplanes=y", "-f", "rawvideo", "-")
        guard result.status == 0 else { throw Command.Failure(description: result.errors) }
        let size = width * height
        return stride(from: 0, to: result.output.count, by: size).map { Array(result.output[$0..<($0 + size)]) }
    }

    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        zip(one, other).reduce(0) { sum, pair in
            let difference = Int(pair.0) - Int(pair.1)
            return sum + difference * difference
        }
    }

    /// Returns the number of a frame by the brightness of its lower right corner.
    private static func number(_ frame: [UInt8], after last: Int) -> Int? {
        let brightness = Int(frame[width * height - 1])
        return ((last + 1)..<(last + 100)).first { abs(Int(SyntheticMedia.luma($0)) - brightness) <= 2 }
    }

    private func stop(_ bench: JoinBench) async throws -> RecordingStatus {
        try await bench.playing { try await bench.process.stop(disarms: true) }
    }

    @Test func recording_everyFrame_showsItsOwnCaptureTime() async throws {
        try await withTemporaryDirectory { directory in
            let settings = try Self.stamped()
            let bench = JoinBench(directory, audio: .counting) { $0.frameStage = settings }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(110)
            let status = try await stop(bench)
            #expect(await run.value.failure == nil)
            #expect(status.isExact)
            let frames = try Self.decoded(try #require(status.segments.first?.file))
            #expect(frames.count >= 100)
            let stage = try Self.stage(settings)
            var last = -1
            for frame in frames {
                let number = try #require(Self.number(frame, after: last))
                last = number
                let wall = Self.epoch + 1000 + Int64(number) * 40
                // The stamp of any other millisecond and of the neighbors looks less like that of the file.
                let others = try ([-40, -10, -2, -1, 1, 2, 10, 40] as [Int64]).map {
                    Self.distance(frame, try Self.frame(number, at: wall + $0, stage))
                }
                let own = Self.distance(frame, try Self.frame(number, at: wall, stage))
                #expect(own < (others.min() ?? 0), "frame \(number)")
            }
        }
    }

    @Test func reload_anotherText_changesItWithOneFrame() async throws {
        try await withTemporaryDirectory { directory in
            let (settings, other) = (try Self.stamped("A"), try Self.stamped("%{name}"))
            let bench = JoinBench(directory, audio: .counting) { $0.frameStage = settings }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(20)
            try await waitUntil { bench.process.status.state == .recording }
            var configuration = bench.process.configuration
            configuration.frameStage = other
            let changes = try await bench.process.session.adopt(configuration)
            #expect(changes.map(\.description) == ["stamp: A → %{name}"])
            try await bench.play(20)
            let status = try await stop(bench)
            #expect(await run.value.failure == nil)
            let file = try #require(status.segments.first?.file)
            let stages = try [settings, other].map { try Self.stage($0) }
            var last = -1
            let isFormer = try Self.decoded(file).map { frame in
                last = try #require(Self.number(frame, after: last))
                let distances = try stages.map { Self.distance(frame, try Self.frame(last, at: 0, $0)) }
                return distances[0] < distances[1]
            }
            let count = isFormer.count { $0 }
            #expect(count >= 20 && count < isFormer.count && isFormer.prefix(count).allSatisfy { $0 })
            // A stamp is no mask.
            let summary = try MovieSummary(contentsOf: URL(fileURLWithPath: file))
            #expect(summary.metadata[MetadataItem.masksKey] == nil)
        }
    }

    @Test func start_missingFont_isRefusedWithTheRemedyBeforeDevicesOpen() async throws {
        try await withTemporaryDirectory { directory in
            var settings = try Self.stamped()
            settings.stamp.font = "No Such Family 123"
            let bench = JoinBench(directory, audio: .counting) { [settings] in $0.frameStage = settings }
            let failure = await bench.process.run { _ in }.failure
            #expect(failure?.error.code == .notFound && failure?.error.wayOut.contains("fc-list") == true)
            #expect(bench.camera.sources.isEmpty)
        }
    }

    @Test func reload_missingFont_changesNothing() async throws {
        try await withTemporaryDirectory { directory in
            let settings = try Self.stamped()
            let bench = JoinBench(directory, audio: .counting) { $0.frameStage = settings }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(10)
            try await waitUntil { bench.process.status.state == .recording }
            var configuration = bench.process.configuration
            configuration.frameStage.stamp.font = "/nonexistent/font.ttf"
            let new = configuration
            await #expect(throws: MediaError.self) { try await bench.process.session.adopt(new) }
            #expect(bench.process.session.settings.frameStage == settings)
            let status = try await stop(bench)
            #expect(await run.value.failure == nil && status.isExact)
        }
    }

    @Test func counter_everyFrame_isItsNumberInTheSession() throws {
        let (counted, written) = (try Self.stage(try Self.stamped("%{counter}")), 3)
        for number in 1...written {
            let shown = try Self.frame(0, at: 0, counted)
            let expected = try Self.frame(0, at: 0, try Self.stage(try Self.stamped("\(number)")))
            #expect(shown == expected)
        }
    }
}
