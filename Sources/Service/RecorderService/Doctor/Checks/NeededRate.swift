import MediaTypes
import RecorderStorage

/// Estimates how many bytes per second a recording writes. With a constant quality the rate depends on the scene, and
/// the estimate is for a busy scene.
enum NeededRate {
    /// Bits per pixel of H.264 at a constant rate factor of 23.
    private static let bitsPerPixel = 0.12
    /// Bits per pixel of Motion JPEG.
    private static let bitsPerPixelOfJPEG = 1.5
    /// Bits per pixel of raw 4:2:0. Lossless encodings need hardly more.
    private static let mostBitsPerPixel = 12.0

    /// Returns the estimate for one recorder.
    ///
    /// - Parameter devices: The recorder's devices; nil if unknown.
    static func bytesPerSecond(_ configuration: RecordingConfiguration, _ devices: DeviceFacts?) -> Double {
        (video(configuration, devices?.frames) + audio(configuration, devices?.microphone)) / 8
    }

    /// Bits per second of the video.
    private static func video(_ configuration: RecordingConfiguration, _ frames: FrameFacts?) -> Double {
        guard configuration.camera != .none else { return 0 }
        let stage = configuration.frameStage
        let size =
            stage.scale ?? stage.crop?.size ?? configuration.size ?? frames?.size ?? FrameSize(1920, 1080)
        let rate = configuration.frameRate?.framesPerSecond ?? frames?.rate ?? 30
        let pixels = Double(size.width) * Double(size.height) * rate
        switch configuration.video {
        case .passthrough:
            return pixels * (configuration.pixelFormat == .mjpeg ? bitsPerPixelOfJPEG : bitsPerPixel * 2)
        case .encoded(_, _, .bitRate(let rate), _): return Double(rate)
        case .encoded(let codec, _, .constantQuality(let factor), _):
            // HEVC and AV1 need at most half of the bits of H.264. AV1's rate factors have smaller steps, nine of which
            // double the bit rate.
            let steps = (configuration.video.choice.usualFactor - factor) * (codec == .av1 ? 2.0 / 3 : 1)
            let usual = codec == .h264 ? bitsPerPixel : bitsPerPixel / 2
            return pixels * min(mostBitsPerPixel, usual * doubled(steps))
        case .encoded(_, _, .quality, _): return pixels * bitsPerPixel * 4
        }
    }

    /// Returns about 2 to the power of `steps` / 6, because six steps of the rate factor double the bit rate (ITU-T
    /// H.264, the quantizer's step size).
    private static func doubled(_ steps: Double) -> Double {
        var (factor, left) = (1.0, max(-60, min(60, steps)))
        while left >= 6 { (factor, left) = (factor * 2, left - 6) }
        while left < 0 { (factor, left) = (factor / 2, left + 6) }
        return factor * (1 + left / 6)
    }

    /// Bits per second of the audio.
    private static func audio(_ configuration: RecordingConfiguration, _ microphone: DeviceState?) -> Double {
        guard configuration.microphone != .none, microphone != .missing else { return 0 }
        let channels = Double(configuration.audio.channelCount ?? 2)
        if configuration.audio.codec == .aac {
            return configuration.audio.bitRate.map { Double($0) } ?? 64_000 * channels
        }
        // Linear PCM has the bits of the microphone, at most 32.
        let depth = configuration.audio.codec == .linearPCM ? 32.0 : 24
        return Double(configuration.audio.sampleRate ?? 48_000) * channels * depth
    }
}
