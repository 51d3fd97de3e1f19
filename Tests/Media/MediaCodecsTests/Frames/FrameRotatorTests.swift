import MediaTypes
import Testing

@testable import MediaCodecs

/// Tests that rotated frames equal those of ffmpeg's transpose.
@Suite struct FrameRotatorTests {
    /// The ffmpeg filters for each of the eight orientations.
    static func filter(_ orientation: FrameOrientation) -> String {
        let turn = ["", "transpose=clock", "hflip,vflip", "transpose=cclock"][orientation.quarterTurns]
        return [orientation.isMirrored ? "hflip" : "", turn].filter { !$0.isEmpty }.joined(separator: ",")
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var format: PixelFormat
        var orientation: FrameOrientation
        var testDescription: String {
            "\(format) \(orientation.isMirrored ? "mirrored " : "")\(orientation.quarterTurns)"
        }
    }

    static let cases = [PixelFormat.i420, .nv12, .bgra, .i010, .gray8, .i422, .yuyv, .p010].flatMap { format in
        FrameOrientation.all.filter { $0 != .upright }.map { Case(format: format, orientation: $0) }
    }

    @Test(arguments: cases) func rotate_anyOrientation_equalsFFmpeg(_ item: Case) throws {
        let source = try #require(
            JudgedFrame.make("testsrc2=s=98x54:d=0.04", item.format, width: 98, height: 54).first)
        let size = item.orientation.swapsSides ? (54, 98) : (98, 54)
        let result = try FrameRotator().turn(source, item.orientation)
        let expected = try #require(
            JudgedFrame.filter([source], Self.filter(item.orientation), width: size.0, height: size.1).first)
        #expect(result.format == item.format && result.width == size.0 && result.height == size.1)
        let isHalved = item.format.planar == .i422
        let likeness = JudgedFrame.likeness(result, expected)
        if isHalved {
            // ffmpeg itself converts to 4:4:4 in between.
            #expect(likeness > (item.orientation.swapsSides ? 25 : 30), "\(likeness) dB")
        } else {
            #expect(likeness == 99, "\(likeness) dB")
        }
    }

    @Test func rotate_fourQuartersOrTwoMirrors_givesTheSameFrame() throws {
        let rotator = FrameRotator()
        for format in [PixelFormat.i420, .nv12, .bgra, .i010] {
            let source = try #require(
                JudgedFrame.make("testsrc=s=71x37:d=0.04", format, width: 71, height: 37).first)
            var turned = source
            for _ in 0..<4 { turned = try rotator.turn(turned, FrameOrientation(quarterTurns: 1)) }
            #expect(turned.visible == source.visible)
            for _ in 0..<2 { turned = try rotator.turn(turned, FrameOrientation(isMirrored: true)) }
            #expect(turned.visible == source.visible)
            #expect(try rotator.turn(source, .upright).data === source.data)
        }
    }

    @Test func rotate_oddRowLength_givesTheSameFrame() throws {
        let source = try #require(JudgedFrame.make("testsrc2=s=32x20:d=0.04", .nv12, width: 32, height: 20).first)
        // Rows of 35 bytes, not an integral number of chroma pairs.
        let layout = PixelLayout(format: .nv12, width: 32, height: 20, bytesPerRow: 35)
        let padded = MutablePixelBuffer(layout: layout)
        for plane in 0..<2 {
            for row in 0..<layout.planes[plane].rows {
                for column in 0..<32 { padded.plane(plane)[row * 35 + column] = source.plane(plane)[row * 32 + column] }
            }
        }
        let odd = padded.finish()
        let quarter = FrameOrientation(quarterTurns: 1)
        let rotator = FrameRotator()
        #expect(try rotator.turn(odd, quarter).visible == rotator.turn(source, quarter).visible)
    }

    @Test func rotate_manyFrames_reusesMemory() throws {
        let rotator = FrameRotator()
        for format in PixelFormat.allCases {
            let source = MutablePixelBuffer(layout: PixelLayout(format: format, width: 64, height: 48)).finish()
            for _ in 0..<2 { _ = try rotator.turn(source, FrameOrientation(quarterTurns: 1)) }
            let before = rotator.allocationCount
            for _ in 0..<20 { _ = try rotator.turn(source, FrameOrientation(quarterTurns: 1)) }
            #expect(rotator.allocationCount == before, "\(format)")
        }
    }
}
