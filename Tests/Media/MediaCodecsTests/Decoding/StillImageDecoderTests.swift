import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

/// Tests of decoded image files, against what ffmpeg decodes.
@Suite struct StillImageDecoderTests {
    /// An image file that ffmpeg makes, and its pixels in one of ffmpeg's formats.
    private struct Made {
        let file: MediaData
        let pixels: [UInt8]
    }

    private static let (width, height) = (37, 23)

    private func make(_ name: String, filter: String, _ options: [String] = [], as format: String) throws -> Made {
        let source = "testsrc2=s=\(Self.width)x\(Self.height):d=1,\(filter)"
        return try make(name, as: format) {
            ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", source, "-frames:v", "1"] + options + [$0]
        }
    }

    /// - Parameter program: returns the command that writes a file to a path.
    private func make(_ name: String, as format: String, program: (_ path: String) -> [String]) throws -> Made {
        let directory = try TemporaryDirectory()
        let path = directory.path(name)
        let made = try Command.run(program(path))
        try #require(made.status == 0, "\(made.errors)")
        let decoded = try Command.run(
            "ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", format, "-sws_flags",
            "accurate_rnd+full_chroma_int", "-")
        try #require(decoded.status == 0, "\(decoded.errors)")
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        return Made(file: MediaData(Array(file)), pixels: Array(decoded.output))
    }

    /// The components of all pixels: four, or one for gray.
    private func bytes(_ still: DecodedStill) -> [UInt8] { Array(still.pixels.visible) }

    private func opaque(_ rgb: [UInt8]) -> [UInt8] {
        var rgba: [UInt8] = []
        for pixel in stride(from: 0, to: rgb.count, by: 3) {
            rgba += rgb[pixel..<pixel + 3]
            rgba.append(255)
        }
        return rgba
    }

    private func largestDifference(_ one: [UInt8], _ other: [UInt8]) -> Int {
        guard one.count == other.count else { return 256 }
        return zip(one, other).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }

    @Test func decode_rgbPNG_isWhatFFmpegDecodes() throws {
        let made = try make("rgb.png", filter: "format=rgb24", as: "rgb24")
        let still = try StillImageDecoder.decode(made.file, as: .png)
        #expect(still.pixels.format == .rgba && !still.hasAlpha)
        #expect(still.pixels.width == Self.width && still.pixels.height == Self.height)
        #expect(bytes(still) == opaque(made.pixels))
    }

    @Test func decode_pngWithAlpha_keepsIt() throws {
        let made = try make("rgba.png", filter: "format=rgba,colorchannelmixer=aa=0.4", as: "rgba")
        let still = try StillImageDecoder.decode(made.file, as: .png)
        #expect(still.hasAlpha && bytes(still) == made.pixels)
        #expect(bytes(still)[3] < 255)
    }

    @Test func decode_palettePNG_hasItsColors() throws {
        let made = try make(
            "palette.png", filter: "split[a][b];[a]palettegen=reserve_transparent=0[p];[b][p]paletteuse", as: "rgba")
        let still = try StillImageDecoder.decode(made.file, as: .png)
        #expect(still.pixels.format == .rgba && !still.hasAlpha)
        #expect(bytes(still) == made.pixels)
    }

    @Test func decode_grayPNG_isGray() throws {
        let made = try make("gray.png", filter: "format=gray", as: "gray")
        let still = try StillImageDecoder.decode(made.file, as: .png)
        #expect(still.pixels.format == .gray8 && !still.hasAlpha)
        #expect(bytes(still) == made.pixels)
    }

    @Test func decode_grayPNGWithAlpha_becomesRGB() throws {
        let made = try make("ya.png", filter: "format=ya8", as: "ya8")
        let still = try StillImageDecoder.decode(made.file, as: .png)
        #expect(still.hasAlpha)
        let expected = stride(from: 0, to: made.pixels.count, by: 2).flatMap { place -> [UInt8] in
            let gray = made.pixels[place]
            return [gray, gray, gray, made.pixels[place + 1]]
        }
        #expect(bytes(still) == expected)
    }

    @Test func decode_png16Bits_isReducedToEight() throws {
        let made = try make("deep.png", filter: "format=rgb48be", as: "rgb48be")
        let still = try StillImageDecoder.decode(made.file, as: .png)
        let high = stride(from: 0, to: made.pixels.count, by: 2).map { made.pixels[$0] }
        #expect(largestDifference(bytes(still), opaque(high)) <= 1)
    }

    @Test(arguments: ["yuvj444p", "yuvj422p", "yuvj420p"])
    func decode_jpeg_looksAsFFmpegDecodesIt(_ format: String) throws {
        let made = try make("image.jpg", filter: "format=\(format)", ["-q:v", "2"], as: "rgb24")
        let still = try StillImageDecoder.decode(made.file, as: .jpeg)
        #expect(still.pixels.format == .rgba && !still.hasAlpha)
        let (one, other) = (bytes(still), opaque(made.pixels))
        try #require(one.count == other.count)
        // Both round differently, and enlarge chroma differently.
        let squares = zip(one, other).reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
        let error = squares / Double(one.count)
        #expect(error < (format == "yuvj444p" ? 2 : 400), "mean square \(error)")
    }

    @Test func decode_grayJPEG_isGray() throws {
        let made = try make("gray.jpg", as: "gray") { path in
            [
                "gst-launch-1.0", "-q", "videotestsrc", "num-buffers=1", "!",
                "video/x-raw,format=GRAY8,width=\(Self.width),height=\(Self.height)", "!", "jpegenc", "!", "filesink",
                "location=\(path)",
            ]
        }
        let still = try StillImageDecoder.decode(made.file, as: .jpeg)
        #expect(still.pixels.format == .gray8 && !still.hasAlpha)
        #expect(largestDifference(bytes(still), made.pixels) <= 2)
    }

