import Foundation
public import MediaTypes

/// Frames and audio with known content, made without a device.
public enum SyntheticMedia {
    /// Returns the brightness that encodes a frame's number.
    public static func luma(_ number: Int) -> UInt8 { UInt8(16 + (number * 7 % 200 + 200) % 200) }

    /// Returns a uniform frame whose brightness encodes its number.
    public static func frame(
        _ number: Int, width: Int = 320, height: Int = 180, format: PixelFormat = .nv12
    ) -> PixelBuffer {
        let buffer = MutablePixelBuffer(layout: PixelLayout(format: format, width: width, height: height))
        for index in buffer.layout.planes.indices {
            let plane = buffer.plane(index)
            if format == .yuyv {
                for position in plane.indices { plane[position] = position % 2 == 0 ? luma(number) : 128 }
            } else {
                _ = plane.initializeMemory(as: UInt8.self, repeating: index == 0 ? luma(number) : 128)
            }
        }
        return buffer.finish()
    }

    /// Returns a frame that is hard to encode, different for each number.
    public static func noisyFrame(_ number: Int, width: Int = 320, height: Int = 192) -> PixelBuffer {
        let buffer = MutablePixelBuffer(layout: PixelLayout(format: .nv12, width: width, height: height))
        let bytes = noise(width * height, seed: UInt64(number + 1))
        for index in buffer.layout.planes.indices {
            let plane = buffer.plane(index)
            for position in plane.indices { plane[position] = 100 + bytes[position % bytes.count] / 8 }
        }
        return buffer.finish()
    }

    public static func videoSample(
        _ number: Int, at time: MediaTime, width: Int = 320, height: Int = 180, duration: MediaTime? = nil
    ) -> SampleBuffer {
        SampleBuffer(
            pixels: frame(number, width: width, height: height), presentationTime: time, duration: duration)
    }

    public static let pcm = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2)

    /// Returns a 440 Hz tone from audio frame `start` on, equal in both channels.
    public static func tone(from start: Int, count: Int, at time: MediaTime, amplitude: Double = 8000) -> SampleBuffer {
        var samples: [Int16] = []
        samples.reserveCapacity(count * 2)
        for index in 0..<count {
            let value = Int16(amplitude * sin(2 * .pi * 440 * Double(start + index) / 48_000))
            samples.append(value)
            samples.append(value)
        }
        return audio(samples, format: pcm, at: time)
    }

    /// Returns interleaved numbers of any type as audio.
    public static func audio<Number>(_ samples: [Number], format: AudioFormat, at time: MediaTime) -> SampleBuffer {
        SampleBuffer(pcm: samples.withUnsafeBytes { MediaData(copying: $0) }, format: format, presentationTime: time)
    }

    /// Returns pseudorandom bytes that are always the same.
    public static func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        return (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state >> 32)
        }
    }
}
