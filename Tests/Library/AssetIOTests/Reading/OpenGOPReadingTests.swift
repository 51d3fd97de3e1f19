import Foundation
import TestSupport
import Testing

@testable import AssetIO

/// H.264 whose keyframes are no refreshes: frames after one may name frames from before it.
@Suite struct OpenGOPReadingTests {
    /// FFmpeg cuts at the keyframe before the time, and an edit list hides what comes before.
    private func cut(_ name: String, in fixture: ReadingFixture) throws -> URL {
        let source = try fixture.make(
            "source." + name.split(separator: ".")[1], ["testsrc2=s=128x96:r=50:d=4"],
            [
                "-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-pix_fmt", "yuv420p", "-x264-params",
                "keyint=25:min-keyint=25:scenecut=0:open-gop=1:b-adapt=0",
            ])
        let url = fixture.directory.file(name)
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-ss", "0.598", "-i", source.path, "-c", "copy", url.path)
        try #require(made.status == 0, "\(made.errors)")
        return url
    }

    @Test(arguments: ["cut.mp4", "cut.mov", "cut.mkv", "cut.ts"])
    func reader_fileCutInOpenGOPs_returnsEveryFrame(_ name: String) async throws {
        let fixture = try ReadingFixture()
        let url = try cut(name, in: fixture)
        let due = try CutFramesTests.frames(url).hashes.count
        #expect(due > 150)
        let (reader, output) = try await AssetReader.reading(url, .video, .pixels(nil))
        #expect(output.all().count == due)
        #expect(reader.status == .completed, "\(String(describing: reader.error))")
    }
}
