import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

/// Judged by arithmetic written out here, pixel by pixel.
@Suite struct PixelConverterTests {
    private let width = 70
    private let height = 38

    /// A picture of noise, with rows longer than they need to be.
    private func noise(_ format: PixelFormat) -> PixelBuffer {
        let layout = PixelLayout(format: format, width: width, height: height, alignment: 32)
        let buffer = MutablePixelBuffer(layout: layout)
        for index in layout.planes.indices {
            let plane = buffer.plane(index)
            plane.copyBytes(from: SyntheticMedia.noise(plane.count, seed: UInt64(index + 5)))
        }
        return buffer.finish()
    }

    private func at(_ picture: PixelBuffer, _ plane: Int, _ x: Int, _ y: Int) -> Int {
        Int(picture.plane(plane)[y * picture.layout.planes[plane].bytesPerRow + x])
    }

    /// Luma, and chroma of the pair at column x / 2, for each format as its definition says.
    private func reference(_ picture: PixelBuffer, _ x: Int, _ y: Int) -> (luma: Int, cb: Int, cr: Int) {
        switch picture.format {
        case .yuyv:
            let pair = x / 2 * 4
            return (at(picture, 0, x * 2, y), at(picture, 0, pair + 1, y), at(picture, 0, pair + 3, y))
        case .uyvy:
            let pair = x / 2 * 4
            return (at(picture, 0, x * 2 + 1, y), at(picture, 0, pair, y), at(picture, 0, pair + 2, y))
        case .i422: return (at(picture, 0, x, y), at(picture, 1, x / 2, y), at(picture, 2, x / 2, y))
        case .gray8: return (at(picture, 0, x, y), 128, 128)
        case .bgra:
            let (b, g, r) = (at(picture, 0, x * 4, y), at(picture, 0, x * 4 + 1, y), at(picture, 0, x * 4 + 2, y))
            return (bt601(r, g, b), 0, 0)
        case .nv12, .i420, .p010, .i010: return (0, 0, 0)
        }
    }

    private func bt601(_ r: Int, _ g: Int, _ b: Int) -> Int {
        Int((16 + (65.481 * Double(r) + 128.553 * Double(g) + 24.966 * Double(b)) / 255).rounded())
    }

    @Test(arguments: [PixelFormat.yuyv, .uyvy, .i422, .gray8])
    func lumaIsExactAndChromaIsTheMeanOfTwoRows(format: PixelFormat) throws {
        let source = noise(format)
        let result = try PixelConverter(width: width, height: height).convert(source)
        #expect(result.format == .nv12 && result.width == width && result.height == height)
        for y in 0..<height {
            for x in 0..<width {
                let expected = reference(source, x, y)
                guard at(result, 0, x, y) == expected.luma else {
                    Issue.record("luma at \(x), \(y)")
                    return
                }
                guard x % 2 == 0, y % 2 == 0 else { continue }
                let below = reference(source, x, y + 1)
                let cb = at(result, 1, x, y / 2)
                let cr = at(result, 1, x + 1, y / 2)
                guard abs(cb * 2 - expected.cb - below.cb) <= 1, abs(cr * 2 - expected.cr - below.cr) <= 1 else {
                    Issue.record("chroma at \(x), \(y): \(cb), \(cr)")
                    return
                }
            }
        }
    }

    @Test func rgbBecomesLimitedRangeBT601() throws {
        let source = noise(.bgra)
        let result = try PixelConverter(width: width, height: height).convert(source)
        for y in 0..<height {
            for x in 0..<width where abs(at(result, 0, x, y) - reference(source, x, y).luma) > 2 {
                Issue.record("luma at \(x), \(y)")
                return
            }
        }
        // Flat colours, whose chroma no averaging touches.
        for (b, g, r, cb, cr) in [
            (255, 0, 0, 240, 110), (0, 255, 0, 54, 34), (0, 0, 255, 90, 240), (128, 128, 128, 128, 128),
        ] {
            let buffer = MutablePixelBuffer(layout: PixelLayout(format: .bgra, width: 64, height: 32))
            let plane = buffer.plane(0)
            for index in plane.indices { plane[index] = UInt8([b, g, r, 255][index % 4]) }
            let flat = try PixelConverter(width: 64, height: 32).convert(buffer.finish())
            #expect(abs(at(flat, 1, 10, 10) - cb) <= 2 && abs(at(flat, 1, 11, 10) - cr) <= 2)
        }
    }

    @Test func aPictureThatFitsIsPassedOnUntouched() throws {
        let converter = PixelConverter(width: width, height: height)
        for format in [PixelFormat.nv12, .i420] {
            let source = noise(format)
            #expect(try converter.convert(source).data === source.data)
        }
        #expect(converter.allocationCount == 0)
    }

    @Test func convertingAllocatesOnceAndKeepsTheColour() throws {
        let converter = PixelConverter(width: width, height: height)
        let layout = PixelLayout(format: .yuyv, width: width, height: height)
        for _ in 0..<50 {
            let source = MutablePixelBuffer(layout: layout, color: .bt601).finish()
            #expect(try converter.convert(source).color == .bt601)
        }
        #expect(converter.allocationCount == 1)
    }

    @Test func anotherSizeIsRefusedByName() {
        let error = #expect(throws: MediaError.self) { try PixelConverter(width: 64, height: 48).convert(noise(.yuyv)) }
        #expect(error?.code == .invalidSample && error?.description.contains("70×38") == true)
    }
}
