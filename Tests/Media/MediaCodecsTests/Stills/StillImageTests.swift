import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

/// Tests of image files, as ffmpeg decodes them.
@Suite struct StillImageTests {
    /// A `bgra` frame with colors that change from pixel to pixel.
    private func gradient(_ width: Int, _ height: Int, padding: Int = 0) -> PixelBuffer {
        let target = MutablePixelBuffer(
            layout: PixelLayout(format: .bgra, width: width, height: height, bytesPerRow: width * 4 + padding),
            color: ColorDescription(primaries: 1, transfer: 1, matrix: 0, isFullRange: true))
        let bytes = target.plane(0)
        for y in 0..<height {
            for x in 0..<width {
                let place = y * (width * 4 + padding) + x * 4
                bytes[place] = UInt8(x * 255 / max(1, width - 1))
                bytes[place + 1] = UInt8(y * 255 / max(1, height - 1))
                bytes[place + 2] = UInt8((x + y) * 255 / max(1, width + height - 2))
                bytes[place + 3] = 255
            }
        }
        return target.finish()
    }

    /// One color, in planes of luma and chroma.
    private func flat(_ y: UInt8, _ cb: UInt8, _ cr: UInt8, _ color: ColorDescription, _ size: (Int, Int) = (64, 48))
        -> PixelBuffer
    {
        let target = MutablePixelBuffer(
            layout: PixelLayout(format: .i420, width: size.0, height: size.1), color: color)
        for (plane, value) in [y, cb, cr].enumerated() {
            _ = target.plane(plane).initializeMemory(as: UInt8.self, repeating: value)
        }
        return target.finish()
    }

