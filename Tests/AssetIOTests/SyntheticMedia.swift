import AssetIO
import Foundation
import MediaTypes

/// Pictures and sound with known content, made without a device.
enum SyntheticMedia {
    /// A flat picture whose brightness tells its number: 16 + (number × 7) mod 200.
    static func picture(_ number: Int, width: Int = 320, height: Int = 180, format: PixelFormat = .nv12) -> PixelBuffer {
        let buffer = MutablePixelBuffer(layout: PixelLayout(format: format, width: width, height: height))
        let luma = UInt8(16 + number * 7 % 200)
        for index in buffer.layout.planes.indices {
            let plane = buffer.plane(index)
            for position in plane.indices {
                let isLuma = (format == .yuyv && position % 2 == 0) || (format != .yuyv && index == 0)
                plane[position] = isLuma ? luma : 128
            }
        }
        return buffer.finish()
    }

    static func frame(_ number: Int, at time: MediaTime, width: Int = 320, height: Int = 180) -> SampleBuffer {
        SampleBuffer(pixels: picture(number, width: width, height: height), presentationTime: time)
    }

    static let pcm = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2)

    /// A 440 Hz tone from frame `start` on.
    static func tone(from start: Int, count: Int, at time: MediaTime, amplitude: Double = 8000) -> SampleBuffer {
        var samples: [Int16] = []
        for index in 0..<count {
            let value = Int16(amplitude * sin(2 * .pi * 440 * Double(start + index) / 48_000))
            samples += [value, value]
        }
        let data = samples.withUnsafeBytes { MediaData(copying: $0) }
        return SampleBuffer(pcm: data, format: pcm, presentationTime: time)
    }
}

/// A directory that goes away with its test.
final class TemporaryDirectory {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("recorder-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    deinit { try? FileManager.default.removeItem(at: url) }
}
