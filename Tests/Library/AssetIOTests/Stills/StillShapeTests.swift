import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO
@testable import MediaCodecs

/// Tests of the size and orientation of images.
@Suite struct StillShapeTests {
    @Test func stillShape_maximumSize_fitsAndNeverEnlarges() {
        func shape(_ width: Double, _ height: Double, swaps: Bool = false, aspect: Ratio = .one) -> [Int] {
            let shape = StillShape(
                width: 1920, height: 1080, pixelAspectRatio: aspect, swapsSides: swaps,
                maximumSize: CGSize(width: width, height: height))
            return [shape.width, shape.height]
        }
        #expect(shape(0, 0) == [1920, 1080])
        #expect(shape(320, 0) == [320, 180])
        #expect(shape(0, 180) == [320, 180])
        #expect(shape(320, 320) == [320, 180])
        #expect(shape(4000, 4000) == [1920, 1080])
        #expect(shape(180, 320, swaps: true) == [320, 180])
        #expect(shape(320, 320, swaps: true) == [320, 180])
        #expect(shape(0, 0, aspect: Ratio(4, 3)) == [2560, 1080])
        #expect(shape(0, 0, aspect: Ratio(1, 2)) == [960, 1080])
        #expect(shape(1, 1) == [1, 1])
        #expect(shape(.infinity, .nan) == [1920, 1080])
    }

    /// A movie with four corners of different brightness, stored as they are, with a rotation.
    private func corners(_ fixture: ReadingFixture, rotate: Int) throws -> URL {
        let plain = try fixture.make(
            "plain.mov",
            [
                "color=c=black:s=96x64:r=10:d=1,geq=lum='if(lt(X,48),if(lt(Y,32),40,90),if(lt(Y,32),140,200))':cb=128:cr=128"
            ],
            ["-c:v", "libx264", "-crf", "1", "-pix_fmt", "yuv420p"])
        try MovieRotation.set(clockwise: rotate, in: plain)
        return plain
    }

    private func corners(_ image: PixelBuffer) -> [Int] {
        let row = image.layout.planes[0].bytesPerRow
        return [(1, 1), (3, 1), (1, 3), (3, 3)].map { x, y in
            Int(image.plane(0)[image.height * y / 4 * row + image.width * x / 4])
        }
    }

    @Test(arguments: [0, 90, 180, 270]) func image_rotatedMovie_isUpright(_ degrees: Int) async throws {
        let fixture = try ReadingFixture()
        let url = try corners(fixture, rotate: degrees)
        // ffmpeg's output is the reference; it rotates by itself.
        let shown = try ReadingFixture.decoded(
            url, ["-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "gray", "-color_range", "tv"])
        let generator = FrameGenerator(asset: Asset(url: url))
        let (image, _) = try await generator.image(at: .zero)
        let sides = degrees % 180 == 0 ? [96, 64] : [64, 96]
        #expect(image.sides == sides)
        let expected = [(1, 1), (3, 1), (1, 3), (3, 3)].map { x, y in
            Int(shown[sides[1] * y / 4 * sides[0] + sides[0] * x / 4])
        }
        for (ours, theirs) in zip(corners(image), expected) {
            // ffmpeg's gray has full range.
            let full = (ours - 16) * 255 / 219
            #expect(abs(full - theirs) <= 4 || abs(ours - theirs) <= 4)
        }
        generator.maximumSize = CGSize(width: 48, height: 48)
        let small = try await generator.image(at: .zero).image
        #expect(small.sides == sides.map { $0 / 2 } as [Int])
        generator.appliesPreferredTrackTransform = false
        let stored = try await generator.image(at: .zero).image
        #expect(stored.sides == [48, 32])
        #expect(zip(corners(stored), [40, 140, 90, 200]).allSatisfy { abs($0 - $1) <= 3 })
    }

    @Test func image_nonSquarePixels_becomeSquare() async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            "wide.mov", ["testsrc2=s=72x48:r=10:d=1"],
            ["-vf", "setsar=16/9", "-c:v", "libx264", "-pix_fmt", "yuv420p"])
        let asset = Asset(url: url)
        let generator = FrameGenerator(asset: asset)
        let (image, _) = try await generator.image(at: .zero)
        #expect(image.sides == [128, 48])
        let track = try await asset.tracks(withMediaType: .video)[0]
        #expect(track.presentationDimensions == CGSize(width: image.width, height: image.height))
        generator.maximumSize = CGSize(width: 64, height: 64)
        let small = try await generator.image(at: .zero).image
        #expect(small.sides == [64, 24])
    }

    @Test func orientation_eightMatrices_areRecognized() {
        for orientation in FrameOrientation.all {
            // The places of the corner and its two neighbors of a 2 × 1 frame, rotated step by step.
            var (a, b, c, d) = (orientation.isMirrored ? -1.0 : 1.0, 0.0, 0.0, 1.0)
            for _ in 0..<orientation.quarterTurns { (a, b, c, d) = (-b, a, -d, c) }
            let matrix = AffineTransform(m11: a, m12: b, m21: c, m22: d, tX: 5, tY: -7)
            #expect(FrameOrientation(matrix) == orientation)
        }
        #expect(FrameOrientation(AffineTransform(rotationByDegrees: 30)) == nil)
        #expect(FrameOrientation(AffineTransform(scale: 0)) == nil)
    }

    @Test(arguments: [
        (PixelFormat.bgra, [0, 0, 191, 255]), (.argb, [255, 191, 0, 0]), (.rgba, [191, 0, 0, 255]),
        (.rgb24, [191, 0, 0]),
    ]) func image_scaledDown_keepsColors(format: PixelFormat, expected: [Int]) async throws {
        let fixture = try ReadingFixture()
        // No matrix is tagged: 720 rows imply BT.709, also after scaling to 90 rows.
        let url = try fixture.make(
            "hd.mov", ["color=c=black:s=1280x720:r=10:d=0.2,geq=lum=51:cb=109:cr=212"],
            ["-c:v", "libx264", "-preset", "ultrafast", "-crf", "1", "-pix_fmt", "yuv420p"])
        let generator = FrameGenerator(asset: Asset(url: url))
        generator.maximumSize = CGSize(width: 160, height: 160)
        generator.pixelFormat = format
        let (image, _) = try await generator.image(at: .zero)
        #expect(image.sides == [160, 90])
        #expect(image.format == format)
        let pixel = expected.indices.map { Int(image.plane(0)[$0]) }
        #expect(zip(pixel, expected).allSatisfy { abs($0 - $1) <= 4 }, "\(pixel)")
    }
}
