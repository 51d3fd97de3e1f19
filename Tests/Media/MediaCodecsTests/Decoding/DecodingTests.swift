import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

/// Tests that need no file: audio positions, and conversions of pixel format.
@Suite struct DecodingTests {
    @Test func audioPosition_roundedTimestamps_doNotMoveIt() {
        // AAC in Matroska: 1,024 audio frames are 21.333 ms, stored as 21, 22, 21, …
        var position = AudioPosition(sampleRate: 48_000, timeScale: 1000)
        for packet in 0..<100 {
            let stored = (Double(packet) * 1024 / 48).rounded()
            position.meet(MediaTime(value: Int64(stored), timescale: 1000))
            #expect(position.next == Int64(packet * 1024))
            position.advance(1024)
        }
        // A real gap is kept.
        position.meet(MediaTime(value: 5000, timescale: 1000))
        #expect(position.next == 240_000)
        // Times that no file has must not crash.
        position.meet(MediaTime(value: .max, timescale: 1))
        position.advance(1024)
        position.meet(MediaTime(value: .min, timescale: 1))
        position.advance(1024)
        #expect(position.next != nil)
    }

    @Test(arguments: PixelFormat.allCases, PixelFormat.allCases)
    func convert_anyPixelFormatToAnyOther_keepsLuma(_ from: PixelFormat, _ to: PixelFormat) throws {
        let converter = PixelConverter()
        var gray = MutablePixelBuffer(layout: PixelLayout(format: .gray8, width: 33, height: 17))
        gray.color = .bt601
        let plane = gray.plane(0)
        for index in plane.indices { plane[index] = UInt8(40 + index % 33 * 5) }
        let original = gray.finish()
        let source = try converter.convert(original, to: from)
        let result = try converter.convert(source, to: to)
        #expect(source.format == from && result.format == to && result.layout.holdsWholeFrame)
        let back = try converter.convert(result, to: .gray8)
        // RGB rounds once in each direction.
        let tolerance = from.isRGB || to.isRGB ? 4 : 0
        let (rows, width) = (back.layout.planes[0].bytesPerRow, 33)
        for row in 0..<17 {
            for column in 0..<width {
                let (given, wanted) = (back.plane(0)[row * rows + column], original.plane(0)[row * width + column])
                #expect(abs(Int(given) - Int(wanted)) <= tolerance, "\(row), \(column)")
                if abs(Int(given) - Int(wanted)) > tolerance { return }
            }
        }
    }

    @Test func convert_anyPixelFormat_keepsColorTags() throws {
        let converter = PixelConverter()
        let full = ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: true)
        let source = MutablePixelBuffer(layout: PixelLayout(format: .i422, width: 16, height: 16), color: full).finish()
        for format in PixelFormat.allCases where !format.isRGB {
            #expect(try converter.convert(source, to: format).color == full)
        }
        // RGB has no matrix.
        #expect(try converter.convert(source, to: .bgra).color.matrix == 0)
    }

    @Test func decoder_unknownCodec_isNamed() {
        let error = #expect(throws: MediaError.self) {
            _ = try VideoDecoder(
                format: VideoFormat(codec: VideoCodec(rawValue: "no_such"), width: 16, height: 16),
                hints: DecoderHints(codecName: "no_such"), timeScale: 30, pixelFormat: nil, sharesMemory: false)
        }
        #expect(error?.code == .unsupported && error?.action.contains("no_such") == true)
    }
}
