import Glibc
import MediaTypes

/// One second of the test microphone's audio, repeated endlessly. It is a soft tone of 1 kHz. In the first 10 ms of the
/// second, it is a loud tone of 2 kHz that begins at full strength. From the third channel on, each channel's tone is
/// 100 Hz above that of the previous channel. After 3.7 kHz, the tones begin again at 1 kHz.
final class TestTone: Sendable {
    static let clickSeconds = 0.010
    static let toneAmplitude = 0.03
    static let clickAmplitude = 0.5

    private let bytes: MediaData
    private let bytesPerFrame: Int

    /// Creates the audio.
    ///
    /// - Parameters:
    ///   - format: 16 bits or floating point.
    ///   - blockFrames: The longest block that will be requested.
    init(format: AudioFormat, blockFrames: Int) {
        let rate = format.sampleRate
        let clickFrames = Int(clamping: (Double(rate) * Self.clickSeconds).rounded())
        bytesPerFrame = format.bytesPerFrame ?? 1
        // One block more than a second, so that every block is contiguous, even one that crosses the second.
        let frames = rate + blockFrames
        bytes = MediaData(byteCount: frames * bytesPerFrame) { target in
            for frame in 0..<frames {
                let inSecond = frame % rate
                let isClick = inSecond < clickFrames
                for channel in 0..<format.channelCount {
                    let tone = Self.frequency(ofChannel: channel)
                    let phase = 2 * Double.pi * Double(isClick ? 2_000 : tone) * Double(inSecond) / Double(rate)
                    // The click is a cosine: its very first sample is its loudest.
                    let value = isClick ? Self.clickAmplitude * cos(phase) : Self.toneAmplitude * sin(phase)
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

    /// Returns the frequency of a channel's tone, below half the lowest sample rate. It is a whole number of hertz, so
    /// that the second repeats without a step.
    static func frequency(ofChannel channel: Int) -> Int { 1_000 + 100 * (max(0, channel - 1) % 28) }

    /// Returns `frames` frames, starting at a frame of the second, without a copy.
    func block(from frame: Int, frames: Int) -> MediaData {
        let start = frame * bytesPerFrame
        let slice = UnsafeRawBufferPointer(rebasing: bytes.bytes[start..<(start + frames * bytesPerFrame)])
        return MediaData(borrowing: slice, keeping: bytes)
    }
}
