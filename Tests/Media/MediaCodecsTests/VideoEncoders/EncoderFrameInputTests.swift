import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

/// Tests of the encoder's input, checked pixel by pixel with arithmetic written out here.
@Suite struct EncoderFrameInputTests {
    private let width = 70
    private let height = 38

    /// A frame of noise, with rows longer than necessary.
    private func noise(_ format: PixelFormat) -> PixelBuffer {
        let layout = PixelLayout(format: format, width: width, height: height, alignment: 32)
        let buffer = MutablePixelBuffer(layout: layout)
        for index in layout.planes.indices {
            let plane = buffer.plane(index)
            plane.copyBytes(from: SyntheticMedia.noise(plane.count, seed: UInt64(index + 5)))
        }
        return buffer.finish()
    }

    private func at(_ frame: PixelBuffer, _ plane: Int, _ x: Int, _ y: Int) -> Int {
        Int(frame.plane(plane)[y * frame.layout.planes[plane].bytesPerRow + x])
    }

    /// Luma, and chroma of the pair at column x / 2, by each format's definition.
    private func reference(_ frame: PixelBuffer, _ x: Int, _ y: Int) -> (luma: Int, cb: Int, cr: Int) {
        switch frame.format {
        case .yuyv:
            let pair = x / 2 * 4
            return (at(frame, 0, x * 2, y), at(frame, 0, pair + 1, y), at(frame, 0, pair + 3, y))
        case .uyvy:
            let pair = x / 2 * 4
            return (at(frame, 0, x * 2 + 1, y), at(frame, 0, pair, y), at(frame, 0, pair + 2, y))
        case .i422: return (at(frame, 0, x, y), at(frame, 1, x / 2, y), at(frame, 2, x / 2, y))
        case .gray8: return (at(frame, 0, x, y), 128, 128)
        case .bgra:
            let (b, g, r) = (at(frame, 0, x * 4, y), at(frame, 0, x * 4 + 1, y), at(frame, 0, x * 4 + 2, y))
            return (bt601(r, g, b), 0, 0)
        case .nv12, .i420, .p010, .i010, .i210, .argb, .rgba, .rgb24: return (0, 0, 0)
        }
    }

    private func bt601(_ r: Int, _ g: Int, _ b: Int) -> Int {
        Int((16 + (65.481 * Double(r) + 128.553 * Double(g) + 24.966 * Double(b)) / 255).rounded())
    }

    @Test(arguments: [PixelFormat.yuyv, .uyvy, .i422, .gray8])
    func convert_anyYCbCrFormat_hasExactLumaAndMeanChroma(format: PixelFormat) throws {
        let source = noise(format)
        let result = try EncoderFrameInput(width: width, height: height).convert(source)
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

    @Test func convert_rgb_becomesLimitedRangeBT601() throws {
        let source = noise(.bgra)
        let result = try EncoderFrameInput(width: width, height: height).convert(source)
        for y in 0..<height {
            for x in 0..<width where abs(at(result, 0, x, y) - reference(source, x, y).luma) > 2 {
                Issue.record("luma at \(x), \(y)")
                return
            }
        }
        // Flat colors, whose chroma does not change by averaging.
        for (b, g, r, cb, cr) in [
            (255, 0, 0, 240, 110), (0, 255, 0, 54, 34), (0, 0, 255, 90, 240), (128, 128, 128, 128, 128),
        ] {
            let buffer = MutablePixelBuffer(layout: PixelLayout(format: .bgra, width: 64, height: 32))
            let plane = buffer.plane(0)
            for index in plane.indices { plane[index] = UInt8([b, g, r, 255][index % 4]) }
            let flat = try EncoderFrameInput(width: 64, height: 32).convert(buffer.finish())
            #expect(abs(at(flat, 1, 10, 10) - cb) <= 2 && abs(at(flat, 1, 11, 10) - cr) <= 2)
        }
    }

    @Test func convert_fittingFrame_returnsTheFrameItself() throws {
        let converter = EncoderFrameInput(width: width, height: height)
        for format in [PixelFormat.nv12, .i420] {
            let source = noise(format)
            #expect(try converter.convert(source).data === source.data)
        }
        #expect(converter.allocationCount == 0)
    }

    @Test func convert_manyFrames_reusesMemoryAndKeepsColorTags() throws {
        let converter = EncoderFrameInput(width: width, height: height)
        let layout = PixelLayout(format: .yuyv, width: width, height: height)
        for _ in 0..<50 {
            let source = MutablePixelBuffer(layout: layout, color: .bt601).finish()
            #expect(try converter.convert(source).color == .bt601)
        }
        #expect(converter.allocationCount == 1)
    }

    @Test func convert_otherSize_namesIt() {
        let error = #expect(throws: MediaError.self) {
            try EncoderFrameInput(width: 64, height: 48).convert(noise(.yuyv))
        }
        #expect(error?.code == .invalidSample && error?.description.contains("70×38") == true)
    }

