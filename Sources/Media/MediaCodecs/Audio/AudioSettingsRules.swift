import MediaTypes

/// Validates audio settings against the input format.
package enum AudioSettingsRules {
    /// The sample rates of AAC (ISO/IEC 14496-3, table 1.18) that the encoder accepts.
    package static let aacRates = [
        8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000,
    ]

    /// The sample rate at which files count the audio frames of Opus (Encapsulation of Opus in ISOBMFF, 4.3.1).
    package static let opusRate = 48_000

    /// Returns the format to store, without the codec's configuration bytes.
    ///
    /// - Throws: `invalidSettings`, which names the setting; `unsupported` for a codec that cannot be encoded.
    static func output(_ settings: AudioSettings, input: AudioFormat) throws(MediaError) -> AudioFormat {
        try checkInput(input)
        let channels = settings.channelCount ?? input.channelCount
        guard channels >= 1 else { throw invalid("\(channels) channels", "there must be at least one") }
        guard channels <= CodecChannelOrder.greatestCount(settings.codec) else {
            throw tooMany(channels, settings.codec)
        }
        let layout = settings.layout ?? (channels == input.channelCount ? input.layout : nil)
        if let layout, layout.channelCount != channels {
            throw invalid("\(channels) channels as \(layout.rawValue)", "that layout has \(layout.channelCount)")
        }
        guard channels <= 2 || layout != nil else {
            throw invalid("\(channels) channels", "more than two need a channel layout, such as .discrete")
        }
        let rate = settings.sampleRate ?? input.sampleRate
        guard (8000...192_000).contains(rate) else { throw invalid("\(rate) Hz", "the range is 8000 to 192000 Hz") }
        try checkCodec(settings, rate: rate, channels: channels)
        return AudioFormat(
            codec: settings.codec, sampleRate: rate, channelCount: channels, layout: layout,
            pcm: settings.codec == .linearPCM ? settings.pcm ?? .s16 : nil,
            framesPerPacket: settings.codec == .linearPCM ? 1 : 0, isBigEndian: settings.isBigEndian)
    }

    /// Returns the error for more channels than a codec supports.
    static func tooMany(_ channels: Int, _ codec: AudioCodec) -> MediaError {
        let most = CodecChannelOrder.greatestCount(codec)
        return MediaError(
            .invalidSettings, "cannot encode \(channels) channels as \(codec)",
            reason: "\(codec) supports at most \(most)",
            wayOut: most < 64 ? "use pcm (in .mov) or opus for up to 64" : "record fewer channels")
    }

    private static func checkInput(_ input: AudioFormat) throws(MediaError) {
        guard input.codec == .linearPCM, input.pcm != nil else {
            throw invalid("\(input.codec) audio", "the input must be linear PCM")
        }
        guard (1...64).contains(input.channelCount), (1...768_000).contains(input.sampleRate) else {
            throw invalid(
                "audio of \(input.channelCount) channels at \(input.sampleRate) Hz",
                "the limits are 1 to 64 channels and 1 to 768000 Hz")
        }
        if let layout = input.layout, layout.channelCount != input.channelCount {
            throw invalid(
                "audio of \(input.channelCount) channels as \(layout.rawValue)",
                "that layout has \(layout.channelCount)")
        }
    }

    private static func checkCodec(_ settings: AudioSettings, rate: Int, channels: Int) throws(MediaError) {
        let codec = settings.codec
        guard [.linearPCM, .aac, .alac, .flac, .opus].contains(codec) else {
            throw MediaError(
                .unsupported, "cannot encode \(codec)", reason: "it is not one of aac, alac, flac, opus and pcm")
        }
        guard settings.isInterleaved else {
            throw invalid("audio with isInterleaved false", "movies store the channels interleaved")
        }
        if settings.isBigEndian, codec != .linearPCM {
            throw invalid("big-endian \(codec)", "only pcm has a byte order")
        }
        if let depth = settings.bitDepth {
            guard codec == .alac || codec == .flac else {
                throw invalid("a bit depth of \(depth) as \(codec)", "only alac and flac have one")
            }
            guard depth == 16 || depth == 24 else { throw invalid("a bit depth of \(depth)", "\(codec) has 16 or 24") }
        }
        if codec == .opus { return try checkOpus(settings, rate: rate, channels: channels) }
        guard codec == .aac else { return }
        guard aacRates.contains(rate) else {
            let rates = aacRates.map(String.init).joined(separator: ", ")
            throw invalid("\(rate) Hz as aac", "the supported rates are \(rates)")
        }
        if let bits = settings.bitRate {
            // A packet of 1024 frames can contain at most 6144 bits per channel (ISO/IEC 14496-3, 4.5.3.1). With less
            // than 8 kbit/s per channel the encoder exceeds the bit rate.
            let (least, most) = (8000 * channels, 6 * rate * channels)
            guard (least...most).contains(bits) else {
                throw invalid(
                    "a bit rate of \(bits) as aac",
                    "\(channels) \(channels == 1 ? "channel" : "channels") at \(rate) Hz can have "
                        + "\(least) to \(most) bit/s")
            }
        }
    }

    private static func checkOpus(_ settings: AudioSettings, rate: Int, channels: Int) throws(MediaError) {
        guard rate == opusRate else { throw invalid("\(rate) Hz as opus", "opus is always stored at \(opusRate) Hz") }
        guard let bits = settings.bitRate else { return }
        // 256,000 is libopus' maximum per channel (opus_defines.h, OPUS_SET_BITRATE). Below 6000, speech is not
        // preserved.
        let (least, most) = (6000 * channels, 256_000 * channels)
        guard (least...most).contains(bits) else {
            throw invalid(
                "a bit rate of \(bits) as opus",
                "\(channels) \(channels == 1 ? "channel" : "channels") can have \(least) to \(most) bit/s")
        }
    }

    private static func invalid(_ what: String, _ reason: String) -> MediaError {
        MediaError(.invalidSettings, "cannot encode \(what)", reason: reason)
    }
}
