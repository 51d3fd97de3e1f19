import CommandInterface
import FakeDevices
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import Capture
@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Recordings that are rotated, flipped, cropped or scaled look as if FFmpeg had filtered an unchanged recording of the
/// same frames, which are those of the test camera.
@Suite(.timeLimit(.minutes(10))) struct ShapedRecordingTests {
    struct Shape: CustomTestStringConvertible, Sendable {
        var settings = FrameStageSettings()
        /// The filter of FFmpeg with the same result.
        var filter: String
        var keepsSize = false
        var testDescription: String { filter }

        init(_ filter: String, keepsSize: Bool = false, _ change: (inout FrameStageSettings) -> Void) {
            self.filter = filter
            self.keepsSize = keepsSize
            change(&settings)
        }
    }

    private static let (width, height) = (256, 192)
    private static let least = 30

    static let shapes = [
        Shape("transpose=clock") { $0.rotation = 90 },
        Shape("hflip,vflip", keepsSize: true) { $0.rotation = 180 },
        Shape("transpose=cclock") { $0.rotation = 270 },
        Shape("hflip", keepsSize: true) { $0.flip = .horizontal },
        Shape("vflip", keepsSize: true) { $0.flip = .vertical },
        Shape("crop=128:96:64:32") { $0.crop = .init(FrameSize(128, 96), x: 64, y: 32) },
        Shape("scale=128:96:flags=area") { $0.scale = FrameSize(128, 96) },
        Shape("crop=192:96:32:64,transpose=clock,hflip,scale=48:96:flags=area") { settings in
            settings.crop = .init(FrameSize(192, 96), x: 32, y: 64)
            (settings.rotation, settings.flip, settings.scale) = (90, .horizontal, FrameSize(48, 96))
        },
    ]

    /// The first seconds of the test camera at 25 fps.
    private static let frames: [PixelBuffer] = {
        let pattern = TestPattern(width: Self.width, height: Self.height)
        return (0..<75).map { (number: Int64) -> PixelBuffer in
            pattern.draw(number: number, time: number * 40_000_000, isFlash: number % 25 == 0)
        }
    }()

    private func record(_ path: String, in directory: String, _ stage: FrameStageSettings) async throws {
        let bench = JoinBench(directory, audio: .counting) { configuration in
            configuration.frameStage = stage
            configuration.output = path
        }
        let frames = Self.frames
        bench.show { frames[$0 % frames.count] }
        let run = bench.run()
        try await bench.ready()
        try await bench.play(Self.least + 10)
        let status = try await bench.playing { try await bench.process.stop(disarms: true) }
        #expect(await run.value.failure == nil)
        #expect(status.isExact && status.segments.map(\.file) == [path])
    }

    /// The structural similarity of the first frames of two movies, the second after a filter.
    private func similarity(_ movie: String, _ source: String, _ filter: String) throws -> Double {
        let same = "setsar=1,format=yuv420p,trim=end_frame=\(Self.least),settb=1/25,setpts=N"
        let result = try Command.run(
            "ffmpeg", "-v", "info", "-i", movie, "-i", source, "-lavfi",
            "[0:v:0]\(same)[a];[1:v:0]\(filter),\(same)[b];[a][b]ssim", "-f", "null", "-")
        let found = try #require(result.errors.components(separatedBy: "All:").last, "\(result.errors)")
        return try #require(Double(found.prefix { $0.isNumber || $0 == "." }), "\(result.errors)")
    }

    @Test(arguments: shapes) func recording_shaped_equalsFFmpegsFilter(_ shape: Shape) async throws {
        try await withTemporaryDirectory { directory in
            let (plain, shaped) = (directory + "/plain.mov", directory + "/shaped.mov")
            try await record(plain, in: directory, FrameStageSettings())
            try await record(shaped, in: directory, shape.settings)
            #expect(try Probe(plain, decodes: true).video.map { $0.frames >= Self.least } == true)
            let same = try similarity(shaped, plain, shape.filter)
            #expect(same >= 0.99, "\(same)")
            // The frames show whether they were changed.
            if shape.keepsSize {
                let unchanged = try similarity(shaped, plain, "null")
                #expect(unchanged < 0.97, "\(unchanged)")
            }
        }
    }
}
