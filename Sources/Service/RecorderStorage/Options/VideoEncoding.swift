package import CommandInterface
package import MediaTypes

/// The encoding of the camera's frames.
package enum VideoEncoding: Sendable, Hashable {
    /// Encoded by the recorder, with a preset and a rate control. The codec is `h264`, `hevc` or `av1`.
    case encoded(
        VideoCodec, preset: String, rateControl: VideoSettings.RateControl, keyframeInterval: MediaTime)
    /// The camera's own compressed frames, unchanged.
    case passthrough

    /// Encodes to H.264.
    package static func h264(
        preset: String, rateControl: VideoSettings.RateControl, keyframeInterval: MediaTime
    ) -> VideoEncoding {
        .encoded(.h264, preset: preset, rateControl: rateControl, keyframeInterval: keyframeInterval)
    }

    /// The codec as the user writes it.
    package var choice: VideoCodecChoice {
        switch self {
        case .encoded(.hevc, _, _, _): .hevc
        case .encoded(.av1, _, _, _): .av1
        case .encoded: .h264
        case .passthrough: .passthrough
        }
    }
}

extension VideoCodecChoice {
    /// The codec to which frames are encoded; nil for `passthrough`.
    var codec: VideoCodec? {
        switch self {
        case .h264: .h264
        case .hevc: .hevc
        case .av1: .av1
        case .passthrough: nil
        }
    }

    /// The preset with which a live encoder keeps up (docs/design/decisions/encoders.md).
    var livePreset: String {
        switch self {
        case .hevc: "ultrafast"
        case .av1: "superfast"
        case .h264, .passthrough: "veryfast"
        }
    }

    /// The constant rate factor that gives the quality of H.264 at factor 23 (docs/design/decisions/encoders.md).
    package var usualFactor: Double {
        switch self {
        case .hevc: 22
        case .av1: 34
        case .h264, .passthrough: 23
        }
    }

    /// The constant rate factors that the encoder accepts.
    var factors: ClosedRange<Double> { self == .av1 ? 1...63 : 0...51 }
}

extension RecordingConfiguration {
    /// Refuses AV1 if each frame must be stored before the next one comes, because the encoder of AV1 holds frames
    /// back.
    func validateDelay() throws(OptionError) {
        let key: String? = every != nil ? "every" : skipsIdentical ? "skip-identical" : nil
        guard video.choice == .av1, let key else { return }
        throw OptionError(
            "--\(key) stores each frame before the next one, but the encoder of AV1 holds frames back: "
                + "write --codec hevc or --codec h264, or remove --\(key)", about: ["codec", key])
    }
}
