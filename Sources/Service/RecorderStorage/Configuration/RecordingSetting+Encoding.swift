import CommandInterface
import MediaTypes

// The encoding of video and audio.
extension RecordingSetting {
    package static let codec = RecordingSetting(
        "codec", "h264, hevc, av1, or passthrough (packets unchanged).", "codec",
        read: { (text, draft) throws(OptionError) in draft.codec = try EncodingText.parseCodec(text) },
        show: { [$0.video.choice.rawValue] },
        displaces: {
            $0 == "passthrough"
                ? ["preset", "crf", "bit-rate", "key-frame-interval", "encoder"] : $0 == "h264" ? [] : ["encoder"]
        })

    package static let encoder = value(
        "encoder", "H.264 encoder: x264, v4l2 or v4l2:NODE (default: x264).", "encoder", \.encoder,
        parse: VideoEncoderChoice.init(parsing:), text: { $0.text },
        displaces: { $0 == "x264" ? [] : ["preset", "crf"] }
    )
    .rare

    package static let preset = RecordingSetting(
        "preset", "Preset, ultrafast to placebo (default: by codec).", "preset",
        read: { (text, draft) throws(OptionError) in draft.preset = try EncodingText.parsePreset(text) },
        show: { if case .encoded(_, let preset, _, _) = $0.video, $0.encoder == .x264 { [preset] } else { [] } }
    )
    .rare

    package static let crf = RecordingSetting(
        "crf", "Constant quality, 0 (best) to 51; default by codec.", "crf",
        read: { (text, draft) throws(OptionError) in draft.crf = try EncodingText.parseRateFactor(text) },
        show: {
            guard case .encoded(_, _, .constantQuality(let factor), _) = $0.video else { return [] }
            return ["\(factor)".hasSuffix(".0") ? "\(Int(factor))" : "\(factor)"]
        }, displaces: { _ in ["bit-rate"] })

    package static let bitRate = RecordingSetting(
        "bit-rate", "Average bit rate instead of --crf, e.g. 6M.", "rate",
        read: { (text, draft) throws(OptionError) in draft.bitRate = try QuantityText.parseBitRate(text) },
        show: {
            guard case .encoded(_, _, .bitRate(let rate), _) = $0.video else { return [] }
            return [QuantityText.text(Int64(rate))]
        }, displaces: { _ in ["crf"] })

    package static let keyframeInterval = RecordingSetting(
        "key-frame-interval", "Maximum time between keyframes (default: 2s).", "time",
        read: { (text, draft) throws(OptionError) in draft.keyframeInterval = try DurationText.parse(text) },
        show: { if case .encoded(_, _, _, let interval) = $0.video { [DurationText.text(interval)] } else { [] } }
    )
    .rare

    package static let audioCodec = RecordingSetting(
        "audio-codec", "Audio codec: aac, alac or pcm (default: aac).", "codec",
        read: { (text, draft) throws(OptionError) in draft.audioCodec = try EncodingText.parseAudioCodec(text) },
        show: { [$0.audio.codec.rawValue] }, displaces: { $0 == "aac" ? [] : ["audio-bit-rate"] })

    package static let audioBitRate = RecordingSetting(
        "audio-bit-rate", "Bit rate of aac, e.g. 128k.", "rate",
        read: { (text, draft) throws(OptionError) in draft.audioBitRate = try QuantityText.parseBitRate(text) },
        show: { $0.audio.bitRate.map { [QuantityText.text(Int64($0))] } ?? [] }
    )
    .rare

    package static let channels = RecordingSetting(
        "channels", "Audio channels, 1 to 64 (default: the microphone's).", "count",
        read: { (text, draft) throws(OptionError) in draft.channels = try EncodingText.parseChannels(text) },
        show: { $0.audio.channelCount.map { ["\($0)"] } ?? [] }
    )
    .rare

    package static let sampleRate = RecordingSetting(
        "sample-rate", "Audio sample rate, e.g. 48000.", "hertz",
        read: { (text, draft) throws(OptionError) in draft.sampleRate = try EncodingText.parseSampleRate(text) },
        show: { $0.audio.sampleRate.map { ["\($0)"] } ?? [] }
    )
    .rare

    package static let lowLatency = flag(
        "low-latency", "Hold no frames back, so that live viewers lag less.", \.isLowLatency
    )
    .rare

    package static let skipIdentical = value(
        "skip-identical", "Do not encode frames equal to the one before: yes or no.", "choice", \.skipsIdentical,
        parse: ServiceText.parseFlag, text: { $0 ? "yes" : "no" }
    )
    .rare

    package static let substream = optional(
        "substream", "Small stream for viewers, SIZE@RATE, e.g. 320x180@5.", "stream", \.substream,
        parse: SubstreamSettings.init(parsing:), text: \.text
    )
    .rare

    static let encoding = [
        codec, encoder, preset, crf, bitRate, keyframeInterval, lowLatency, skipIdentical, substream, audioCodec,
        audioBitRate, channels, sampleRate,
    ]
}
