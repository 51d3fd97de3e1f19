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

/// Recordings of still slides with `skip-identical`: FFmpeg shows at each capture time what the camera showed.
@Suite(.timeLimit(.minutes(10))) struct SkippedFramesTests {
    /// The number of frames that a slide is shown for.
    private static let slide = 45

    /// A camera that shows still slides, each of its own brightness.
    private func makeBench(
        _ directory: String, slide: Int = Self.slide, _ configure: (inout RecordingConfiguration) -> Void = { _ in }
    ) -> JoinBench {
        let bench = JoinBench(directory, audio: .counting) { configuration in
            configuration.skipsIdentical = true
            configure(&configuration)
        }
        bench.show { SyntheticMedia.frame($0 / slide, width: 64, height: 48) }
        return bench
    }

    private func end(_ bench: JoinBench, disarms: Bool = true) async throws -> RecordingStatus {
        try await bench.playing { try await bench.process.stop(disarms: disarms) }
    }

    /// A file as FFmpeg decodes it.
    private struct Played {
        /// The number of each stored frame, counted from the start of the file by its time.
        var numbers: [Int] = []
        var brightness: [UInt8] = []
        /// The number of frames that the file lasts.
        var length = 0

        init(_ path: String) throws {
            let times = try Probe.frameTimes(path)
            numbers = times.map { Int(($0 * 25).rounded()) }
            for (time, number) in zip(times, numbers) { #expect(abs(time - Double(number) / 25) < 0.0001) }
            brightness = try Probe.brightness(path)
            let probe = try Probe(path, decodes: true)
            #expect(probe.complaints.isEmpty && brightness.count == numbers.count)
            length = Int((probe.format.seconds * 25).rounded())
            // The last frame lasts until the end.
            #expect(abs((probe.video?.seconds ?? 0) - probe.format.seconds) < 0.05)
        }

        /// Returns the brightness that is on screen at the capture time of a frame.
        func shown(_ number: Int) -> UInt8? { numbers.lastIndex { $0 <= number }.map { brightness[$0] } }

        /// Expects slides to be shown at each capture time, and a frame at least each second.
        func expectSlides(of frames: Int, from first: Int) {
            let wrong = (0..<length).filter { number in
                let wanted = SyntheticMedia.luma((first + number) / frames)
                return shown(number).map { abs(Int($0) - Int(wanted)) > 3 } ?? true
            }
            #expect(wrong.isEmpty, "\(wrong)")
            #expect(numbers.first == 0)
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 > $0 && $1 - $0 <= 25 }, "\(numbers)")
        }
    }

    /// Expects the audio of a number of frames, as it was captured.
    private func expectAudio(_ path: String, from first: Int, frames: Int) throws {
        let data = try Probe.decodedAudio(path, as: "s16le")
        let samples = data.withUnsafeBytes { bytes in
            (0..<(bytes.count / 2)).map { bytes.loadUnaligned(fromByteOffset: $0 * 2, as: Int16.self) }
        }
        #expect(samples.count >= frames * 1920)
        let fault = samples.indices.first { samples[$0] != Int16(truncatingIfNeeded: first * 1920 + $0) }
        #expect(fault == nil)
    }

    @Test(arguments: [VideoCodec.h264, .hevc])
    func recording_stillSlides_storesChangesAtTheirTimes(codec: VideoCodec) async throws {
        try await withTemporaryDirectory { directory in
            let bench = makeBench(directory) {
                $0.video = .encoded(
                    codec, preset: codec == .hevc ? "ultrafast" : "veryfast", rateControl: .constantQuality(2),
                    keyframeInterval: milliseconds(1000))
            }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(200)
            let status = try await end(bench)
            #expect(await run.value.failure == nil)
            let path = try #require(status.segments.first?.file)
            let played = try Played(path)
            played.expectSlides(of: Self.slide, from: 0)
            // Each change of the slide is stored at its own time.
            let changes = stride(from: 0, to: played.length, by: Self.slide)
            #expect(changes.allSatisfy { played.numbers.contains($0) }, "\(played.numbers)")
            try expectAudio(path, from: 0, frames: played.length)
            let video = try #require(status.video)
            #expect(video.captured == Int64(played.length) && video.written == Int64(played.numbers.count))
            #expect(video.repeated == video.captured - video.written && video.dropped.inAll == 0)
            #expect(video.written * 5 < video.captured && status.isExact)
            let ledger = try #require(try MovieSummary(contentsOf: URL(fileURLWithPath: path)).ledger?["video"])
            #expect(ledger[dropped: .repeated] == video.repeated && ledger.pending == 0)
            #expect(status.account.contains("repeated") && !status.account.contains("dropped"))
        }
    }

    @Test func recording_notAsked_storesEveryFrame() async throws {
        try await withTemporaryDirectory { directory in
            let bench = makeBench(directory) { $0.skipsIdentical = false }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(60)
            let status = try await end(bench)
            #expect(await run.value.failure == nil)
            #expect(status.video?.repeated == 0 && status.video?.captured == status.video?.written)
        }
    }

    @Test func split_inTheMiddleOfASlide_continuesItInTheNextFile() async throws {
        try await withTemporaryDirectory { directory in
            let bench = makeBench(directory) { $0.segments.duration = milliseconds(2400) }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(150)
            let status = try await end(bench)
            #expect(await run.value.failure == nil)
            #expect(status.segments.count >= 3)
            #expect(status.segments.dropLast().allSatisfy { $0.duration == 2.4 })
            var (first, written, repeated) = (0, Int64(0), Int64(0))
            for segment in status.segments {
                let played = try Played(segment.file)
                played.expectSlides(of: Self.slide, from: first)
                try expectAudio(segment.file, from: first, frames: played.length)
                let summary = try MovieSummary(contentsOf: URL(fileURLWithPath: segment.file))
                let ledger = try #require(summary.ledger?["video"])
                #expect(ledger.captured == Int64(played.length) && ledger.pending == 0, "\(ledger)")
                first += played.length
                written += ledger.written
                repeated += ledger[dropped: .repeated]
            }
            #expect(status.isExact && status.video?.captured == Int64(first))
            #expect(status.video?.written == written && status.video?.repeated == repeated)
        }
    }

    @Test func pause_inASlide_storesTheFrameAfterIt() async throws {
        try await withTemporaryDirectory { directory in
            let bench = makeBench(directory, slide: 1000)
            let run = bench.run()
            try await bench.ready()
            try await bench.play(40)
            try await waitUntil { bench.process.status.state == .recording }
            _ = try bench.process.pause()
            try await bench.play(30)
            _ = try bench.process.resume()
            try await bench.play(30)
            let status = try await end(bench)
            #expect(await run.value.failure == nil)
            let played = try Played(try #require(status.segments.first?.file))
            #expect(played.numbers.contains(40), "\(played.numbers)")
            #expect(status.video?.paused == 30 && status.isExact)
            #expect(status.video.map { $0.captured - 30 } == Int64(played.length))
        }
    }

    @Test func snapshot_ofASlide_isAStoredFrame() async throws {
        try await withTemporaryDirectory { directory in
            let bench = makeBench(directory, slide: 1000)
            let run = bench.run()
            try await bench.ready()
            try await bench.play(30)
            try await waitUntil { bench.process.status.state == .recording }
            // The next frame is not one that would be stored anyway.
            while bench.frames % 25 < 5 || bench.frames % 25 > 15 { try await bench.play(1) }
            let next = bench.frames
            _ = try await bench.playing { try await bench.process.snapshot(.png) }
            try await bench.play(5)
            let status = try await end(bench)
            #expect(await run.value.failure == nil)
            let played = try Played(try #require(status.segments.first?.file))
            #expect(played.numbers.contains { $0 >= next && $0 % 25 != 0 }, "\(played.numbers)")
        }
    }

    @Test func camera_reconnects_beginsTheNextFileWithItsFrame() async throws {
        try await withTemporaryDirectory { directory in
            let bench = makeBench(directory, slide: 1000)
            let run = bench.run()
            try await bench.ready()
            try await bench.play(40)
            try await waitUntil { bench.process.status.state == .recording }
            bench.camera.unplug()
            try await bench.play(25, video: false)
            try await bench.plugIn()
            try await bench.play(40)
            let status = try await end(bench)
            #expect(await run.value.failure == nil)
            #expect(status.segments.count == 2 && status.isExact && status.video?.dropped.device == 25)
            // The video of the first file ends with the last frame of the camera, its audio later.
            let first = try Probe(status.segments[0].file)
            #expect(abs((first.video?.seconds ?? 0) - 1.6) < 0.05 && abs(first.format.seconds - 2.6) < 0.03)
            let second = try Played(status.segments[1].file)
            #expect(second.numbers.first == 0 && second.length >= 40)
        }
    }

    @Test func preRoll_ofASlide_isShownFromTheStart() async throws {
        try await withTemporaryDirectory { directory in
            let bench = makeBench(directory, slide: 1000) {
                $0.isArmed = true
                $0.preRoll = milliseconds(1500)
            }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(90)
            let saved = try await bench.playing {
                try await bench.process.save(last: milliseconds(1000), to: directory + "/saved.mov")
            }
            #expect(saved.duration.map { abs($0 - 1) < 0.041 } == true)
            _ = try await bench.record()
            try await bench.play(20)
            let status = try await end(bench)
            #expect(await run.value.failure == nil)
            #expect(status.isExact && status.video?.dropped.inAll == 0)
            for path in [saved.file] + status.segments.map(\.file) {
                #expect(try Probe.frameTimes(path).first.map { abs($0) < 0.0001 } == true)
                let probe = try Probe(path, decodes: true)
                #expect(probe.complaints.isEmpty && abs((probe.video?.seconds ?? 0) - probe.format.seconds) < 1.1)
                #expect(try Probe.brightness(path).allSatisfy { abs(Int($0) - Int(SyntheticMedia.luma(0))) <= 3 })
            }
        }
    }

    @Test func viewer_ofTheRecording_getsEveryFrame() async throws {
        try await withTemporaryDirectory { directory in
            let bench = makeBench(directory, slide: 1000)
            let run = bench.run()
            try await bench.ready()
            try await bench.play(40)
            try await waitUntil { bench.process.status.state == .recording }
            var watch: LiveWatch? = try bench.process.watch(limit: 16 << 20).watch
            let video = try #require(bench.process.session.snapshot.pipeline?.video)
            try await waitUntil { video.queueDepth == 0 }
            // The frame that the encoder may still compare is not counted.
            try await bench.play(1)
            try await waitUntil { video.ledger.pending == 0 }
            let before = video.ledger[dropped: .repeated]
            try await bench.play(30)
            try await waitUntil { video.ledger.pending == 0 }
            #expect(before > 0 && video.ledger[dropped: .repeated] == before)
            watch = nil
            #expect(watch == nil)
            try await bench.play(30)
            try await waitUntil { video.ledger.pending == 0 }
            #expect(video.ledger[dropped: .repeated] > before)
            let status = try await end(bench)
            #expect(await run.value.failure == nil && status.isExact)
        }
    }

    @Test func stamp_onEachFrame_leavesNothingOut() async throws {
        try await withTemporaryDirectory { directory in
            let bench = makeBench(directory, slide: 1000) { $0.frameStage.stamp.pattern = try? StampPattern("%H:%M") }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(40)
            let status = try await end(bench)
            #expect(await run.value.failure == nil)
            #expect(status.video?.repeated == 0 && status.video?.captured == status.video?.written)
        }
    }

    @Test func camera_ofH264_isRefusedWithTheReason() throws {
        var configuration = RecordingConfiguration()
        configuration.skipsIdentical = true
        let format = FormatDescription.video(VideoFormat(codec: .h264, width: 64, height: 48))
        let error = #expect(throws: MediaError.self) {
            try EncoderPlan(configuration, latency: LatencyMeter()).open(format, frameRate: 25, sink: NoSink())
        }
        #expect(error?.code == .deviceUnsuitable && error?.description.contains("--skip-identical") == true)
    }

    private struct NoSink: PacketSink {
        func accept(_ packet: SampleBuffer, accountsFor count: Int64) {}
        func end(at end: MediaTime?) {}
    }
}