    /// Red, green and blue as ffmpeg decodes them, without being given the size.
    private func decoded(_ file: MediaData, _ format: StillImageFormat) throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        let path = directory.path("image.\(format.fileExtension)")
        try Data(file.bytes).write(to: URL(fileURLWithPath: path))
        let result = try Command.run(
            "ffmpeg", "-v", "error", "-xerror", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-sws_flags",
            "accurate_rnd+full_chroma_int", "-")
        try #require(result.status == 0, "\(result.errors)")
        return Array(result.output)
    }

    @Test(arguments: StillImageFormat.allCases) func encode_anyImageFormat_isReadByFFmpeg(format: StillImageFormat)
        throws
    {
        let directory = try TemporaryDirectory()
        let path = directory.path("image.\(format.fileExtension)")
        let file = try StillImageEncoder().encode(gradient(321, 181), as: format)
        try Data(file.bytes).write(to: URL(fileURLWithPath: path))
        let video = try #require(try Probe(path).video)
        #expect(video.codecName == (format == .png ? "png" : "mjpeg"))
        #expect(video.width == 321)
        #expect(video.height == 181)
    }

    private func psnr(_ a: [UInt8], _ b: [UInt8]) -> Double {
        let sum = zip(a, b).reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
        return sum == 0 ? 99 : 10 * log10(255 * 255 * Double(a.count) / sum)
    }

    private func rgb(_ frame: PixelBuffer) -> [UInt8] {
        let (bytes, row) = (frame.plane(0), frame.layout.planes[0].bytesPerRow)
        return (0..<frame.height).flatMap { y in
            (0..<frame.width).flatMap { x in [2, 1, 0].map { bytes[y * row + x * 4 + $0] } }
        }
    }

    @Test(arguments: [(64, 48, 0), (33, 17, 12), (1, 1, 0), (320, 181, 64)])
    func encode_png_isLossless(width: Int, height: Int, padding: Int) throws {
        let frame = gradient(width, height, padding: padding)
        #expect(try decoded(try StillImageEncoder().encode(frame, as: .png), .png) == rgb(frame))
    }

    @Test func encode_pngWithAlpha_isLossless() throws {
        let target = MutablePixelBuffer(layout: PixelLayout(format: .rgba, width: 16, height: 16))
        for (index, byte) in target.plane(0).indices.enumerated() {
            target.plane(0)[byte] = UInt8(truncatingIfNeeded: index * 7)
        }
        let frame = target.finish()
        let encoder = StillImageEncoder()
        let file = try encoder.encode(frame, as: .png, keepsAlpha: true)
        let still = try StillImageDecoder.decode(file, as: .png)
        #expect(still.hasAlpha && still.pixels.visible == frame.visible)
        // The same encoder afterwards without alpha.
        #expect(try StillImageDecoder.decode(try encoder.encode(frame, as: .png), as: .png).hasAlpha == false)
    }

    @Test(arguments: [(64, 48), (33, 17), (321, 181)])
    func encode_jpeg_looksTheSame(width: Int, height: Int) throws {
        let frame = gradient(width, height)
        let encoder = StillImageEncoder()
        let good = try encoder.encode(frame, as: .jpeg, quality: 95)
        let poor = try encoder.encode(frame, as: .jpeg, quality: 20)
        let pixels = try decoded(good, .jpeg)
        #expect(pixels.count == width * height * 3)
        #expect(psnr(pixels, rgb(frame)) > 36)
        #expect(poor.count < good.count)
    }

    /// 75 % bars: yellow, green, red, blue (SMPTE RP 219; BT.601 and BT.709 at video range, and the first at full
    /// range).
    @Test(arguments: [StillImageFormat.png, .jpeg])
    func encode_matrixAndRange_giveTheRightColors(format: StillImageFormat) throws {
        var full = ColorDescription.bt601
        full.isFullRange = true
        let cases: [(PixelBuffer, [Int])] = [
            (flat(168, 44, 136, .bt709), [191, 191, 0]), (flat(133, 63, 52, .bt709), [0, 191, 0]),
            (flat(51, 109, 212, .bt709), [191, 0, 0]), (flat(28, 212, 120, .bt709), [0, 0, 191]),
            (flat(162, 44, 142, .bt601), [191, 191, 0]), (flat(65, 100, 212, .bt601), [191, 0, 0]),
            (flat(57, 96, 224, full), [191, 0, 0]), (flat(255, 128, 128, full), [255, 255, 255]),
            (flat(235, 128, 128, .bt709), [255, 255, 255]), (flat(16, 128, 128, .bt709), [0, 0, 0]),
        ]
        for (frame, expected) in cases {
            let pixel = try decoded(try StillImageEncoder().encode(frame, as: format, quality: 95), format)
                .prefix(3).map(Int.init)
            #expect(zip(pixel, expected).allSatisfy { abs($0 - $1) <= 4 }, "\(pixel) for \(expected)")
        }
    }

    @Test(arguments: PixelFormat.allCases)
    func encode_anyPixelFormat_isWritten(format: PixelFormat) throws {
        let source = try PixelConverter().convert(flat(180, 128, 128, .bt709, (35, 21)), to: format)
        let still: StillImageFormat = format.bitDepth == 8 ? .jpeg : .png
        let pixels = try decoded(try StillImageEncoder().encode(source, as: still), still)
        #expect(pixels.count == 35 * 21 * 3)
        #expect(pixels.allSatisfy { abs(Int($0) - 191) <= 4 }, "\(pixels.prefix(3))")
    }

    @Test func encode_severalImagesOfSeveralSizes_areWritten() throws {
        let encoder = StillImageEncoder()
        for size in [16, 40, 16] {
            for shade in [UInt8(40), 200] {
                let frame = flat(shade, 128, 128, .bt601, (size, size))
                let format: StillImageFormat = size == 40 ? .jpeg : .png
                let pixels = try decoded(try encoder.encode(frame, as: format), format)
                let expected = (Int(shade) - 16) * 255 / 219
                #expect(pixels.count == size * size * 3)
                #expect(pixels.allSatisfy { abs(Int($0) - expected) <= 3 })
            }
        }
    }

    @Test func encode_sizeBeyondTheFormat_throws() throws {
        let wide = flat(100, 128, 128, .bt601, (70_000, 2))
        let error = #expect(throws: MediaError.self) { try StillImageEncoder().encode(wide, as: .jpeg) }
        #expect(error?.code == .codecFailure && error?.action.contains("70000×2") == true)
    }
}
