import Foundation
import MediaCodecs
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of every pixel format: each is written, and read in every other format. The colors must stay the same.
@Suite struct PixelFormatTableTests {
    /// Red, green, blue and gray patches side by side, with an odd width and height.
    private static let patches: [[Int]] = [[190, 40, 50], [40, 180, 60], [50, 60, 200], [120, 120, 120]]
    private static let (width, height) = (129, 67)

    private func source(_ format: PixelFormat, _ color: ColorDescription) throws -> PixelBuffer {
        let layout = PixelLayout(format: .i420, width: Self.width, height: Self.height)
        let planar = MutablePixelBuffer(layout: layout, color: color)
        for plane in 0..<3 {
            let (rows, stride) = (planar.plane(plane), layout.planes[plane].bytesPerRow)
            for row in 0..<layout.planes[plane].rows {
                for column in 0..<stride {
                    let x = plane == 0 ? column : column * 2
                    let patch = Self.patches[min(3, x / 32)]
                    rows[row * stride + column] = Self.samples(patch, color)[plane]
                }
            }
        }
        return try PixelConverter().convert(planar.finish(), to: format)
    }

    /// The code values of a color by ITU-T H.273, 8.3, with eight bits.
    private static func samples(_ rgb: [Int], _ color: ColorDescription) -> [UInt8] {
        let (kr, kb) =
            switch color.matrix {
            case 1: (0.2126, 0.0722)
            case 9: (0.2627, 0.0593)
            default: (0.299, 0.114)
            }
        let levels = rgb.map { Double($0) / 255 }
        let luma = kr * levels[0] + (1 - kr - kb) * levels[1] + kb * levels[2]
        let (cb, cr) = ((levels[2] - luma) / (2 * (1 - kb)), (levels[0] - luma) / (2 * (1 - kr)))
        let (black, span, chroma) = color.isFullRange ? (0.0, 255.0, 255.0) : (16.0, 219.0, 224.0)
        return [black + span * luma, 128 + chroma * cb, 128 + chroma * cr].map { UInt8(min(255, max(0, $0.rounded()))) }
    }

    private func write(_ frame: PixelBuffer, _ settings: VideoSettings) async throws -> WriterFixture {
        let fixture = try WriterFixture()
        let video = try fixture.addPull(.video, .video(settings))
        let adaptor = try PixelBufferAdaptor(
            input: video, attributes: .init(pixelFormat: frame.format, width: frame.width, height: frame.height))
        try fixture.begin()
        for number in 0..<3 { #expect(try adaptor.append(frame, at: WriterFixture.time(Double(number) / 30))) }
        try await fixture.writer.finishWriting()
        return fixture
    }

    /// Red, green and blue in the middle of a patch; for gray the luma.
    private func levels(_ frame: PixelBuffer, _ patch: Int) throws -> [Int] {
        let (x, y) = (patch * 32 + 16, frame.height / 2)
        if frame.format == .gray8 { return [Int(frame.plane(0)[y * frame.layout.planes[0].bytesPerRow + x])] }
        let rgb = try PixelConverter().convert(frame, to: .bgra)
        let start = y * rgb.layout.planes[0].bytesPerRow + x * 4
        return (0..<3).map { Int(rgb.plane(0)[start + 2 - $0]) }
    }

    private static let colors = [
        ColorDescription.bt601, .bt709, ColorDescription(primaries: 9, transfer: 14, matrix: 9),
        ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: true),
    ]

    @Test(arguments: PixelFormat.allCases, colors)
    func reader_anyLayout_hasTheSameColors(format: PixelFormat, color: ColorDescription) async throws {
        var settings = VideoSettings(width: 128, height: 66, rateControl: .constantQuality(2), preset: "ultrafast")
        settings.color = color
        let fixture = try await write(source(format, color), settings)
        let url = URL(fileURLWithPath: fixture.path)
        for wanted in PixelFormat.allCases {
            let (reader, output) = try await AssetReader.reading(url, .video, .pixels(wanted))
            let read = output.all()
            #expect(reader.status == .completed && read.count == 3)
            guard case .pixels(let frame) = try #require(read.first).content else { continue }
            #expect(frame.format == wanted && frame.width == 128 && frame.height == 66)
            for patch in 0..<4 {
                let found = try levels(frame, patch)
                let luma = Int(Self.samples(Self.patches[patch], color)[0])
                let expected =
                    wanted == .gray8
                    ? [luma] : format == .gray8 ? [Int](repeating: gray(luma, color), count: 3) : Self.patches[patch]
                let off = zip(found, expected).map { abs($0 - $1) }.max() ?? 255
                #expect(off <= 6, "\(format) to \(wanted), patch \(patch): \(found) for \(expected)")
            }
        }
        // ffmpeg decodes the same colors.
        let judged = try ReadingFixture.decoded(
            url,
            ["-frames:v", "1", "-sws_flags", "accurate_rnd+full_chroma_int", "-f", "rawvideo", "-pix_fmt", "rgb24"])
        for patch in 0..<4 {
            let start = judged.startIndex + (33 * 128 + patch * 32 + 16) * 3
            let luma = Int(Self.samples(Self.patches[patch], color)[0])
            let expected =
                format == .gray8 ? [Int](repeating: gray(luma, color), count: 3) : Self.patches[patch]
            let off = (0..<3).map { abs(Int(judged[start + $0]) - expected[$0]) }.max() ?? 255
            #expect(
                off <= 6, "ffmpeg, \(format), patch \(patch): \(Array(judged[start..<(start + 3)])) for \(expected)")
        }
    }

    /// The RGB value of a luma without color.
    private func gray(_ luma: Int, _ color: ColorDescription) -> Int {
        color.isFullRange ? luma : Int(((Double(luma) - 16) * 255 / 219).rounded())
    }

    @Test(arguments: PixelFormat.allCases) func writer_anyLayout_writesTenBits(format: PixelFormat) async throws {
        var settings = VideoSettings(
            width: 128, height: 66, rateControl: .constantQuality(2), preset: "ultrafast", profile: .high10)
        settings.color = .bt709
        let fixture = try await write(source(format, .bt709), settings)
        #expect(try ScaledWritingTests.pixelFormat(fixture.path) == "yuv420p10le")
        for wanted in [PixelFormat.bgra, .p010, .i010, .nv12] {
            let (_, output) = try await AssetReader.reading(
                URL(fileURLWithPath: fixture.path), .video, .pixels(wanted))
            guard case .pixels(let frame) = try #require(output.all().first).content else { continue }
            for patch in 0..<4 {
                let luma = Int(Self.samples(Self.patches[patch], .bt709)[0])
                let expected =
                    format == .gray8 ? [Int](repeating: gray(luma, .bt709), count: 3) : Self.patches[patch]
                let off = zip(try levels(frame, patch), expected).map { abs($0 - $1) }.max() ?? 255
                #expect(off <= 6, "\(format) to \(wanted), patch \(patch)")
            }
        }
    }
}
