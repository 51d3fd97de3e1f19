import Foundation
import TestSupport
import Testing

@testable import ShrinkMovie

@Suite struct ShrinkMovieTests {
    @Test func shrink_rotatedMovie_isSmallerAndStaysRotated() async throws {
        let directory = try TemporaryDirectory()
        let (movie, small) = (directory.file("movie.mov"), directory.file("small.mp4"))
        try MadeFile.copy(
            of: [
                "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=960x540:r=30:d=1", "-f", "lavfi", "-i",
                "sine=duration=1", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac",
            ], to: movie)
        try MovieRotation.set(clockwise: 270, in: movie)
        let failure: (any Error)? = try await withCheckedThrowingContinuation { continuation in
            Thread {
                let shrinker = MovieShrinker(url: movie)
                do {
                    try shrinker.shrink(to: small) { continuation.resume(returning: $0) }
                } catch { continuation.resume(throwing: error) }
            }.start()
        }
        #expect(failure == nil)
        #expect(try facts(movie) == ["h264", "960", "540", "30", "90"])
        #expect(try facts(small) == ["h264", "640", "360", "30", "90"])
    }

    private func facts(_ url: URL) throws -> [String] {
        let result = try Command.run([
            "ffprobe", "-v", "error", "-count_frames", "-select_streams", "v:0", "-show_entries",
            "stream=codec_name,width,height,nb_read_frames:stream_side_data=rotation", "-of", "default=nw=1:nk=1",
            url.path,
        ])
        return String(decoding: result.output, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
