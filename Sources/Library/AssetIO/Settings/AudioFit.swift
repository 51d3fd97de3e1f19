import MediaCodecs
package import MediaTypes

/// Completes audio settings from the source, within the limits of the encoder. A pure rule.
package enum AudioFit {
    /// Fills in sample rate, channels and layout. Settings without a channel count get the source's channels, so that
    /// audio is mixed only on request.
    ///
    /// - Parameter bitRateIsPerChannel: true if the settings' bit rate is for one channel.
    package static func settings(
        _ wanted: AudioSettings, source: AudioFormat, bitRateIsPerChannel: Bool = false
    ) -> AudioSettings {
        var settings = wanted
        let channels = max(1, settings.channelCount ?? settings.layout?.channelCount ?? source.channelCount)
        settings.channelCount = channels
        settings.layout = settings.layout ?? layout(of: source, channels: channels)
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

    /// Returns the sample format in which decoded audio reaches the encoder without loss.
    static func sampleFormat(for settings: AudioSettings, source: AudioFormat) -> PCMSampleFormat {
        if settings.codec == .aac || settings.codec == .opus { return .float32 }
        // Audio from lossy compression has nothing worth keeping beyond 16 bits.
        guard source.codec == .linearPCM || source.codec == .alac || source.codec == .flac else {
            return settings.pcm ?? .s16
        }
        return settings.pcm ?? source.pcm ?? .s32
    }
}
