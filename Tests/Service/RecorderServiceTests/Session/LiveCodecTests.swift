import AssetIO
import FakeDevices
import Foundation
import MediaTypes
import MovieCommands
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Live recordings in HEVC and AV1, and what is refused. FFmpeg is the judge.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LiveCodecTests {
    private func makeBench(
        _ directory: String, _ codec: VideoCodec, _ configure: (inout RecordingConfiguration) -> Void = { _ in }
    ) -> JoinBench {
        let bench = JoinBench(directory, audio: .counting) { configuration in
            configuration.video = .encoded(
                codec, preset: "ultrafast", rateControl: .constantQuality(4), keyframeInterval: milliseconds(1000))
            configure(&configuration)
        }
        bench.show { SyntheticMedia.frame($0, width: 128, height: 96) }
        return bench
    }

    @Test(arguments: [(VideoCodec.hevc, "hvc1"), (VideoCodec.av1, "av01")])
    func split_threeFiles_haveEveryFrame(codec: VideoCodec, tag: String) async throws {
        try await withTemporaryDirectory { directory in
            let bench = makeBench(directory, codec)
            let run = bench.run()
            try await bench.ready()
            try await bench.play(37)
            try await waitUntil { bench.process.status.state == .recording }
            for _ in 0..<2 {
                _ = try await bench.playing { try await bench.process.split() }
                try await bench.play(20)
            }
            let status = try await bench.playing { try await bench.process.stop(disarms: true) }
            #expect(await run.value.failure == nil)
            let paths = status.segments.map(\.file)
            #expect(paths.count == 3)
            for path in paths {
                let probe = try Probe(path, decodes: true)
                #expect(probe.complaints.isEmpty && probe.video?.codecName == codec.rawValue)
                #expect(try Probe.ask(path, "stream=codec_tag_string", of: "v:0").text.contains(tag))
                let summary = try MovieSummary(contentsOf: URL(fileURLWithPath: path))
                #expect(summary.health == .whole && summary.ledger?["video"]?.pending == 0)
            }
            let files = try JoinedFiles(paths, status.segments.map(\.duration))
            let count = try #require(status.video).written
            #expect(count >= 77)
            #expect(files.frames == Array(0..<Int(count)))
            #expect(status.isExact && status.video?.dropped.inAll == 0)
        }
    }

    @Test func lowLatency_hevc_storesFramesInOrder() async throws {
        try await withTemporaryDirectory { directory in
            let bench = makeBench(directory, .hevc) { $0.isLowLatency = true }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(40)
            let status = try await bench.playing { try await bench.process.stop(disarms: true) }
            #expect(await run.value.failure == nil)
            let path = try #require(status.segments.first?.file)
            #expect(try Probe(path, decodes: true).complaints.isEmpty)
            #expect(try Probe.ask(path, "stream=has_b_frames", of: "v:0").text.hasPrefix("0"))
            let files = try JoinedFiles([path], [status.duration])
            let count = try #require(status.video).written
            #expect(files.frames == Array(0..<Int(count)))
        }
    }

    private struct NoSink: PacketSink {
        func accept(_ packet: SampleBuffer, accountsFor count: Int64) {}
        func end(at end: MediaTime?) {}
    }

    private func open(_ codec: VideoCodec, _ camera: VideoFormat) throws(MediaError) -> FormatDescription? {
        var configuration = RecordingConfiguration()
        configuration.video = .encoded(
            codec, preset: "ultrafast", rateControl: .constantQuality(30), keyframeInterval: milliseconds(1000))
        return try EncoderPlan(configuration, latency: LatencyMeter())
            .open(.video(camera), frameRate: 25, sink: NoSink()).format
    }

    @Test func open_sizeThatTheEncoderLacks_isRefusedWithTheReason() throws {
        let small = VideoFormat(pixelFormat: .nv12, width: 128, height: 32, color: .bt709)
        let error = #expect(throws: MediaError.self) { try open(.av1, small) }
        #expect(error?.code == .invalidSettings && error?.description.contains("from 64 to 8192") == true)
        #expect(try open(.hevc, small)?.video?.codec == .hevc)
    }

    @Test func open_cameraWithCompressedFrames_storesItsOwnCodecOnly() throws {
        let camera = VideoFormat(codec: .h264, width: 128, height: 96)
        for codec in [VideoCodec.hevc, .av1] {
            let error = #expect(throws: MediaError.self) { try open(codec, camera) }
            #expect(error?.code == .deviceUnsuitable)
            #expect(error?.description.contains("--codec \(codec)") == true)
            #expect(error?.description.contains("--codec passthrough") == true)
        }
        #expect(throws: Never.self) { try open(.hevc, VideoFormat(codec: .hevc, width: 128, height: 96)) }
    }

    @Test func stepDown_hevc_endsAtTheFastestPreset() {
        var configuration = RecordingConfiguration()
        configuration.video = .encoded(
            .hevc, preset: "superfast", rateControl: .constantQuality(22), keyframeInterval: milliseconds(2000))
        let plan = EncoderPlan(configuration, latency: LatencyMeter())
        #expect(plan.stepDown() == "ultrafast")
        #expect(plan.stepDown() == nil)
    }
}
