import AssetIO
import Foundation
import MediaTypes
import TestSupport
import Testing

/// Tests of movies composed of several: one frame inside another, and one movie after the other.
@Suite struct ComposedExportTests {
    private let fixture: ReadingFixture

    init() throws { fixture = try ReadingFixture() }

    private static let stored = ["-c:v", "libx264", "-qp", "4", "-pix_fmt", "yuv420p"]

    private func time(_ seconds: Double) -> MediaTime { MediaTime(seconds: seconds, timescale: 1000) }

    /// The luma of one place in every frame, by ffmpeg.
    private func luma(_ url: URL, _ x: Int, _ y: Int) throws -> [Int] {
        try ReadingFixture.decoded(
            url, ["-map", "0:v", "-vf", "crop=2:2:\(x):\(y)", "-pix_fmt", "yuv420p", "-f", "rawvideo"]
            // Four samples of luma, one of each chroma.
        ).enumerated().filter { $0.offset % 6 == 0 }.map { Int($0.element) }
    }

    private func isNear(_ value: Int, _ wanted: Int) -> Bool { abs(value - wanted) <= 4 }

    @Test func export_pictureInPicture_rendersBothLayers() async throws {
        let source = try fixture.make(
            "two.mov",
            [
                "nullsrc=s=160x120:r=10:d=1,geq=lum=60:cb=128:cr=128",
                "nullsrc=s=160x120:r=10:d=1,geq=lum=180:cb=128:cr=128", "sine=d=1",
            ],
            ["-map", "0", "-map", "1", "-map", "2"] + Self.stored + ["-c:a", "aac"])
        let asset = Asset(url: source)
        let tracks = try await asset.tracks(withMediaType: .video)
        try #require(tracks.count == 2)
        var inset = VideoCompositionLayerInstruction(track: tracks[1])
        inset.setTransform(AffineTransform(m11: 0.25, m12: 0, m21: 0, m22: 0.25, tX: 110, tY: 10), at: .zero)
        let composition = VideoComposition(
            renderSize: CGSize(width: 160, height: 120), frameDuration: time(0.1),
            instructions: [
                VideoCompositionInstruction(
                    timeRange: TimeRange(start: .zero, end: time(1)),
                    layerInstructions: [inset, VideoCompositionLayerInstruction(track: tracks[0])])
            ])
        let copy = try await ExportedCopy(of: asset, in: fixture.directory, preset: .highestQuality) {
            $0.videoComposition = composition
        }
        let probe = try Probe(copy.url.path)
        #expect(probe.streams.map(\.codecType) == ["video", "audio"] && probe.video?.width == 160)
        let (inside, outside) = (try luma(copy.url, 130, 24), try luma(copy.url, 40, 80))
        #expect(inside.count == 10 && inside.allSatisfy { isNear($0, 180) }, "\(inside)")
        #expect(outside.count == 10 && outside.allSatisfy { isNear($0, 60) }, "\(outside)")
    }

    @Test func export_compositionOfInfiniteSize_isRefused() async throws {
        let source = try fixture.make("one.mov", ["color=gray:s=64x48:r=10:d=0.3"], Self.stored)
        let asset = Asset(url: source)
        let tracks = try await asset.tracks(withMediaType: .video)
        let track = try #require(tracks.first)
        let session = try ExportSession(asset: asset, preset: .highestQuality)
        try session.configure {
            $0.videoComposition = VideoComposition(
                renderSize: CGSize(width: CGFloat.infinity, height: 48), frameDuration: time(0.1),
                instructions: [
                    VideoCompositionInstruction(
                        timeRange: TimeRange(start: .zero, end: time(0.3)),
                        layerInstructions: [VideoCompositionLayerInstruction(track: track)])
                ])
        }
        let url = fixture.directory.file("copy.mov")
        let error = await #expect(throws: MediaError.self) { try await session.export(to: url) }
        #expect(error?.code == .invalidSettings && error?.description.contains("renderSize") == true)
    }

    /// Two movies, one of them twice as large as the other.
    private func parts() throws -> (Asset, Asset) {
        func part(_ name: String, _ size: String, _ luma: Int, _ pitch: Int) throws -> Asset {
            Asset(
                url: try fixture.make(
                    name,
                    [
                        "nullsrc=s=\(size):r=10:d=1,geq=lum=\(luma):cb=128:cr=128",
                        "sine=f=\(pitch):r=48000:d=1",
                    ], Self.stored + ["-c:a", "pcm_s16le"]))
        }
        return (try part("one.mov", "160x120", 60, 440), try part("other.mov", "320x240", 180, 880))
    }

    @Test func export_joinedFilesOfTwoSizes_playThrough() async throws {
        let (one, other) = try parts()
        let joined = Asset(try await Composition.joining([one, other, one]))
        let copy = try await ExportedCopy(of: joined, in: fixture.directory, preset: .highestQuality)
        let probe = try Probe(copy.url.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 30 && abs(probe.format.seconds - 3) < 0.03)
        let middle = try luma(copy.url, (probe.video?.width ?? 0) / 2, (probe.video?.height ?? 0) / 2)
        let isRight = middle.enumerated().allSatisfy { isNear($1, 10..<20 ~= $0 ? 180 : 60) }
        #expect(isRight, "\(middle)")
        let times = try Probe.frameTimes(copy.url.path)
        #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 0.1) < 0.001 })
        #expect(
            try audio(copy.url, at: 0.3).isLoud && audio(copy.url, at: 1.5).isLoud && audio(copy.url, at: 2.8).isLoud)
    }

    @Test func export_gap_isSilentAndTheMovieContinues() async throws {
        let (one, _) = try parts()
        var composition = Composition()
        try await composition.insertTimeRange(
            TimeRange(start: .zero, end: .positiveInfinity), of: one, at: .zero)
        try await composition.insertTimeRange(
            TimeRange(start: .zero, end: .positiveInfinity), of: one, at: time(2))
        let copy = try await ExportedCopy(of: Asset(composition), in: fixture.directory, preset: .highestQuality)
        let probe = try Probe(copy.url.path, decodes: true)
        #expect(probe.complaints == "" && abs(probe.format.seconds - 3) < 0.03)
        let times = try Probe.frameTimes(copy.url.path)
        #expect(times.first == 0 && times.contains { abs($0 - 2) < 0.001 } && times.contains { abs($0 - 2.9) < 0.001 })
        let (before, gap, after) = (
            try audio(copy.url, at: 0.5), try audio(copy.url, at: 1.5), try audio(copy.url, at: 2.5)
        )
        #expect(before.isLoud && !gap.isLoud && after.isLoud)
    }

    private struct Loudness {
        var peak: Int
        var isLoud: Bool { peak > 1000 }
    }

    /// The loudness of a tenth of a second.
    private func audio(_ url: URL, at seconds: Double) throws -> Loudness {
        let data = try ReadingFixture.decoded(
            url,
            [
                "-map", "0:a", "-af", "aresample=async=1:first_pts=0,atrim=\(seconds):\(seconds + 0.1)", "-f", "s16le",
            ])
        return Loudness(
            peak: data.withUnsafeBytes { $0.bindMemory(to: Int16.self).map { abs(Int($0)) }.max() ?? 0 })
    }
}
