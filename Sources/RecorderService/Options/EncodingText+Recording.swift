package import CommandInterface
package import MediaTypes

/// Which words about encoding a recording go together.
extension EncodingText {
    package static func video(
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

    package static func audio(
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
