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

/// Recordings with masks: what FFmpeg decodes of the files, and the snapshots, show no hidden pixel.
@Suite(.timeLimit(.minutes(10))) struct MaskedRecordingTests {
    /// White masks on frames of 64×48 that are darker than 220.
    private static let (left, right) = ("left=0,0 50,0 50,100 0,100", "right=50,0 100,0 100,100 50,100")
    private static let white: UInt8 = 235

    private static func masked(_ masks: String...) throws -> FrameStageSettings {
        var settings = FrameStageSettings()
        settings.masks = try masks.map { try MaskText.parse($0) }
        settings.maskStyle = .color(red: 255, green: 255, blue: 255)
        return settings
    }

    /// The luma of all frames of a movie, as FFmpeg decodes it.
    ///
    /// - Parameter all: true for the frames too that the edit list does not show.
    private static func luma(
        _ path: String, width: Int = 64, height: Int = 48, all: Bool = false
    ) throws -> [[UInt8]] {
        let result = try Command.run(
            ["ffmpeg", "-v", "error"] + (all ? ["-ignore_editlist", "1"] : []) + [
                "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-pix_fmt", "gray", "-vf", "extractplanes=y",
                "-f", "rawvideo", "-",
            ])
        guard result.status == 0 else { throw Command.Failure(description: result.errors) }
        let size = width * height
        return stride(from: 0, to: result.output.count, by: size).map { Array(result.output[$0..<($0 + size)]) }
    }

    /// Returns true if all pixels of some columns are white, within the encoder's errors.
    private static func isHidden(_ frame: [UInt8], _ columns: Range<Int>, width: Int = 64) -> Bool {
        frame.indices.allSatisfy { !columns.contains($0 % width) || abs(Int(frame[$0]) - Int(white)) <= 12 }
    }

    /// Returns true if no pixel of some columns is white.
    private static func isShown(_ frame: [UInt8], _ columns: Range<Int>, width: Int = 64) -> Bool {
        frame.indices.allSatisfy { !columns.contains($0 % width) || frame[$0] < 225 }
    }

    private func item(_ path: String) throws -> [RecordedMasks.Entry] {
        let summary = try MovieSummary(contentsOf: URL(fileURLWithPath: path))
        let value = try #require(summary.metadata[MetadataItem.masksKey])
        return try JSONDecoder().decode([RecordedMasks.Entry].self, from: Data(value.utf8))
    }

    private func stop(_ bench: JoinBench) async throws -> RecordingStatus {
        try await bench.playing { try await bench.process.stop(disarms: true) }
    }

    @Test func recording_withMasksFromTheStart_showsNoHiddenPixel() async throws {
        try await withTemporaryDirectory { directory in
            let settings = try Self.masked(Self.left)
            let bench = JoinBench(directory, audio: .counting) { $0.frameStage = settings }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(40)
            let png = try await bench.playing { try await bench.process.snapshot(.png) }
            let status = try await stop(bench)
            #expect(await run.value.failure == nil)
            #expect(status.isExact && status.video?.width == 64)
            let file = try #require(status.segments.first?.file)
            let frames = try Self.luma(file)
            #expect(frames.count >= 40)
            #expect(frames.allSatisfy { Self.isHidden($0, 0..<32) && Self.isShown($0, 34..<64) })
            let image = directory + "/snapshot.png"
            try Data(png.bytes).write(to: URL(fileURLWithPath: image))
            let result = try Command.run(
                "ffmpeg", "-v", "error", "-i", image, "-pix_fmt", "rgb24", "-f", "rawvideo", "-")
            #expect(result.output.count == 64 * 48 * 3)
            let darkest = result.output.indices.filter { $0 / 3 % 64 < 32 }.map { result.output[$0] }.min()
            #expect(try #require(darkest) >= 245)
            #expect(try item(file) == [.init(time: 0, style: "#ffffff", masks: [Self.left])])
        }
    }

    @Test func reload_otherMasks_changesThemAtOneFrame() async throws {
        try await withTemporaryDirectory { directory in
            let (settings, other) = (try Self.masked(Self.left), try Self.masked(Self.right))
            let bench = JoinBench(directory, audio: .counting) { $0.frameStage = settings }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(40)
            try await waitUntil { bench.process.status.state == .recording }
            var configuration = bench.process.configuration
            configuration.frameStage = other
            let changes = try await bench.process.session.adopt(configuration)
            #expect(changes.map(\.key) == ["mask"])
            try await bench.play(40)
            let status = try await stop(bench)
            #expect(await run.value.failure == nil)
            #expect(status.isExact)
            let file = try #require(status.segments.first?.file)
            let frames = try Self.luma(file)
            let isLeft = frames.map { Self.isHidden($0, 0..<30) }
            // Each frame has the former or the new mask, and only the first ones have the former.
            #expect(frames.allSatisfy { Self.isHidden($0, 0..<30) != Self.isHidden($0, 34..<64) })
            let count = isLeft.count { $0 }
            #expect(count >= 40 && count < frames.count && isLeft.prefix(count).allSatisfy { $0 })
            let entries = try item(file)
            #expect(entries.map(\.masks) == [[Self.left], [Self.right]])
            #expect(abs((entries.last?.time ?? 0) - Double(count) * 0.04) < 0.001)
        }
    }

    @Test func reload_firstMask_hidesFramesFromThenOn() async throws {
        try await withTemporaryDirectory { directory in
            let bench = JoinBench(directory, audio: .counting)
            let run = bench.run()
            try await bench.ready()
            try await bench.play(10)
            try await waitUntil { bench.process.status.state == .recording }
            var configuration = bench.process.configuration
            configuration.frameStage = try Self.masked(Self.left, Self.right)
            _ = try await bench.process.session.adopt(configuration)
            try await bench.play(20)
            let status = try await stop(bench)
            #expect(await run.value.failure == nil)
            let frames = try Self.luma(try #require(status.segments.first?.file))
            let first = try #require(frames.firstIndex { Self.isHidden($0, 0..<64) })
            #expect(first >= 10 && frames[first...].allSatisfy { Self.isHidden($0, 0..<64) })
            #expect(frames.count - first >= 20)
        }
    }

    @Test func camera_reconnects_keepsItsMasks() async throws {
        try await withTemporaryDirectory { directory in
            let settings = try Self.masked(Self.left)
            let bench = JoinBench(directory, audio: .counting) { $0.frameStage = settings }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(20)
            try await waitUntil { bench.process.status.state == .recording }
            bench.camera.unplug()
            try await bench.play(10, video: false)
            try await bench.plugIn()
            try await bench.play(20)
            let status = try await stop(bench)
            #expect(await run.value.failure == nil)
            #expect(status.segments.count == 2)
            for segment in status.segments {
                #expect(try Self.luma(segment.file).allSatisfy { Self.isHidden($0, 0..<32) })
                #expect(try item(segment.file).first?.masks == [Self.left])
            }
        }
    }

    @Test func camera_returnsWithAnotherSize_keepsItsMasks() async throws {
        try await withTemporaryDirectory { directory in
            let settings = try Self.masked(Self.left)
            let bench = JoinBench(directory, audio: .counting) { $0.frameStage = settings }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(20)
            try await waitUntil { bench.process.status.state == .recording }
            bench.camera.unplug()
            try await bench.play(10, video: false)
            bench.show { SyntheticMedia.frame($0, width: 128, height: 96) }
            try await bench.plugIn()
            // The first frame reports the other size; those before its encoder is open are dropped.
            try await bench.play(1)
            let video = try #require(bench.process.session.snapshot.pipeline?.video)
            try await bench.play { video.isPrepared }
            try await bench.play(30)
            let status = try await stop(bench)
            #expect(await run.value.failure == nil)
            let files = status.segments.map(\.file)
            try #require(files.count == 2)
            let (first, second) = (
                try Self.luma(files[0], all: true), try Self.luma(files[1], width: 128, height: 96, all: true)
            )
            #expect(first.count >= 20 && first.allSatisfy { Self.isHidden($0, 0..<32) })
            #expect(second.count >= 20 && second.allSatisfy { Self.isHidden($0, 0..<64, width: 128) })
            #expect(second.allSatisfy { Self.isShown($0, 68..<128, width: 128) })
        }
    }

    // MARK: What begins after a change

    /// An armed process without masks that has captured some GOPs.
    private func armed(_ directory: String, preRoll: MediaTime? = nil) async throws -> (
        bench: JoinBench, run: Task<SessionOutcome, Never>
    ) {
        let bench = JoinBench(directory, audio: .counting) { configuration in
            configuration.isArmed = true
            configuration.preRoll = preRoll
        }
        let run = bench.run()
        try await bench.ready()
        try await bench.play(70)
        try await waitUntil { bench.process.status.state == .armed }
        return (bench, run)
    }

    private func hideTheLeft(_ bench: JoinBench) async throws {
        var configuration = bench.process.configuration
        configuration.frameStage = try Self.masked(Self.left)
        let changes = try await bench.process.session.adopt(configuration)
        #expect(changes.map(\.key).contains("mask"))
    }

    @Test func record_afterAReload_containsNoEarlierFrame() async throws {
        try await withTemporaryDirectory { directory in
            let (bench, run) = try await armed(directory)
            try await hideTheLeft(bench)
            _ = try await bench.record()
            try await bench.play(40)
            let status = try await stop(bench)
            #expect(await run.value.failure == nil)
            #expect(status.isExact)
            let frames = try Self.luma(try #require(status.segments.first?.file), all: true)
            #expect(frames.count >= 40 && frames.allSatisfy { Self.isHidden($0, 0..<32) })
        }
    }

    @Test func record_preRollFromBeforeAReload_containsItAsCaptured() async throws {
        try await withTemporaryDirectory { directory in
            let (bench, run) = try await armed(directory, preRoll: milliseconds(1500))
            try await hideTheLeft(bench)
            _ = try await bench.record()
            try await bench.play(40)
            let status = try await stop(bench)
            #expect(await run.value.failure == nil)
            #expect(status.isExact)
            let isHidden = try Self.luma(try #require(status.segments.first?.file), all: true).map {
                Self.isHidden($0, 0..<32)
            }
            let count = isHidden.prefix { !$0 }.count
            #expect(count >= 10 && count <= isHidden.count - 40 && isHidden.dropFirst(count).allSatisfy { $0 })
        }
    }

    @Test func watch_afterAReload_showsNoEarlierFrame() async throws {
        try await withTemporaryDirectory { directory in
            let (bench, run) = try await armed(directory)
            try await hideTheLeft(bench)
            let (watch, _) = try bench.process.watch(limit: 16 << 20)
            var packets: [SampleBuffer] = []
            while packets.count < 20 {
                let new = try await bench.playing { await watch.watcher.next() }
                for packet in try #require(new) where packet.format.mediaType == .video { packets.append(packet) }
            }
            _ = try await stop(bench)
            #expect(await run.value.failure == nil)
            var stream = LiveStream(hasAudio: false)
            let bytes = packets.flatMap { stream.bytes(of: $0) }
            let path = directory + "/live.mp4"
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let frames = try Self.luma(path)
            #expect(frames.count >= 15 && frames.allSatisfy { Self.isHidden($0, 0..<32) })
        }
    }

    // MARK: The stage

    @Test func camera_anotherSize_masksTheSamePercentage() throws {
        let stage = CameraStage(try Self.masked(Self.left))
        for (number, size) in [(0, (64, 48)), (1, (128, 96)), (2, (36, 20))] {
            let (width, height) = size
            let sample = SyntheticMedia.videoSample(number, at: milliseconds(number), width: width, height: height)
            #expect(try stage.recorded(sample.format).video?.width == width)
            guard case .sample(let result) = stage.apply(.sample(sample)), case .pixels(let frame) = result.content
            else { throw TooLate() }
            let luma = Array(frame.visible.prefix(width * height))
            #expect(Self.isHidden(luma, 0..<(width / 2), width: width))
            #expect(Self.isShown(luma, (width / 2)..<width, width: width))
        }
        #expect(stage.changes.map(\.time) == [milliseconds(0)])
    }

    @Test func recording_rotated_hasTheRotatedSize() async throws {
        try await withTemporaryDirectory { directory in
            var settings = try Self.masked(Self.left)
            settings.rotation = 90
            let bench = JoinBench(directory, audio: .counting) { [settings] in $0.frameStage = settings }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(20)
            let status = try await stop(bench)
            #expect(await run.value.failure == nil)
            #expect(status.video?.width == 48 && status.video?.height == 64)
            let frames = try Self.luma(try #require(status.segments.first?.file), width: 48, height: 64)
            #expect(frames.count >= 20)
            #expect(
                frames.allSatisfy {
                    Self.isHidden($0, 0..<22, width: 48) && Self.isShown($0, 28..<48, width: 48)
                })
        }
    }

    @Test func apply_packetOfH264_isLostAndNotPassedOn() throws {
        let stage = CameraStage(FrameStageSettings())
        let format = FormatDescription.video(VideoFormat(codec: .h264, width: 64, height: 48))
        #expect(try stage.recorded(format) == format)
        stage.change(to: try Self.masked(Self.left))
        #expect(throws: MediaError.self) { try stage.recorded(format) }
        // A packet that cannot be masked is lost, and never passed on.
        let packet = SampleBuffer(
            format: format, content: .data(MediaData([0, 0, 1])), presentationTime: milliseconds(1000))
        guard case .lost(count: 1, cause: .corrupt, near: milliseconds(1000)) = stage.apply(.sample(packet)) else {
            Issue.record("the packet was passed on")
            return
        }
    }

    @Test func apply_damagedFrames_areReportedUntilAnIntactOne() throws {
        let stage = CameraStage(try Self.masked(Self.left))
        func apply(_ sample: SampleBuffer) -> Int64? {
            _ = stage.apply(.sample(sample))
            return stage.damage?.count
        }
        let layout = PixelLayout(format: .nv12, width: 64, height: 48)
        let pixels = PixelBuffer(layout: layout, data: MediaData([UInt8](repeating: 0, count: layout.byteCount)))
        let image = FormatDescription.video(VideoFormat(codec: .mjpeg, width: 64, height: 48))
        let damaged = SampleBuffer(
            format: image, content: .data(MediaData([0xFF, 0xD8])), presentationTime: milliseconds(1000))
        #expect(apply(SampleBuffer(pixels: pixels, presentationTime: milliseconds(0))) == nil)
        #expect([apply(damaged), apply(damaged)] == [1, 2])
        #expect(stage.damage?.error.code == .corruptData)
        #expect(apply(SampleBuffer(pixels: pixels, presentationTime: milliseconds(2000))) == nil)
        // A stage that changes nothing decodes nothing.
        #expect(apply(damaged) == 1)
        stage.change(to: FrameStageSettings())
        #expect(apply(damaged) == nil)
    }

    /// Only a JPEG is decoded.
    @Test(arguments: [(VideoCodec.mjpeg, false), (.h264, true)])
    func isDecodable_bytesWithoutAnImage_isFalseForJPEG(codec: VideoCodec, isDecodable: Bool) {
        let format = FormatDescription.video(VideoFormat(codec: codec, width: 64, height: 48))
        let sample = SampleBuffer(
            format: format, content: .data(MediaData([0xFF, 0xD8, 0xFF, 0xD9])), presentationTime: .zero)
        #expect(sample.isDecodable == isDecodable)
    }
}
