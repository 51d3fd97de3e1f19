import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// A movie whose frames encode their numbers in their brightness.
enum StillsFixture {
    /// A movie at 30 fps with a keyframe every second and B-frames between.
    static func movie(
        _ fixture: ReadingFixture, _ name: String = "movie.mov", seconds: Int = 4, size: String = "64x48",
        _ arguments: [String] = []
    ) throws -> URL {
        try fixture.make(
            name, ["color=c=black:s=\(size):r=30:d=\(seconds),geq=lum='16+mod(N*7,200)':cb=128:cr=128"],
            [
                "-c:v", "libx264", "-g", "30", "-bf", "2", "-sc_threshold", "0", "-crf", "4", "-pix_fmt", "yuv420p",
            ] + arguments)
    }

    /// The number encoded in a frame's brightness.
    static func number(_ image: PixelBuffer) -> Int {
        let row = image.layout.planes[0].bytesPerRow
        let luma = Int(image.plane(0)[image.height / 2 * row + image.width / 2])
        return (0..<200).min { abs(shade($0) - luma) < abs(shade($1) - luma) } ?? -1
    }

    private static func shade(_ number: Int) -> Int { 16 + number * 7 % 200 }

    static func time(_ seconds: Double) -> MediaTime { MediaTime(seconds: seconds, timescale: 1000) }
}

extension FrameGenerator {
    /// A generator that returns exactly the frame that is shown.
    static func exact(_ url: URL) -> FrameGenerator {
        let generator = FrameGenerator(asset: Asset(url: url))
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        return generator
    }
}

extension PixelBuffer {
    /// Width and height.
    var sides: [Int] { [width, height] }
}
