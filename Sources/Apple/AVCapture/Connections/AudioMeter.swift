import Foundation
import MediaTypes
import RealTime

/// The levels of an audio connection, measured when they are read.
///
/// The capture thread only keeps a reference to the last block, so levels that are not read cost nothing.
final class AudioMeter: Sendable {
    private let last = Locked<SampleBuffer?>(nil)

    /// Called on the device's thread for each block.
    func keep(_ block: SampleBuffer) { last.withLock { $0 = block } }

    var channels: [AVCaptureAudioChannel] {
        guard let block = last.withLock({ $0 }) else { return [] }
        return AudioLevel.levels(block).map { AVCaptureAudioChannel($0) }
    }
}

/// The level of one channel in one block, relative to full scale. A pure value.
struct AudioLevel: Sendable, Hashable {
    /// The level in decibels; at least `silence`.
    var average: Float
    var peak: Float

    static let silence: Float = -160

    /// Returns the level of each channel; empty for audio that is not interleaved PCM.
    static func levels(_ block: SampleBuffer) -> [AudioLevel] {
        guard let format = block.format.audio, let pcm = format.pcm, !format.isBigEndian,
            case .data(let data) = block.content, format.channelCount > 0
        else { return [] }
        let frame = pcm.byteCount * format.channelCount
        let count = data.count / frame
        guard count > 0 else { return [] }
        return (0..<format.channelCount).map { channel in
            var (sum, peak) = (0.0, 0.0)
            for index in 0..<count {
                let value = Swift.abs(number(data.bytes, at: index * frame + channel * pcm.byteCount, pcm))
                sum += value * value
                peak = max(peak, value)
            }
            return AudioLevel(average: decibels((sum / Double(count)).squareRoot()), peak: decibels(peak))
        }
    }

    /// Returns a sample as a number from -1 to 1.
    private static func number(_ bytes: UnsafeRawBufferPointer, at place: Int, _ pcm: PCMSampleFormat) -> Double {
        switch pcm {
        case .s8: Double(bytes.loadUnaligned(fromByteOffset: place, as: Int8.self)) / 128
        case .s16: Double(bytes.loadUnaligned(fromByteOffset: place, as: Int16.self)) / 32_768
        case .s24:
            Double(
                Int32(bytes[place]) | Int32(bytes[place + 1]) << 8
                    | Int32(Int8(bitPattern: bytes[place + 2])) << 16) / 8_388_608
        case .s32: Double(bytes.loadUnaligned(fromByteOffset: place, as: Int32.self)) / 2_147_483_648
        case .float32: Double(bytes.loadUnaligned(fromByteOffset: place, as: Float.self))
        case .float64: bytes.loadUnaligned(fromByteOffset: place, as: Double.self)
        }
    }

    private static func decibels(_ ratio: Double) -> Float {
        guard ratio > 0, ratio.isFinite else { return silence }
        return max(silence, Float(20 * log10(ratio)))
    }
}
