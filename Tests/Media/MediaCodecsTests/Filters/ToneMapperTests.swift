import Foundation
import MediaTypes
import Testing

@testable import MediaCodecs

/// Tests of tone mapping from high dynamic range to BT.709: each brightness follows the curve.
@Suite struct ToneMapperTests {
    /// A gray frame with ten bits, or eight.
    private func frame(_ luma: Double, _ format: PixelFormat, width: Int = 64, height: Int = 32) -> PixelBuffer {
        var buffer = MutablePixelBuffer(layout: PixelLayout(format: format, width: width, height: height))
        buffer.color = .pq
        let isDeep = format.bitDepth > 8
        // P010 has its bits at the top.
        let shift = format == .p010 ? 6 : 0
        for (index, plane) in buffer.layout.planes.enumerated() {
            let value = index == 0 ? luma : 512
            let samples = plane.bytesPerRow * plane.rows / (isDeep ? 2 : 1)
            if isDeep {
                _ = buffer.plane(index).initializeMemory(
                    as: UInt16.self, from: repeatElement(UInt16(value.rounded()) << shift, count: samples))
            } else {
                _ = buffer.plane(index).initializeMemory(
                    as: UInt8.self, from: repeatElement(UInt8((value / 4).rounded()), count: samples))
            }
        }
        return buffer.finish()
    }

    /// The ten-bit code value of a luminance in cd/m² (ITU-R BT.2100, table 4).
    private func perceptual(_ luminance: Double) -> Double {
        let power = pow(luminance / 10_000, 0.1593017578125)
        return 64 + 876 * pow((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 78.84375)
    }

    /// The eight-bit value with which a BT.709 screen shows the luminance: Möbius' curve, linear up to 0.3, then the
    /// inverse of such a screen's transfer function (ITU-R BT.1886).
    private func expected(_ luminance: Double, peak: Double) -> Double {
        let (light, most, knee) = (luminance / 100, peak / 100, 0.3)
        var mapped = light
        if light > knee {
            let a = -knee * knee * (most - 1) / (knee * knee - 2 * knee + most)
            let b = (knee * knee - 2 * knee * most + most) / max(most - 1, 1e-6)
            mapped = (b * b + 2 * b * knee + knee * knee) / (b - a) * (light + a) / (light + b)
        }
        return 16 + 219 * pow(mapped, 1 / 2.4)
    }

    private func format(_ color: ColorDescription = .pq, light: UInt16? = nil, screen: UInt32? = nil) -> VideoFormat {
        var format = VideoFormat(codec: .hevc, width: 64, height: 32, color: color)
        if let light { format.contentLight = ContentLightLevel(maximum: light, maximumAverage: light / 2) }
        if let screen {
            let place = MasteringDisplay.Chromaticity(x: 1, y: 1)
            format.masteringDisplay = MasteringDisplay(
                red: place, green: place, blue: place, whitePoint: place, maximumLuminance: screen * 10_000,
                minimumLuminance: 1)
        }
        return format
    }

    private func mean(_ frame: PixelBuffer) -> Double {
        let plane = frame.layout.planes[0]
        let isDeep = frame.format.bitDepth > 8
        var sum = 0.0
        for row in 0..<frame.height {
            for column in 0..<frame.width {
                let offset = row * plane.bytesPerRow + column * (isDeep ? 2 : 1)
                let bytes = frame.plane(0)
                sum +=
                    isDeep
                    ? Double(bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)) / 4 : Double(bytes[offset])
            }
        }
        return sum / Double(frame.width * frame.height)
    }

    @Test(arguments: [PixelFormat.i010, .p010, .i210], [PixelFormat.i420, .i010, .i210])
    func toneMapper_anyLuminance_followsTheCurve(_ from: PixelFormat, _ to: PixelFormat) throws {
        for (light, peak) in [(nil, 1000.0), (UInt16(400), 400), (4000, 4000)] {
            let mapper = try ToneMapper(ToneMapper.Conversion(format(light: light), to: to))
            for luminance in [0.0, 1, 10, 29, 100, 203, 390] {
                let mapped = try mapper.map(frame(perceptual(luminance), from))
                #expect(mapped.format == to && mapped.color == .bt709)
                let (found, wanted) = (mean(mapped), expected(luminance, peak: peak))
                #expect(abs(found - wanted) < 1.5, "\(luminance) cd/m²: \(found) for \(wanted)")
            }
        }
    }

    @Test func conversion_peak_isThatOfTheMetadataOrADefault() {
        func peak(_ format: VideoFormat) -> Double { ToneMapper.Conversion(format, to: .i420).peak }
        #expect(peak(format()) == 1000 && peak(format(light: 0, screen: 0)) == 1000)
        #expect(peak(format(light: 700, screen: 4000)) == 700 && peak(format(light: 5000, screen: 4000)) == 4000)
        #expect(peak(format(light: 3)) == 100 && peak(format(.hlg, light: 300)) == 1000)
    }

    @Test func toneMapper_frameSizeChanges_reusesMemory() throws {
        let mapper = try ToneMapper(ToneMapper.Conversion(format(), to: .i420))
        let large = frame(500, .p010, width: 322, height: 182)
        for _ in 0..<5 { _ = try mapper.map(large) }
        let taken = mapper.allocationCount
        for _ in 0..<50 { _ = try mapper.map(large) }
        #expect(mapper.allocationCount == taken)
        let small = try mapper.map(frame(500, .i010))
        #expect(small.width == 64 && small.height == 32)
        #expect(abs(mean(small) - mean(try mapper.map(large))) < 0.5)
    }
}
