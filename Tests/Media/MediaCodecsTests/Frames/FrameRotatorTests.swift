import Foundation
import MediaTypes
import TestSupport
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

    @Test func orientation_thenAnother_equalsBothTurns() throws {
        let rotator = FrameRotator()
        let source = Self.noise(.i420, width: 33, height: 17)
        for first in FrameOrientation.all {
            for second in FrameOrientation.all {
                let expected = try rotator.turn(rotator.turn(source, first), second)
                let result = try rotator.turn(source, first.then(second))
                #expect(result.visible == expected.visible, "\(first), \(second)")
            }
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

    /// Sizes around those of the squares (8 and 16) and blocks (32 and 64) in which samples are moved.
    static let sizes = [
        (1, 1), (3, 2), (15, 17), (16, 16), (17, 40), (33, 31), (64, 63), (65, 70), (100, 64), (129, 33), (40, 150),
    ]

    @Test(arguments: [PixelFormat.i420, .nv12, .gray8, .bgra, .i010, .i422, .i210])
    func rotate_anySize_movesEverySample(_ format: PixelFormat) throws {
        let rotator = FrameRotator()
        for (width, height) in Self.sizes {
            let source = Self.noise(format, width: width, height: height)
            for orientation in FrameOrientation.all where orientation != .upright {
                // The chroma of 4:2:2 is converted for a quarter turn.
                if orientation.swapsSides, format == .i422 || format == .i210 { continue }
                let result = try rotator.turn(source, orientation)
                let expected = Self.turned(source, orientation)
                #expect(result.visible == expected, "\(width)×\(height), \(orientation)")
            }
        }
    }

    @Test(arguments: [PixelFormat.i422, .i210])
    func rotate_quarterTurnOfHalvedChroma_turnsQuarteredChroma(_ format: PixelFormat) throws {
        let (rotator, converter) = (FrameRotator(), PixelConverter())
        for (width, height) in Self.sizes {
            let source = Self.noise(format, width: width, height: height)
            let quartered = try converter.convert(source, to: format == .i210 ? .i010 : .i420)
            for orientation in FrameOrientation.all where orientation.swapsSides {
                let result = try rotator.turn(source, orientation)
                let expected = try converter.convert(rotator.turn(quartered, orientation), to: format)
                #expect(result.visible == expected.visible, "\(width)×\(height), \(orientation)")
            }
        }
    }

    /// A frame that begins inside another one's rows, as a crop does.
    @Test(arguments: [PixelFormat.i420, .nv12, .i010])
    func rotate_unalignedRows_movesEverySample(_ format: PixelFormat) throws {
        let source = Self.noise(format, width: 98, height: 70)
        let bytes = format.bitDepth > 8 ? 2 : 1
        let layout = source.layout
        var offset = 6 * bytes
        let planes = layout.planes.map { plane in
            let row = plane.bytesPerRow + 10 * bytes
            defer { offset += row * plane.rows }
            return PixelLayout.Plane(offset: offset, bytesPerRow: row, rows: plane.rows)
        }
        let shifted = PixelLayout(format: format, width: 98, height: 70, planes: planes)
        let memory = MediaData(byteCount: shifted.byteCount) { target in
            for (from, to) in zip(layout.planes, planes) {
                for row in 0..<from.rows {
                    let line = source.data.bytes[(from.offset + row * from.bytesPerRow)...].prefix(from.bytesPerRow)
                    let start = to.offset + row * to.bytesPerRow
                    UnsafeMutableRawBufferPointer(rebasing: target[start..<(start + from.bytesPerRow)]).copyBytes(
                        from: line)
                }
            }
        }
        let frame = PixelBuffer(layout: shifted, data: memory)
        let rotator = FrameRotator()
        for orientation in FrameOrientation.all where orientation != .upright {
            #expect(try rotator.turn(frame, orientation).visible == Self.turned(source, orientation), "\(orientation)")
        }
    }

    /// A frame of random samples, whose rows have no padding.
    static func noise(_ format: PixelFormat, width: Int, height: Int) -> PixelBuffer {
        let layout = PixelLayout(format: format, width: width, height: height)
        var random = SeededRandom(seed: UInt64(width * 1000 + height))
        var bytes = (0..<layout.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        // Ten bits, in little-endian words.
        if format.bitDepth > 8 { for index in stride(from: 1, to: bytes.count, by: 2) { bytes[index] &= 3 } }
        return bytes.withUnsafeBytes { PixelBuffer(layout: layout, data: MediaData(copying: $0)) }
    }

    /// The visible rows of the turned frame, moved sample by sample.
    static func turned(_ source: PixelBuffer, _ orientation: FrameOrientation) -> Data {
        var result: [UInt8] = []
        for (index, shape) in source.format.planeShapes.enumerated() {
            let width = (source.width + shape.columnStep - 1) / shape.columnStep
            let height = (source.height + shape.rowStep - 1) / shape.rowStep
            let bytes = shape.channels * (source.format.bitDepth > 8 ? 2 : 1)
            let (plane, row) = (source.plane(index), source.layout.planes[index].bytesPerRow)
            let (columns, rows) = orientation.swapsSides ? (height, width) : (width, height)
            for y in 0..<rows {
                for x in 0..<columns {
                    let from: (x: Int, y: Int) =
                        switch orientation.quarterTurns {
                        case 1: (y, height - 1 - x)
                        case 2: (width - 1 - x, height - 1 - y)
                        case 3: (width - 1 - y, x)
                        default: (x, y)
                        }
                    let column = orientation.isMirrored ? width - 1 - from.x : from.x
                    let start = from.y * row + column * bytes
                    for byte in 0..<bytes { result.append(plane[start + byte]) }
                }
            }
        }
        return Data(result)
    }
}
