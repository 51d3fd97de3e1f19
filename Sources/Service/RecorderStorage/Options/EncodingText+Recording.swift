package import CommandInterface
package import MediaTypes

/// Combines the settings for encoding, and checks that they are compatible.
extension EncodingText {
    package static func video(
        _ codec: VideoCodecChoice, preset: String?, crf: Double?, bitRate: Int?, keyframeInterval: MediaTime?,
        encoder: VideoEncoderChoice = .x264
    ) throws(OptionError) -> VideoEncoding {
        if crf != nil, bitRate != nil {
            throw OptionError("--crf and --bit-rate cannot be combined: remove one", about: ["crf", "bit-rate"])
        }
        guard let encoded = codec.codec else {
            guard preset == nil, crf == nil, bitRate == nil, keyframeInterval == nil else {
                throw OptionError(
                    "--codec passthrough does not encode: remove --preset, --crf, --bit-rate and --key-frame-interval",
                    about: ["codec", "preset", "crf", "bit-rate", "key-frame-interval"])
            }
            return .passthrough
        }
        if let crf, !codec.factors.contains(crf) {
            let (least, most) = (Int(codec.factors.lowerBound), Int(codec.factors.upperBound))
            let text = crf == crf.rounded() ? "\(Int(clamping: crf))" : "\(crf)"
            throw OptionError(
                "--crf \(text) is not possible with --codec \(codec.rawValue): write \(least) to \(most)",
                about: ["codec", "crf"])
        }
        var quality = VideoSettings.RateControl.constantQuality(crf ?? codec.usualFactor)
        if encoder != .x264 {
            try refuse(preset, "preset", "is for x264", with: encoder)
            try refuse(crf, "crf", "is for x264; a hardware encoder uses --bit-rate instead", with: encoder)
            quality = .bitRate(RecordingConfiguration.hardwareBitRate)
        }
        return .encoded(
            encoded, preset: preset ?? codec.livePreset, rateControl: bitRate.map { .bitRate($0) } ?? quality,
            keyframeInterval: keyframeInterval ?? MediaTime(value: 2, timescale: 1))
    }

    /// Refuses a setting that a hardware encoder does not have.
    private static func refuse<Value>(
        _ value: Value?, _ key: String, _ reason: String, with encoder: VideoEncoderChoice
    ) throws(OptionError) {
        guard value != nil else { return }
        throw OptionError(
            "--\(key) \(reason): remove it, or --encoder \(encoder.text)", about: ["encoder", key])
    }

    package static func audio(
        _ codec: AudioCodecChoice, bitRate: Int?, channels: Int?, sampleRate: Int?
    ) throws(OptionError) -> AudioSettings {
        if bitRate != nil, codec != .aac {
            throw OptionError(
                "--audio-bit-rate is for aac only; \(codec.rawValue) has no bit rate",
                about: ["audio-codec", "audio-bit-rate"])
        }
        let held: [AudioCodecChoice: Int] = [.aac: 8, .alac: 8]
        if let channels, let most = held[codec], channels > most {
            throw OptionError(
                "--audio-codec \(codec.rawValue) supports at most \(most) channels, not \(channels): --audio-codec pcm supports "
                    + "up to 64, in .mov", about: ["audio-codec", "channels"])
        }
        // Several microphones are not loudspeaker channels: in 5.1 the fourth would be a low-frequency channel.
        let layout = channels.flatMap { $0 > 2 ? ChannelLayout.discrete($0) : nil }
        return AudioSettings(
            codec: AudioCodec(rawValue: codec.rawValue), sampleRate: sampleRate, channelCount: channels, layout: layout,
            bitRate: bitRate)
    }
}
