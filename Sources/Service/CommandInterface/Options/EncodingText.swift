/// The video codecs that the user can choose for a recording.
package enum VideoCodecChoice: String, Sendable, CaseIterable { case h264, hevc, av1, passthrough }

/// The audio codecs that the user can choose for a recording.
package enum AudioCodecChoice: String, Sendable, CaseIterable { case aac, alac, pcm }

/// Parsers for encoding options.
package enum EncodingText {
    package static let presets = [
        "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
    ]

    package static func parseCodec(_ text: String) throws(OptionError) -> VideoCodecChoice {
        guard let codec = VideoCodecChoice(rawValue: text) else {
            throw OptionError(text, isNot: "a codec", write: "h264, hevc, av1 or passthrough")
        }
        return codec
    }

    package static func parseAudioCodec(_ text: String) throws(OptionError) -> AudioCodecChoice {
        guard let codec = AudioCodecChoice(rawValue: text) else {
            throw OptionError(text, isNot: "a codec", write: "aac, alac or pcm")
        }
        return codec
    }

    package static func parsePreset(_ text: String) throws(OptionError) -> String {
        guard presets.contains(text) else {
            throw OptionError(text, isNot: "a preset", write: presets.joined(separator: ", "))
        }
        return text
    }

    package static func parseQuality(_ text: String) throws(OptionError) -> Double {
        try factor(text, most: 51, write: "0 to 51, such as 23")
    }

    /// Parses the constant rate factor of a recording, whose codec may be AV1.
    package static func parseRateFactor(_ text: String) throws(OptionError) -> Double {
        try factor(text, most: 63, write: "0 to 51, such as 23, or 1 to 63 for AV1")
    }

    private static func factor(_ text: String, most: Double, write: String) throws(OptionError) -> Double {
        guard let number = DecimalText(text), case let value = Double(number.digits) / Double(number.divisor),
            value <= most
        else { throw OptionError(text, isNot: "a constant rate factor", write: write) }
        return value
    }

    package static func parseChannels(_ text: String) throws(OptionError) -> Int {
        guard let count = Int(text), (1...64).contains(count) else {
            throw OptionError(text, isNot: "a number of channels", write: "1 to 64")
        }
        return count
    }

    package static func parseSampleRate(_ text: String) throws(OptionError) -> Int {
        guard let rate = Int(text), (8000...192_000).contains(rate) else {
            throw OptionError(text, isNot: "a sample rate", write: "8000 to 192000, such as 48000")
        }
        return rate
    }
}
