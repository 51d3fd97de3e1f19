import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

/// Tests of pixel conversion, checked by arithmetic written out here. `EncoderFrameInputTests` covers the encoder's
/// frames.
@Suite struct PixelConverterTests {
    private func noise(_ format: PixelFormat, _ width: Int, _ height: Int, _ color: ColorDescription = .bt709)
        -> PixelBuffer
    {
        let layout = PixelLayout(format: format, width: width, height: height)
        let buffer = MutablePixelBuffer(layout: layout, color: color)
        for index in layout.planes.indices {
            let plane = buffer.plane(index)
            plane.copyBytes(from: SyntheticMedia.noise(plane.count, seed: UInt64(index + width)))
        }
        return buffer.finish()
    }

    /// libyuv's single-step conversion reads the chroma of the last columns from elsewhere at some widths.
    @Test func convert_packedFormatOfAnyWidth_isExactInChroma() throws {
        let converter = PixelConverter()
        for width in (2...66).map({ $0 }) + [720, 854, 1366] {
            for (format, first) in [(PixelFormat.yuyv, 1), (.uyvy, 0)] {
                let source = noise(format, width, 2)
                let result = try converter.convert(source, to: .nv12)
                let (from, to) = (source.plane(0), result.plane(1))
                let rowBytes = source.layout.planes[0].bytesPerRow
                let wrong = (0..<((width + 1) / 2 * 2)).first { column in
                    let place = column * 2 + first
                    return Int(to[column]) != (Int(from[place]) + Int(from[rowBytes + place]) + 1) / 2
                }
                #expect(wrong == nil, "\(format), \(width) columns")
            }
        }
    }

    @Test(arguments: PixelFormat.allCases) func convert_anyFormatToAnyOther_keepsTheSize(format: PixelFormat) throws {
        let converter = PixelConverter()
        for target in PixelFormat.allCases {
            let result = try converter.convert(noise(format, 36, 22), to: target)
            #expect(result.format == target && result.width == 36 && result.height == 22)
            #expect(result.color.isFullRange == (target.isRGB && !format.isRGB))
        }
    }

    @Test(arguments: PixelFormat.allCases) func convert_fullRange_isLimitedInEveryTarget(format: PixelFormat) throws {
        let converter = PixelConverter()
        // White in each format.
        let layout = PixelLayout(format: format, width: 16, height: 2)
        let buffer = MutablePixelBuffer(layout: layout, color: JPEGDecoder.color)
        for index in layout.planes.indices {
            let plane = buffer.plane(index)
            for place in plane.indices {
                plane[place] =
                    switch format {
                    case .yuyv: place % 2 == 0 ? 255 : 128
                    case .uyvy: place % 2 == 0 ? 128 : 255
                    case .bgra, .argb, .rgba, .rgb24, .gray8: 255
                    case .nv12, .i420, .i422: index == 0 ? 255 : 128
                    case .p010: index == 0 ? (place % 2 == 0 ? 0xC0 : 0xFF) : (place % 2 == 0 ? 0 : 0x80)
                    case .i010, .i210: index == 0 ? (place % 2 == 0 ? 0xFF : 3) : (place % 2 == 0 ? 0 : 2)
                    }
            }
        }
        let white = buffer.finish()
        for target in [PixelFormat.nv12, .i420, .i422, .gray8] {
            let result = try converter.convert(white, to: target, range: .limited)
            #expect(!result.color.isFullRange && abs(Int(result.plane(0)[0]) - 235) <= (format.isRGB ? 1 : 0))
        }
        let deep = try converter.convert(white, to: .i010, range: .limited)
        deep.plane(0).withMemoryRebound(to: UInt16.self) {
            #expect(!deep.color.isFullRange && abs(Int($0[0]) - 940) <= 4)
        }
    }

    @Test func convert_manyFrames_reusesMemory() throws {
        let converter = PixelConverter()
        for _ in 0..<40 {
            for format in PixelFormat.allCases {
                _ = try converter.convert(noise(format, 64, 32), to: .nv12)
                _ = try converter.convert(noise(format, 64, 32, JPEGDecoder.color), to: .i010, range: .limited)
            }
        }
        #expect(converter.allocationCount <= 8)
    }
}
