import Glibc
import MediaTypes

/// One second of the test microphone's sound, which repeats for ever: a soft tone of 1 kHz, and in the first 10 ms of the
/// second a loud one of 2 kHz that begins at full strength.
final class TestTone: Sendable {
    static let clickSeconds = 0.010
    static let toneAmplitude = 0.03
    static let clickAmplitude = 0.5

    private let bytes: MediaData
    private let bytesPerFrame: Int

    /// - Parameters:
    ///   - format: 16 bits or floating point.
    ///   - blockFrames: the longest block that will be asked for.
    init(format: AudioFormat, blockFrames: Int) {
        let rate = format.sampleRate
        let clickFrames = Int(clamping: (Double(rate) * Self.clickSeconds).rounded())
        bytesPerFrame = format.bytesPerFrame ?? 1
        // One block more than a second: every block is one piece, also the one that crosses the second.
        let frames = rate + blockFrames
        bytes = MediaData(byteCount: frames * bytesPerFrame) { target in
            for frame in 0..<frames {
                let inSecond = frame % rate
                let isClick = inSecond < clickFrames
                let phase = 2 * Double.pi * (isClick ? 2_000 : 1_000) * Double(inSecond) / Double(rate)
                // The click is a cosine: its very first sample is its loudest.
                let value = isClick ? Self.clickAmplitude * cos(phase) : Self.toneAmplitude * sin(phase)
                for channel in 0..<format.channelCount {
                    let index = frame * format.channelCount + channel
                    if format.pcm == .float32 {
                        target.storeBytes(of: Float(value), toByteOffset: index * 4, as: Float.self)
                    } else {
                        target.storeBytes(
                            // in range: a sine, at most 1
                            of: Int16((value * 32_767).rounded()), toByteOffset: index * 2, as: Int16.self)
                    }
                }
            }
        }
    }

    /// So many frames from a frame of the second on, without a copy.
    func block(from frame: Int, frames: Int) -> MediaData {
        let start = frame * bytesPerFrame
        let slice = UnsafeRawBufferPointer(rebasing: bytes.bytes[start..<(start + frames * bytesPerFrame)])
        return MediaData(borrowing: slice, keeping: bytes)
    }
}
