import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

/// Tests with JPEGs made by ffmpeg, which also decodes them for comparison.
@Suite struct JPEGDecoderTests {
    private static let width = 96
    private static let height = 64

    private static func jpeg(_ pixelFormat: String, size: String = "96x64") throws -> Data {
        let result = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=\(size)", "-frames:v", "1", "-pix_fmt",
            pixelFormat,
            "-c:v", "mjpeg", "-q:v", "3", "-strict", "unofficial", "-f", "mjpeg", "-")
        #expect(result.status == 0 && result.output.count > 500)
        return result.output
    }

    private func decode(_ jpeg: Data, with decoder: JPEGDecoder? = nil) throws -> PixelBuffer {
        let decoder = try decoder ?? JPEGDecoder(width: Self.width, height: Self.height)
        return try Array(jpeg).withUnsafeBytes { try decoder.decode($0) }
    }

    /// The planes one after the other, without padding.
    private func packed(_ frame: PixelBuffer) -> [UInt8] {
        (0..<3).flatMap { index in
            let plane = frame.layout.planes[index]
            let width = index == 0 ? frame.width : frame.width / 2
            return (0..<plane.rows).flatMap {
                frame.plane(index)[($0 * plane.bytesPerRow)..<($0 * plane.bytesPerRow + width)]
            }
        }
    }

    @Test(arguments: ["yuvj420p", "yuvj422p"]) func decode_jpeg_looksAsWithFFmpeg(pixelFormat: String) throws {
        let jpeg = try Self.jpeg(pixelFormat)
        let frame = try decode(jpeg)
        #expect(frame.format == .i420 && frame.color == JPEGDecoder.color && frame.color.isFullRange)
        let raw = try Command.run(
            "ffmpeg", "-v", "error", "-f", "mjpeg", "-i", "-", "-pix_fmt", pixelFormat, "-f", "rawvideo", "-",
            input: jpeg)
        var expected = [UInt8](raw.output)
        if pixelFormat == "yuvj422p" { expected = halved(expected) }
        let actual = packed(frame)
        #expect(actual.count == expected.count && actual.count == Self.width * Self.height * 3 / 2)
        let worst = zip(actual, expected).map { abs(Int($0) - Int($1)) }.max() ?? 255
        #expect(worst <= 4)
    }

    /// Converts planar 4:2:2 to 4:2:0: the mean of two rows of chroma.
    private func halved(_ frame: [UInt8]) -> [UInt8] {
        let (width, height) = (Self.width, Self.height)
        var result = Array(frame[..<(width * height)])
        for plane in 0..<2 {
            let start = width * height + plane * width / 2 * height
            for row in 0..<(height / 2) {
                for column in 0..<(width / 2) {
                    let first = Int(frame[start + row * width + column])
                    let second = Int(frame[start + row * width + width / 2 + column])
                    result.append(UInt8((first + second + 1) / 2))
                }
            }
        }
        return result
    }

    @Test(arguments: ["yuvj420p", "yuvj422p"]) func decode_manyTimes_givesTheSame(pixelFormat: String) throws {
        let jpeg = try Self.jpeg(pixelFormat)
        let decoder = try JPEGDecoder(width: Self.width, height: Self.height)
        let first = try packed(decode(jpeg, with: decoder))
        for _ in 0..<20 { #expect(try packed(decode(jpeg, with: decoder)) == first) }
    }

    @Test(arguments: ["yuvj420p", "yuvj422p"]) func decode_truncatedAnywhere_isCorruptAndTheNextIsDecoded(
        pixelFormat: String
    ) throws {
        let jpeg = try Self.jpeg(pixelFormat)
        let decoder = try JPEGDecoder(width: Self.width, height: Self.height)
        let expected = try packed(decode(jpeg, with: decoder))
        for length in stride(from: 0, to: jpeg.count - 2, by: 53) {
            let error = #expect(throws: MediaError.self, "\(length) bytes") {
                try decode(jpeg.prefix(length), with: decoder)
            }
            #expect(error?.code == .corruptData)
            // The next frame is decoded as usual.
            #expect(try packed(decode(jpeg, with: decoder)) == expected)
        }
    }

    @Test(arguments: ["yuvj420p", "yuvj422p"]) func decode_strayBytesBetweenMarkers_areSkipped(pixelFormat: String)
        throws
    {
        let jpeg = try Self.jpeg(pixelFormat)
        let expected = try packed(decode(jpeg))
        let tables = try #require(jpeg.range(of: Data([0xFF, 0xDB])))
        let stray = jpeg[..<tables.lowerBound] + Data(count: 3) + jpeg[tables.lowerBound...]
        #expect(try packed(decode(stray)) == expected)
        #expect(try packed(decode(jpeg.dropLast(2) + Data(count: 3) + jpeg.suffix(2))) == expected)
        // The decoder warns of the stray bytes only, not of the missing end.
        let error = #expect(throws: MediaError.self) { try decode(stray.prefix(stray.count / 2)) }
        #expect(error?.code == .corruptData)
    }

    @Test func decode_damagedJPEG_neverCrashes() throws {
        let jpeg = try Self.jpeg("yuvj422p")
        let decoder = try JPEGDecoder(width: Self.width, height: Self.height)
        for seed in 1...300 as ClosedRange<UInt64> {
            var damaged = jpeg
            let noise = SyntheticMedia.noise(12, seed: seed)
            for index in 0..<4 {
                damaged[(Int(noise[index * 3]) << 8 | Int(noise[index * 3 + 1])) % damaged.count] = noise[index * 3 + 2]
            }
            do {
                _ = try decode(damaged, with: decoder)
            } catch let error as MediaError {
                #expect(error.code == .corruptData || error.code == .invalidSample)
            }
        }
        #expect(try decode(jpeg, with: decoder).width == Self.width)
    }

    @Test func decode_notAJPEG_isCorrupt() throws {
        for bytes in [Data(), Data([0xFF, 0xD8]), Data(SyntheticMedia.noise(3000))] {
            let error = #expect(throws: MediaError.self) { try decode(bytes) }
            #expect(error?.code == .corruptData && error?.reason.isEmpty == false)
        }
    }

    /// The chroma subsampling of a JPEG other than 4:2:0 and 4:2:2.
    enum Subsampling: CaseIterable {
        case full, halfRows, quarterColumns, gray

        /// The number of columns and rows of a frame of the test.
        var chroma: (columns: Int, rows: Int) {
            switch self {
            case .full: (96, 64)
            case .halfRows: (96, 32)
            case .quarterColumns: (24, 64)
            case .gray: (0, 0)
            }
        }

        func jpeg() throws -> Data {
            switch self {
            case .full: try JPEGDecoderTests.jpeg("yuvj444p")
            // FFmpeg encodes neither of the next two. The number of blocks in a group stays the same, so the image can
            // be decoded, only with its blocks in other places.
            case .halfRows: try JPEGDecoderTests.patched("yuvj422p", [0x22, 0x21, 0x21])
            case .quarterColumns: try JPEGDecoderTests.patched("yuvj420p", [0x41, 0x11, 0x11])
            case .gray:
                try Command.run(
                    "gst-launch-1.0", "-q", "videotestsrc", "num-buffers=1", "!",
                    "video/x-raw,format=GRAY8,width=96,height=64", "!", "jpegenc", "!", "fdsink"
                ).output
            }
        }
    }

    /// Returns a JPEG whose header states other sampling factors (ITU-T T.81, B.2.2).
    private static func patched(_ pixelFormat: String, _ factors: [UInt8]) throws -> Data {
        var jpeg = try jpeg(pixelFormat)
        let header = try #require(jpeg.range(of: Data([0xFF, 0xC0])))
        for (index, factor) in factors.enumerated() { jpeg[header.lowerBound + 11 + 3 * index] = factor }
        return jpeg
    }

    @Test(arguments: Subsampling.allCases) func decode_otherSubsampling_looksAsWithFFmpeg(
        subsampling: Subsampling
    ) throws {
        let jpeg = try subsampling.jpeg()
        let decoder = try JPEGDecoder(width: Self.width, height: Self.height)
        let frame = try decode(jpeg, with: decoder)
        #expect(frame.format == .i420 && frame.color == JPEGDecoder.color)
        let raw = try Command.run("ffmpeg", "-v", "error", "-f", "mjpeg", "-i", "-", "-f", "rawvideo", "-", input: jpeg)
        let expected = quartered([UInt8](raw.output), chroma: subsampling.chroma)
        let actual = packed(frame)
        #expect(actual.count == expected.count)
        let worst = zip(actual, expected).map { abs(Int($0) - Int($1)) }.max() ?? 255
        #expect(worst <= 4)
        // The decoder can be used again.
        #expect(try packed(decode(jpeg, with: decoder)) == actual)
    }

    /// Converts planar frames to 4:2:0: each sample is the mean of the samples at its place. Gray has no chroma.
    private func quartered(_ frame: [UInt8], chroma: (columns: Int, rows: Int)) -> [UInt8] {
        let (width, height) = (Self.width / 2, Self.height / 2)
        let luma = Self.width * Self.height
        guard chroma.columns > 0 else { return frame + [UInt8](repeating: 128, count: 2 * width * height) }
        var result = Array(frame[..<luma])
        for plane in 0..<2 {
            let start = luma + plane * chroma.columns * chroma.rows
            for index in 0..<(width * height) {
                let (row, column) = (index / width, index % width)
                let rows = (row * chroma.rows / height)..<((row + 1) * chroma.rows / height)
                let first = column * chroma.columns / width
                let columns = first..<max(first + 1, (column + 1) * chroma.columns / width)
                let values = rows.flatMap { row in columns.map { Int(frame[start + row * chroma.columns + $0]) } }
                result.append(UInt8((values.reduce(0, +) + values.count / 2) / values.count))
            }
        }
        return result
    }

    @Test(arguments: Subsampling.allCases) func decode_otherSubsamplingTruncated_isCorruptAndTheNextIsDecoded(
        subsampling: Subsampling
    ) throws {
        let jpeg = try subsampling.jpeg()
        let decoder = try JPEGDecoder(width: Self.width, height: Self.height)
        let expected = try packed(decode(jpeg, with: decoder))
        let error = #expect(throws: MediaError.self) { try decode(jpeg.prefix(jpeg.count / 2), with: decoder) }
        #expect(error?.code == .corruptData)
        #expect(try packed(decode(jpeg, with: decoder)) == expected)
    }

    @Test func decode_otherSize_isNamed() throws {
        let large = #expect(throws: MediaError.self) { try decode(Self.jpeg("yuvj420p", size: "128x64")) }
        #expect(large?.code == .invalidSample && large?.description.contains("128×64") == true)
    }
}