    // MARK: Range

    /// A frame with every eight-bit value in luma and chroma.
    private func staircase(_ format: PixelFormat, _ color: ColorDescription) -> PixelBuffer {
        let buffer = MutablePixelBuffer(layout: PixelLayout(format: format, width: 256, height: 4), color: color)
        for plane in buffer.layout.planes.indices {
            let bytes = buffer.plane(plane)
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index) }
        }
        return buffer.finish()
    }

    @Test(arguments: [PixelFormat.nv12, .i420]) func convert_fullRangeForALimitedTrack_isLimited(format: PixelFormat)
        throws
    {
        let converter = EncoderFrameInput(width: 256, height: 4, keepsFullRange: false)
        let result = try converter.convert(staircase(format, JPEGDecoder.color))
        #expect(!result.color.isFullRange && result.color.matrix == JPEGDecoder.color.matrix)
        #expect(at(result, 0, 0, 0) == 16 && at(result, 0, 255, 0) == 235 && at(result, 0, 128, 1) == 126)
        // 0 to 255 around 128 becomes 16 to 240.
        let chroma = result.plane(1)
        #expect(chroma[0] == 16 && chroma[127] == 127)
        if format == .nv12 { #expect(chroma[128] == 128 && chroma[255] == 240) }
        for _ in 0..<20 { _ = try converter.convert(staircase(format, JPEGDecoder.color)) }
        #expect(converter.allocationCount <= 2)
    }

    @Test func convert_sameRange_returnsTheFrameItself() throws {
        for color in [ColorDescription.bt709, ColorDescription()] {
            let frame = staircase(.nv12, color)
            let converter = EncoderFrameInput(width: 256, height: 4, keepsFullRange: false)
            #expect(try converter.convert(frame).data === frame.data)
        }
        let frame = staircase(.nv12, JPEGDecoder.color)
        let result = try EncoderFrameInput(width: 256, height: 4, keepsFullRange: true).convert(frame)
        #expect(result.data === frame.data && result.color.isFullRange)
    }

    @Test(arguments: [PixelFormat.i010, .p010]) func convert_tenBitFullRange_isLimited(format: PixelFormat) throws {
        let buffer = MutablePixelBuffer(
            layout: PixelLayout(format: format, width: 4, height: 2), color: JPEGDecoder.color)
        for plane in buffer.layout.planes.indices {
            buffer.plane(plane).withMemoryRebound(to: UInt16.self) { samples in
                for index in samples.indices {
                    samples[index] = UInt16([0, 1023, 512, 256][index % 4]) << (format == .p010 ? 6 : 0)
                }
            }
        }
        let source = buffer.finish()
        let converter = EncoderFrameInput(width: 4, height: 2, bitDepth: 10, keepsFullRange: false)
        let result = try converter.convert(source)
        result.plane(0).withMemoryRebound(to: UInt16.self) { luma in
            #expect(Array(luma[0..<4]) == [64, 940, 502, 283])
        }
        result.plane(1).withMemoryRebound(to: UInt16.self) { chroma in
            #expect(chroma[0] == 64 && chroma[1] == (format == .i010 ? 960 : 512))
        }
    }

    @Test func convert_rgbWithColorTags_getsTheNewMatrix() throws {
        let layout = PixelLayout(format: .bgra, width: 64, height: 32)
        let color = ColorDescription(primaries: 1, transfer: 13, matrix: 0, isFullRange: true)
        let source = MutablePixelBuffer(layout: layout, color: color).finish()
        let result = try EncoderFrameInput(width: 64, height: 32, keepsFullRange: false).convert(source)
        #expect(result.color == ColorDescription(primaries: 1, transfer: 13, matrix: 6))
    }
}
