public import MediaTypes

/// The video codecs that a recording can be asked for.
public enum VideoCodecChoice: String, Sendable, CaseIterable { case h264, passthrough }

/// The audio codecs that a recording can be asked for.
public enum AudioCodecChoice: String, Sendable, CaseIterable { case aac, alac, pcm }

/// What people write about encoding, and which of it goes together.
public enum EncodingText {
    static let presets = [
        "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
    ]

    public static func parseCodec(_ text: String) throws(OptionError) -> VideoCodecChoice {
        guard let codec = VideoCodecChoice(rawValue: text) else {
            throw OptionError(text, isNot: "a codec", write: "h264 or passthrough")
        }
        return codec
    }

    public static func parseAudioCodec(_ text: String) throws(OptionError) -> AudioCodecChoice {
        guard let codec = AudioCodecChoice(rawValue: text) else {
            throw OptionError(text, isNot: "a codec", write: "aac, alac or pcm")
        }
        return codec
    }

    public static func parsePreset(_ text: String) throws(OptionError) -> String {
        guard presets.contains(text) else {
            throw OptionError(text, isNot: "a preset of x264", write: presets.joined(separator: ", "))
        }
        return text
    }

    public static func parseQuality(_ text: String) throws(OptionError) -> Double {
        guard let number = DecimalText(text), case let value = Double(number.digits) / Double(number.divisor),
            value <= 51
        else { throw OptionError(text, isNot: "a constant rate factor", write: "0 to 51, as 23") }
        return value
    }

    public static func parseChannels(_ text: String) throws(OptionError) -> Int {
        guard let count = Int(text), (1...8).contains(count) else {
            throw OptionError(text, isNot: "a number of channels", write: "1 to 8")
        }
        return count
    }

    public static func parseSampleRate(_ text: String) throws(OptionError) -> Int {
        guard let rate = Int(text), (8000...192_000).contains(rate) else {
            throw OptionError(text, isNot: "a sample rate", write: "8000 to 192000, as 48000")
        }
        return rate
    }

    public static func video(
        _ codec: VideoCodecChoice, preset: String?, crf: Double?, bitRate: Int?, keyFrameInterval: MediaTime?
    ) throws(OptionError) -> RecordingConfiguration.VideoEncoding {
        if crf != nil, bitRate != nil {
            throw OptionError("--crf and --bit-rate exclude each other: leave one out", about: ["crf", "bit-rate"])
        }
        switch codec {
        case .passthrough:
            guard preset == nil, crf == nil, bitRate == nil, keyFrameInterval == nil else {
                throw OptionError(
                    "--codec passthrough encodes nothing: leave out --preset, --crf, --bit-rate and --key-frame-interval",
                    about: ["codec", "preset", "crf", "bit-rate", "key-frame-interval"])
            }
            return .passthrough
        case .h264:
            return .h264(
                preset: preset ?? "veryfast",
                rateControl: bitRate.map { .bitRate($0) } ?? .constantQuality(crf ?? 23),
                keyFrameInterval: keyFrameInterval ?? MediaTime(value: 2, timescale: 1))
        }
    }

    public static func audio(
        _ codec: AudioCodecChoice, bitRate: Int?, channels: Int?, sampleRate: Int?
    ) throws(OptionError) -> AudioSettings {
        if bitRate != nil, codec != .aac {
            throw OptionError(
                "--audio-bit-rate is for aac; \(codec.rawValue) has none", about: ["audio-codec", "audio-bit-rate"])
        }
        let layout = channels.flatMap { count in
            count > 2 ? ChannelLayout.allCases.last { $0.channelCount == count } : nil
        }
        return AudioSettings(
            codec: AudioCodec(rawValue: codec.rawValue), sampleRate: sampleRate, channelCount: channels, layout: layout,
            bitRate: bitRate)
    }
}