    @Test(arguments: [StillImageFormat.png, .jpeg])
    func decode_truncatedAnywhere_throws(_ format: StillImageFormat) throws {
        let made = try make("image.\(format.fileExtension)", filter: "format=rgb24", as: "rgb24")
        let whole = Array(made.file.bytes)
        // A JPEG without its last marker and a PNG without its last chunk are complete images.
        for count in stride(from: 0, to: whole.count - 24, by: 7) {
            let part = MediaData(Array(whole[..<count]))
            #expect(throws: MediaError.self, "\(count) of \(whole.count) bytes") {
                _ = try StillImageDecoder.decode(part, as: format)
            }
        }
    }

    @Test(arguments: [StillImageFormat.png, .jpeg])
    func decode_damagedAnywhere_throwsOrReturnsAnImage(_ format: StillImageFormat) throws {
        let made = try make("image.\(format.fileExtension)", filter: "format=rgb24", as: "rgb24")
        let whole = Array(made.file.bytes)
        for place in stride(from: 0, to: whole.count, by: 5) {
            var bytes = whole
            bytes[place] ^= 0xFF
            let still = try? StillImageDecoder.decode(MediaData(bytes), as: format)
            #expect(still.map { $0.pixels.layout.holdsWholeFrame } ?? true)
        }
    }

    /// libavcodec refuses a chunk whose checksum is wrong, if it sees it.
    @Test(arguments: ["zTXt", "iCCP", "iTXt", "eXIf"])
    func decode_pngWithOtherChunks_doesNotReadThem(_ type: String) throws {
        let made = try make("image.png", filter: "format=rgb24", as: "rgb24")
        var bytes = Array(made.file.bytes)
        let chunk: [[UInt8]] = [[0, 0, 0, 5], Array(type.utf8), [0x61, 0, 0, 0x78, 0x9C], [1, 2, 3, 4]]
        // After the signature and the header.
        bytes.insert(contentsOf: chunk.joined(), at: 33)
        let still = try StillImageDecoder.decode(MediaData(bytes), as: .png)
        #expect(self.bytes(still) == opaque(made.pixels))
        // A length beyond the end of the file.
        bytes.replaceSubrange(33..<37, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(throws: MediaError.self) { _ = try StillImageDecoder.decode(MediaData(bytes), as: .png) }
    }

    /// The checksum of a chunk's type and data (ISO/IEC 15948, annex D).
    private func checksum(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : (sum >> 1) ^ 0xEDB8_8320 }
        }
        return withUnsafeBytes(of: (~sum).bigEndian) { Array($0) }
    }

    /// The rows that are missing must not be black.
    @Test(arguments: [24, 4096]) func decode_pngWithFewerRowsThanItsHeader_throws(_ height: Int) throws {
        let made = try make("image.png", filter: "format=rgb24", as: "rgb24")
        var bytes = Array(made.file.bytes)
        #expect(Array(bytes[29..<33]) == checksum(bytes[12..<29]))
        bytes.replaceSubrange(22..<24, with: [UInt8(height >> 8), UInt8(height & 0xFF)])
        bytes.replaceSubrange(29..<33, with: checksum(bytes[12..<29]))
        let error = #expect(throws: MediaError.self) {
            _ = try StillImageDecoder.decode(MediaData(bytes), as: .png)
        }
        #expect(error?.code == .corruptData)
    }

    /// The image is not decoded, which would take gigabytes for progressive files.
    @Test(arguments: [UInt8(0xC0), 0xC2])
    func decode_jpegTooShortForItsSize_throwsAtOnce(_ frameMarker: UInt8) throws {
        let made = try make("image.jpg", filter: "format=yuvj420p", as: "rgb24")
        var bytes = Array(made.file.bytes)
        let frame = try #require(bytes.indices.first { bytes[$0...].starts(with: [0xFF, 0xC0]) })
        bytes[frame + 1] = frameMarker
        bytes.replaceSubrange(frame + 5..<frame + 9, with: [0x3E, 0x80, 0x3E, 0x80])
        let error = #expect(throws: MediaError.self) {
            _ = try StillImageDecoder.decode(MediaData(bytes), as: .jpeg)
        }
        #expect(error?.code == .corruptData && error?.reason.contains("too short for 16000×16000") == true)
    }

    @Test func decode_smallestJPEGOfItsSize_isDecoded() throws {
        let target = MutablePixelBuffer(layout: PixelLayout(format: .gray8, width: 2048, height: 1024))
        _ = target.plane(0).initializeMemory(as: UInt8.self, repeating: 128)
        let file = try StillImageEncoder().encode(target.finish(), as: .jpeg, quality: 1)
        let still = try StillImageDecoder.decode(file, as: .jpeg)
        #expect(still.pixels.width == 2048 && still.pixels.height == 1024)
    }

    @Test func decode_hugeSizeInAHeader_throws() throws {
        let made = try make("image.png", filter: "format=rgb24", as: "rgb24")
        var bytes = Array(made.file.bytes)
        bytes.replaceSubrange(16..<24, with: [0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF])
        #expect(throws: MediaError.self) { _ = try StillImageDecoder.decode(MediaData(bytes), as: .png) }
        let jpeg = try make("image.jpg", filter: "format=yuvj420p", as: "rgb24")
        bytes = Array(jpeg.file.bytes)
        let frame = try #require(bytes.indices.first { bytes[$0...].starts(with: [0xFF, 0xC0]) })
        bytes.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xF0, 0xFF, 0xF0])
        #expect(throws: MediaError.self) { _ = try StillImageDecoder.decode(MediaData(bytes), as: .jpeg) }
    }
}
