import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

/// Frames that ffmpeg made or filtered, for comparison.
enum JudgedFrame {
    static func ffmpegName(_ format: PixelFormat) -> String {
        switch format {
        case .nv12: "nv12"
        case .i420: "yuv420p"
        case .i422: "yuv422p"
        case .yuyv: "yuyv422"
        case .uyvy: "uyvy422"
        case .bgra: "bgra"
        case .argb: "argb"
        case .rgba: "rgba"
        case .rgb24: "rgb24"
        case .gray8: "gray"
        case .p010: "p010le"
        case .i010: "yuv420p10le"
        case .i210: "yuv422p10le"
        }
    }

    /// Frames of a lavfi pattern as ffmpeg stores them.
    static func make(_ pattern: String, _ format: PixelFormat, width: Int, height: Int) throws -> [PixelBuffer] {
        let output = try MadeFile.output([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", pattern, "-f", "rawvideo", "-pix_fmt", ffmpegName(format),
            "-",
        ])
        return frames(output, format, width: width, height: height)
    }

    /// Sends frames through an ffmpeg filter in their own format.
    static func filter(_ sources: [PixelBuffer], _ filter: String, width: Int, height: Int) throws -> [PixelBuffer] {
        let first = try #require(sources.first)
        let name = ffmpegName(first.format)
        let result = try Command.run(
            [
                "ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", name, "-s", "\(first.width)x\(first.height)",
                "-i", "-", "-vf", filter, "-f", "rawvideo", "-pix_fmt", name, "-",
            ], input: sources.reduce(into: Data()) { $0 += $1.visible })
        try #require(result.status == 0, "\(result.errors)")
        return frames(result.output, first.format, width: width, height: height)
    }

    private static func frames(_ data: Data, _ format: PixelFormat, width: Int, height: Int) -> [PixelBuffer] {
        let layout = PixelLayout(format: format, width: width, height: height)
        return stride(from: 0, to: data.count - layout.byteCount + 1, by: layout.byteCount).map { start in
            data[start..<(start + layout.byteCount)].withUnsafeBytes {
                PixelBuffer(layout: layout, data: MediaData(copying: $0))
            }
        }
    }

    /// The similarity of two frames over all their samples, in decibels; 99 if they are equal.
    static func likeness(_ one: PixelBuffer, _ other: PixelBuffer) -> Double {
        guard one.format == other.format, one.width == other.width, one.height == other.height else { return 0 }
        let isWide = one.format.bitDepth > 8
        let shift = one.format == .p010 ? 6 : 0
        let (a, b) = (one.visible, other.visible)
        guard a.count == b.count else { return 0 }
        guard a != b else { return 99 }
        var sum = 0
        a.withUnsafeBytes { a in
            b.withUnsafeBytes { b in
                if isWide {
                    let (a, b) = (a.bindMemory(to: UInt16.self), b.bindMemory(to: UInt16.self))
                    for index in a.indices {
                        let difference = Int(a[index] >> shift) - Int(b[index] >> shift)
                        sum += difference * difference
                    }
                } else {
                    for index in a.indices {
                        let difference = Int(a[index]) - Int(b[index])
                        sum += difference * difference
                    }
                }
            }
        }
        guard sum > 0 else { return 99 }
        let peak = isWide ? 1023.0 : 255.0
        return 10 * log10(peak * peak * Double(a.count / (isWide ? 2 : 1)) / Double(sum))
    }
}

extension PixelBuffer {
    /// One byte of a plane.
    func byte(_ index: Int, _ x: Int, _ y: Int) -> Int { Int(plane(index)[y * layout.planes[index].bytesPerRow + x]) }

    /// One sample of a plane of sixteen-bit samples.
    func word(_ index: Int, _ x: Int, _ y: Int) -> Int { byte(index, x * 2, y) + byte(index, x * 2 + 1, y) << 8 }
}
