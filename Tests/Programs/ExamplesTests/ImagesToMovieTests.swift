import Foundation
import TestSupport
import Testing

@testable import ImagesToMovie

@Suite struct ImagesToMovieTests {
    private func image(_ color: String, _ size: String, _ url: URL) throws {
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=\(color):s=\(size)", "-frames:v", "1", url.path)
        try #require(made.status == 0, "\(made.errors)")
    }

    private func write(_ show: SlideShow, to url: URL) async throws -> (any Error)? {
        try await withCheckedThrowingContinuation { continuation in
            do {
                try show.write(to: url) { continuation.resume(returning: $0) }
            } catch { continuation.resume(throwing: error) }
        }
    }

    /// The color in the middle of each frame, and at its left edge.
    private func colors(_ movie: URL, _ place: String) throws -> [[UInt8]] {
        let result = try Command.run(
            "ffmpeg", "-v", "error", "-i", movie.path, "-vf", "crop=2:2:\(place)", "-f", "rawvideo", "-pix_fmt",
            "rgb24", "-")
        try #require(result.status == 0, "\(result.errors)")
        let bytes = Array(result.output)
        return stride(from: 0, to: bytes.count, by: 12).map { Array(bytes[$0..<$0 + 3]) }
    }

    @Test func write_twoImages_showsThemOneAfterTheOther() async throws {
        let directory = try TemporaryDirectory()
        let (red, blue, movie) = (
            directory.file("red.png"), directory.file("blue.jpg"), directory.file("movie.mov")
        )
        try image("red", "120x120", red)
        try image("blue", "320x180", blue)
        let show = try SlideShow(images: [red, blue], width: 320, height: 180, framesPerImage: 20)
        #expect(try await write(show, to: movie) == nil)
        let middle = try colors(movie, "160:90")
        try #require(middle.count == 40)
        func isNear(_ color: [UInt8], _ expected: [Int]) -> Bool {
            zip(color, expected).allSatisfy { abs(Int($0) - $1) < 20 }
        }
        // Each fades in over ten frames.
        #expect(middle[0][0] < 60 && isNear(middle[15], [255, 0, 0]) && isNear(middle[38], [0, 0, 255]))
        #expect(middle[24][0] > 60 && middle[24][2] > 60)
        // The square leaves the edges black; the wide image does not.
        let edge = try colors(movie, "2:90")
        #expect(isNear(edge[15], [0, 0, 0]) && isNear(edge[38], [0, 0, 255]))
    }

    @Test func write_title_isAtTheBottomOfTheFirstImage() async throws {
        let directory = try TemporaryDirectory()
        let (blue, movie) = (directory.file("blue.png"), directory.file("movie.mov"))
        try image("blue", "320x180", blue)
        let show = try SlideShow(images: [blue, blue], title: "████████", width: 320, height: 180, framesPerImage: 20)
        #expect(try await write(show, to: movie) == nil)
        // The first image has a white block of the title there, the second one has none.
        let found = try colors(movie, "160:154")
        try #require(found.count == 40)
        #expect(found[15].allSatisfy { $0 > 200 } && found[38][0] < 40 && found[38][2] > 200)
    }

    @Test func init_unreadableImage_throws() throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("image.png")
        try Data("no image".utf8).write(to: url)
        #expect(throws: SlideShow.Failure.self) {
            _ = try SlideShow(images: [url], width: 64, height: 64, framesPerImage: 1)
        }
    }
}
