import MediaCodecs
package import MediaTypes

/// Completes audio settings from the source, within the limits of the encoder. A pure rule.
package enum AudioFit {
    /// Fills in sample rate, channels, layout and, for linear PCM, the sample format. Settings without a channel count
    /// get the source's channels, so that audio is mixed only on request.
    ///
    /// - Parameter bitRateIsPerChannel: true if the settings' bit rate is for one channel.
    package static func settings(
        _ wanted: AudioSettings, source: AudioFormat, bitRateIsPerChannel: Bool = false
    ) -> AudioSettings {
        var settings = wanted
        let channels = max(1, settings.channelCount ?? settings.layout?.channelCount ?? source.channelCount)
        settings.channelCount = channels
        settings.layout = settings.layout ?? layout(of: source, channels: channels)
        if settings.codec == .linearPCM { settings.pcm = settings.pcm ?? sampleFormat(of: source) }
        let rate = settings.sampleRate ?? source.sampleRate
        settings.sampleRate =
            switch settings.codec {
            // The next higher rate, so that nothing audible is lost.
            case .aac: AudioSettingsRules.aacRates.first { $0 >= rate } ?? 96_000
            case .opus: AudioSettingsRules.opusRate
            default: min(192_000, max(8000, rate))
            }
        if settings.codec == .opus, let bits = settings.bitRate {
            let channels = settings.channelCount ?? channels
            settings.bitRate = min(
                256_000 * channels, max(6000 * channels, bitRateIsPerChannel ? bits * channels : bits))
        }
        if settings.codec == .aac, let bits = settings.bitRate {
            let channels = settings.channelCount ?? channels
            // The same limits as in `AudioSettingsRules`.
            let most = 6 * (settings.sampleRate ?? 48_000) * channels
            settings.bitRate = min(most, max(8000 * channels, bitRateIsPerChannel ? bits * channels : bits))
        }
        return settings
    }

    private static func layout(of source: AudioFormat, channels: Int) -> ChannelLayout {
        let stated = source.statedLayout?.inUsualOrder
        if channels == source.channelCount { return stated ?? .discrete(channels) }
        // Channels without loudspeakers are distributed over the new ones. None of these may be a low-frequency
        // channel, because a voice would be lost there.
        if channels > 2, stated?.mask == nil { return .discrete(channels) }
        return ChannelLayout.allCases.first { $0.channelCount == channels } ?? .discrete(channels)
    }

    /// Returns the sample format in which decoded audio reaches the encoder without loss. Floating-point audio stays as
    /// it is, because only the encoder counts the values that no integer can represent.
    static func sampleFormat(for settings: AudioSettings, source: AudioFormat) -> PCMSampleFormat {
        if settings.codec == .aac || settings.codec == .opus { return .float32 }
        let own = sampleFormat(of: source)
        return own.isFloatingPoint ? own : settings.pcm ?? own
    }

    /// Returns the smallest sample format of at least 16 bits that keeps the source without loss. Audio from lossy
    /// compression has nothing worth keeping beyond 16 bits.
    package static func sampleFormat(of source: AudioFormat) -> PCMSampleFormat {
        let depth: Int
        switch source.codec {
        case .linearPCM: return source.pcm == .s8 ? .s16 : source.pcm ?? .s16
        case .alac: depth = alacDepth(source.decoderConfiguration)
        case .flac: depth = flacDepth(source.decoderConfiguration)
        default: return .s16
        }
        return depth > 24 ? .s32 : depth > 16 ? .s24 : .s16
    }

    /// Reads byte 5 of the magic cookie (Apple, ALACMagicCookieDescription, "ALACSpecificConfig"), which may follow the
    /// header of its atom.
    private static func alacDepth(_ cookie: [UInt8]) -> Int {
        let start = cookie.count >= 36 && Array(cookie[4..<8]) == Array("alac".utf8) ? 12 : 0
        return cookie.count > start + 5 ? Int(cookie[start + 5]) : 32
    }

    /// Reads five bits after the sample rate and the channel count (RFC 9639, 8.2).
    private static func flacDepth(_ streamInfo: [UInt8]) -> Int {
        guard streamInfo.count >= 14 else { return 32 }
        return Int(streamInfo[12] & 1) << 4 + Int(streamInfo[13] >> 4) + 1
    }
}
