import Demuxing
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// The end of a track with B-frames and a varying frame rate. The sum of the durations in its sample tables is a
/// different time.
@Suite struct ReorderedDurationTests {
    private static let codec = ["-fps_mode", "vfr", "-c:v", "libx264", "-preset", "veryfast", "-bf", "2", "-g", "3"]

    /// 35 frames; the last ones at 4, 5, 7, 10 and 11.9 s.
    private func slides(_ fixture: ReadingFixture) throws -> URL {
        let frames = "lt(n,30)+eq(n,40)+eq(n,50)+eq(n,70)+eq(n,100)+eq(n,119)"
        return try fixture.make(
            "slides.mp4", ["testsrc2=s=64x48:r=10:d=12,select='\(frames)'"], Self.codec + ["-pix_fmt", "yuv420p"])
    }

    @Test func track_framesGetSparser_endsAfterItsLastFrame() async throws {
        let fixture = try ReadingFixture()
        let url = try slides(fixture)
        let track = try #require(try await Asset(url: url).tracks(withMediaType: .video).first)
        #expect(track.timeRange == TimeRange(start: .zero, duration: MediaTime(value: 12, timescale: 1)))
        #expect(abs(track.nominalFrameRate - 35.0 / 12) < 0.01)
        let summary = try #require(try MovieInspector.summary(ofFileAt: url.path).tracks.first)
        #expect(summary.duration == 12 && abs((summary.frameRate ?? 0) - 35.0 / 12) < 0.01)
    }

    /// The movie counts milliseconds, so its edit list is not exact.
    @Test func track_halfTheFrameRateAtTheEnd_endsWithItsEdit() async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            "low.mp4", ["testsrc2=s=64x48:r=30:d=4,select='lt(n,60)+not(mod(n,2))'"],
            Self.codec + ["-pix_fmt", "yuv420p"])
        let track = try #require(try await Asset(url: url).tracks(withMediaType: .video).first)
        #expect(abs(track.timeRange.end.seconds - 119.0 / 30) < 0.001)
    }

    @Test func track_framesGetDenser_endsAfterItsLastFrame() async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            "dense.mp4", ["testsrc2=s=64x48:r=10:d=4,select='not(mod(n,8))+gt(n,24)'"],
            Self.codec + ["-pix_fmt", "yuv420p"])
        let track = try #require(try await Asset(url: url).tracks(withMediaType: .video).first)
        #expect(track.timeRange.end == MediaTime(value: 4, timescale: 1))
    }

    @Test func joining_framesGetSparser_keepsAllFrames() async throws {
        let fixture = try ReadingFixture()
        let asset = Asset(url: try slides(fixture))
        let joined = try await Composition.joining([asset, asset])
        #expect(joined.duration == MediaTime(value: 24, timescale: 1))
        let copy = try await ExportedCopy(of: Asset(joined), in: fixture.directory, preset: .passthrough)
        let times = try CutFramesTests.frames(copy.url).times
        #expect(times.count == 70)
        #expect(times.contains { abs($0 - 11.9) < 0.002 } && times.contains { abs($0 - 23.9) < 0.002 })
    }

    @Test func image_afterTheSumOfDurations_isTheFrameOnScreen() async throws {
        let fixture = try ReadingFixture()
        let generator = FrameGenerator.exact(try slides(fixture))
        #expect(try await generator.image(at: StillsFixture.time(9)).actualTime == MediaTime(value: 7, timescale: 1))
    }

    /// Re-encoding stores decode times of its own. Their sum is shorter than the movie, too.
    @Test func export_framesGetSparser_hasTheSameEnd() async throws {
        let fixture = try ReadingFixture()
        let copy = try await ExportedCopy(of: try slides(fixture), in: fixture.directory)
        let track = try #require(try await Asset(url: copy.url).tracks(withMediaType: .video).first)
        #expect(track.timeRange.end == MediaTime(value: 12, timescale: 1))
    }
}
