import AssetIO
import Foundation
import MediaTypes
import TestSupport
import Testing

/// Exports with a crop, a rotation, a flip or masks. FFmpeg's filters judge the geometry, its decoder the masks.
@Suite(.timeLimit(.minutes(10))) struct ShapedExportTests {
    private let fixture: ReadingFixture

    init() throws { fixture = try ReadingFixture() }

    struct Shape: Sendable, CustomTestStringConvertible {
        var crop: FrameStageSettings.Crop?
        var rotation: Int?
        var flip: FrameStageSettings.Flip?
        /// The same with FFmpeg's filters.
        var filter: String

        var testDescription: String { filter }

        var settings: FrameStageSettings {
            var settings = FrameStageSettings()
            (settings.crop, settings.rotation, settings.flip) = (crop, rotation, flip)
            return settings
        }
    }

    private static let crop = FrameStageSettings.Crop(FrameSize(64, 48), x: 16, y: 24)
    static let shapes = [
        Shape(crop: crop, filter: "crop=64:48:16:24"), Shape(rotation: 90, filter: "transpose=1"),
        Shape(rotation: 180, filter: "hflip,vflip"), Shape(rotation: 270, filter: "transpose=2"),
        Shape(flip: .horizontal, filter: "hflip"), Shape(flip: .vertical, filter: "vflip"),
        Shape(crop: crop, rotation: 90, flip: .horizontal, filter: "crop=64:48:16:24,transpose=1,hflip"),
        Shape(crop: crop, rotation: 270, flip: .vertical, filter: "crop=64:48:16:24,transpose=2,vflip"),
    ]

    /// A movie of 128×96 pixels with frames that depend on each other.
    ///
    /// - Parameter degrees: the rotation that its matrix states.
    private func movie(clockwise degrees: Int = 0) throws -> URL {
        let url = try fixture.make(
            "movie-\(degrees).mov", ["testsrc2=s=128x96:r=10:d=1"],
            ["-c:v", "libx264", "-crf", "10", "-bf", "2", "-pix_fmt", "yuv420p"])
        if degrees != 0 { try MovieRotation.set(clockwise: degrees, in: url) }
        return url
    }

    private func export(
        _ source: URL, _ stage: FrameStageSettings, codec: VideoCodec = .h264, box: CGSize? = nil
    ) async throws -> URL {
        let copy = try await ExportedCopy(of: source, in: fixture.directory) {
            $0.videoSettings = VideoSettings(codec: codec, rateControl: .constantQuality(8), preset: "veryfast")
            $0.maximumVideoSize = box
            $0.keepsDeepFrames = true
            $0.frameStage = stage
        }
        return copy.url
    }

    /// SSIM of a copy to its source, after a filter for each.
    private func likeness(_ copy: URL, _ copyFilter: String = "null", to source: URL, _ filter: String) throws -> Double
    {
        let result = try Command.run(
            "ffmpeg", "-v", "info", "-i", copy.path, "-i", source.path, "-lavfi",
            "[0:v:0]\(copyFilter),setsar=1,format=yuv420p[a];[1:v:0]\(filter),setsar=1,format=yuv420p[b];[a][b]ssim",
            "-f", "null", "-")
        let found = try #require(result.errors.components(separatedBy: "All:").last, "\(result.errors)")
        return try #require(Double(found.prefix { $0.isNumber || $0 == "." }), "\(result.errors)")
    }

    /// The luma of all frames, in the bytes of a pixel format of FFmpeg.
    private func luma(_ url: URL, _ format: String = "gray") throws -> Data {
        try ReadingFixture.decoded(
            url,
            [
                "-map", "0:v:0", "-fps_mode", "passthrough", "-vf", "extractplanes=y", "-pix_fmt", format, "-f",
                "rawvideo",
            ])
    }

    private static func masks(_ corners: [(Int, Int)], _ style: FrameMaskStyle = .black) -> FrameStageSettings {
        var settings = FrameStageSettings()
        settings.masks = [FrameMask(corners: corners.map { .init(x: $0.0 * 10_000, y: $0.1 * 10_000) })]
        settings.maskStyle = style
        return settings
    }

    private static let leftHalf = [(0, 0), (50, 0), (50, 100), (0, 100)]

    @Test(arguments: shapes, [0, 90, 180, 270])
    func export_geometry_equalsFFmpegsFilters(_ shape: Shape, clockwise degrees: Int) async throws {
        let source = try movie(clockwise: degrees)
        let copy = try await export(source, shape.settings)
        // FFmpeg rotates by the matrix before its filters.
        #expect(try likeness(copy, to: source, shape.filter) >= 0.99)
        let facts = try ExportedCopy.facts(copy, "v:0", "stream_side_data=rotation")
        #expect(facts["rotation"] == nil, "\(facts)")
    }

    @Test func export_rotatedWithABox_fitsTheRotatedFrame() async throws {
        var stage = FrameStageSettings()
        (stage.crop, stage.rotation) = (FrameStageSettings.Crop(FrameSize(96, 64), x: 0, y: 0), 90)
        let copy = try await export(try movie(), stage, box: CGSize(width: 320, height: 48))
        let video = try Probe(copy.path, decodes: true).video
        #expect(video?.width == 32 && video?.height == 48 && video?.frames == 10)
    }

    @Test(arguments: [0, 90, 180, 270])
    func export_mask_hidesItsPartOfTheShownFrame(clockwise degrees: Int) async throws {
        let source = try movie(clockwise: degrees)
        let white = FrameMaskStyle.color(red: 255, green: 255, blue: 255)
        let copy = try await export(source, Self.masks(Self.leftHalf, white))
        let width = degrees % 180 == 0 ? 128 : 96
        let pixels = [UInt8](try luma(copy))
        #expect(pixels.count == 128 * 96 * 10)
        let farthest = pixels.indices.filter { $0 % width < width / 2 }.map { abs(Int(pixels[$0]) - 235) }.max()
        #expect(try #require(farthest) <= 12)
        // Frames of the decoder, on which others depend, were not painted.
        let rest = "crop=iw/2:ih:iw/2:0"
        #expect(try likeness(copy, rest, to: source, rest) >= 0.99)
    }

    @Test func export_pixelatedMask_hasBlocksOfOneValue() async throws {
        let copy = try await export(try movie(), Self.masks(Self.leftHalf, .pixelate(16)))
        let pixels = [UInt8](try luma(copy))
        try #require(pixels.count == 128 * 96 * 10)
        for (x, y) in [(0, 0), (16, 32), (48, 80)] {
            let block: [UInt8] = (y..<(y + 16)).flatMap { row in
                let start = row * 128 + x
                return pixels[start..<(start + 16)]
            }
            let (least, most) = (Int(block.min() ?? 0), Int(block.max() ?? 0))
            #expect(most - least <= 16, "at \(x), \(y)")
        }
    }

    @Test func export_maskOnTenBits_keepsTenBits() async throws {
        let source = try fixture.make(
            "deep.mov", ["testsrc2=s=128x96:r=10:d=0.5"],
            [
                "-pix_fmt", "yuv420p10le", "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none",
                "-crf", "10", "-tag:v", "hvc1",
            ])
        let copy = try await export(source, Self.masks(Self.leftHalf), codec: .hevc)
        let facts = try ExportedCopy.facts(copy, "v:0", "stream=pix_fmt")
        #expect(facts["pix_fmt"] == "yuv420p10le")
        let words = try luma(copy, "gray10le").withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
        #expect(words.count == 128 * 96 * 5)
        let farthest = words.indices.filter { $0 % 128 < 64 }.map { abs(Int(words[$0]) - 64) }.max()
        #expect(try #require(farthest) <= 48)
        let rest = "crop=iw/2:ih:iw/2:0"
        #expect(try likeness(copy, rest, to: source, rest) >= 0.99)
    }

    @Test func export_maskAndConstantFrameRate_hidesEveryFrame() async throws {
        let copy = try await ExportedCopy(of: try movie(), in: fixture.directory) {
            $0.frameRate = 30
            $0.frameStage = Self.masks(Self.leftHalf)
        }
        let pixels = [UInt8](try luma(copy.url))
        #expect(pixels.count == 128 * 96 * 30)
        let brightest = pixels.indices.filter { $0 % 128 < 62 }.map { pixels[$0] }.max()
        #expect(try #require(brightest) <= 32)
    }

    @Test func export_maskWithPassthrough_isRefused() async throws {
        let session = try ExportSession(asset: Asset(url: try movie()), preset: .passthrough)
        try session.configure { $0.frameStage = Self.masks(Self.leftHalf) }
        let copy = fixture.directory.file("copy.mov")
        let error = await #expect(throws: MediaError.self) { try await session.export(to: copy) }
        #expect(error?.code == .invalidSettings && error?.reason.contains("pass through") == true)
        #expect(!FileManager.default.fileExists(atPath: copy.path))
    }

    @Test func export_cropOutsideTheShownFrame_isRefused() async throws {
        // It would be inside the stored frame.
        let session = try ExportSession(asset: Asset(url: try movie(clockwise: 90)))
        try session.configure { $0.frameStage.crop = FrameStageSettings.Crop(FrameSize(128, 96), x: 0, y: 0) }
        let copy = fixture.directory.file("copy.mov")
        let error = await #expect(throws: MediaError.self) { try await session.export(to: copy) }
        #expect(error?.code == .invalidSettings && error?.action.contains("96×128") == true)
    }
}
