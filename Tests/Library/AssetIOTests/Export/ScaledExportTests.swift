import AssetIO
import Foundation
import MediaTypes
import TestSupport
import Testing

/// Tests of exports whose settings name a size, with movies whose pixels are not square.
@Suite struct ScaledExportTests {
    private let fixture: ReadingFixture

    init() throws { fixture = try ReadingFixture() }

    /// The ranges of the brightest columns and rows of the first frame.
    private func bright(_ url: URL, _ width: Int, _ height: Int) throws -> [Range<Int>] {
        let bytes = try ReadingFixture.decoded(url, ["-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "gray"])
        let luma = [UInt8](bytes)
        try #require(luma.count == width * height)
        let columns = (0..<width).filter { luma[height / 2 * width + $0] > 200 }
        let rows = (0..<height).filter { luma[$0 * width + width / 2] > 200 }
        return [try #require(columns.first)..<columns.last! + 1, try #require(rows.first)..<rows.last! + 1]
    }

    private func export(_ source: URL, _ settings: VideoSettings) async throws -> URL {
        let url = fixture.directory.file("copy.mov")
        let session = try ExportSession(asset: Asset(url: source), preset: .highestQuality)
        try session.configure { $0.videoSettings = settings }
        try await session.export(to: url)
        return url
    }

    @Test(arguments: [
        // 96 × 96 pixels, each twice as wide as high: 2:1.
        (VideoSettings.ScalingMode?.none, [192, 96], [0..<192, 0..<96]), (nil, [96, 96], [0..<96, 24..<72]),
        (.resizeAspect, [128, 128], [0..<128, 32..<96]), (.resizeAspectFill, [96, 96], [0..<96, 0..<96]),
        (.resize, [64, 80], [0..<64, 0..<80]), (.fit, [128, 128], [0..<128, 0..<64]),
    ]) func export_nonSquarePixels_scalesByTheirAspectRatio(
        mode: VideoSettings.ScalingMode?, size: [Int], expected: [Range<Int>]
    ) async throws {
        let source = try fixture.make(
            "wide.mov", ["color=white:s=96x96:r=10:d=0.5"],
            ["-vf", "setsar=2", "-c:v", "libx264", "-pix_fmt", "yuv420p"])
        var settings = VideoSettings(width: size[0], height: size[1])
        settings.scalingMode = mode
        let copy = try await export(source, settings)
        let (width, height) = mode == .fit ? (expected[0].count, expected[1].count) : (size[0], size[1])
        let video = try Probe(copy.path, decodes: true).video
        #expect(video?.width == width && video?.height == height && video?.frames == 5)
        let found = try bright(copy, width, height)
        #expect(found == expected, "\(found)")
    }
}
