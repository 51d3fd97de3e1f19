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

/// The sub-stream of a session: masked, small, and without a loss in the recording.
@Suite(.timeLimit(.minutes(10))) struct SubstreamSessionTests {
    private static let settings = SubstreamSettings(FrameSize(32, 32), frameRate: FrameRate(25))

    private func stop(_ bench: JoinBench) async throws -> RecordingStatus {
        try await bench.playing { try await bench.process.stop(disarms: true) }
    }

    /// Returns the luma of each frame of a stream, as FFmpeg decodes it.
    private func luma(_ bytes: [UInt8], _ path: String, size: Int) throws -> [[UInt8]] {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let result = try Command.run(
            "ffmpeg", "-v", "error", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-pix_fmt", "gray", "-vf",
            "extractplanes=y", "-f", "rawvideo", "-")
        guard result.status == 0 else { throw Command.Failure(description: result.errors) }
        return stride(from: 0, to: result.output.count, by: size).map { Array(result.output[$0..<($0 + size)]) }
    }

    @Test func substream_maskedRecording_showsNoHiddenPixelAndCostsNoFrame() async throws {
        try await withTemporaryDirectory { directory in
            var stage = FrameStageSettings()
            stage.masks = [try MaskText.parse("0,0 50,0 50,100 0,100")]
            stage.maskStyle = .color(red: 255, green: 255, blue: 255)
            let bench = JoinBench(directory, audio: .counting) { [stage] in
                $0.frameStage = stage
                $0.substream = Self.settings
            }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(10)
            #expect(bench.process.status.substream?.viewers == 0)
            let (watch, formats) = try bench.process.watchSubstream(limit: 16 << 20)
            #expect(formats.isEmpty && bench.process.status.substream?.viewers == 1)
            let subStream = try #require(bench.process.session.snapshot.pipeline?.subStream)
            try await bench.play { subStream.figures.isEncoding }
            var packets: [SampleBuffer] = []
            while packets.count < 20 {
                try await bench.play(10)
                packets += try #require(await watch.watcher.next())
            }
            let status = try await stop(bench)
            #expect(await run.value.failure == nil)
            var stream = LiveStream(hasAudio: false)
            let bytes = packets.flatMap { stream.bytes(of: $0) }
            // The recording lost nothing.
            #expect(status.isExact && status.video?.dropped.inAll == 0)
            #expect(packets.first?.isKeyframe == true)
            // The frames keep the aspect ratio of the recording.
            let video = try #require(packets.first?.format.video)
            #expect(video.codec == .h264 && video.width == 32 && video.height == 24)
            let frames = try luma(bytes, directory + "/sub.mp4", size: 32 * 24)
            #expect(frames.count == packets.count && !frames.isEmpty)
            let (hidden, shown) = (0..<14, 18..<32)
            for frame in frames {
                #expect(frame.indices.allSatisfy { !hidden.contains($0 % 32) || frame[$0] >= 210 })
                #expect(frame.indices.allSatisfy { !shown.contains($0 % 32) || frame[$0] < 230 })
            }
        }
    }

    @Test func watchSubstream_withoutOne_isRefusedWithTheRemedy() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            let error = #expect(throws: MediaError.self) { try bench.process.watchSubstream(limit: 1 << 20) }
            #expect(error?.code == .invalidState && error?.wayOut.contains("--substream") == true)
            #expect(bench.process.status.substream == nil)
            _ = try await bench.end(run, at: bench.now)
        }
    }

    @Test func armed_viewerOfTheSubstream_opensOneEncoderAndEndsWithTheProcess() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory) {
                $0.isArmed = true
                $0.substream = Self.settings
            }
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 3000)
            try await waitUntil { bench.started.withLock { $0.count } == 1 }
            #expect(bench.encoders.made(.video).count == 1)
            let (watch, _) = try bench.process.watchSubstream(limit: 1 << 20)
            let subStream = try #require(bench.process.session.snapshot.pipeline?.subStream)
            try await bench.play { subStream.figures.isEncoding }
            #expect(bench.encoders.made(.video).count == 2)
            bench.play(to: bench.now + 400)
            let packet = try #require(await watch.watcher.next()?.first)
            #expect(packet.isKeyframe && packet.format.mediaType == .video)
            // A keyframe's capture time is that of the wall clock.
            let wall = try #require(watch.watcher.wallClock(packet.presentationTime))
            #expect(abs(wall - 1_800_000_000 - packet.presentationTime.seconds) < 0.001)
            _ = try await bench.end(run, at: bench.now)
            #expect(await watch.watcher.next() == nil)
            #expect(bench.encoders.made(.video)[1].isOver)
        }
    }
}
