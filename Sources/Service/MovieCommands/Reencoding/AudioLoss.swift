import AssetIO
import CommandInterface
import MediaCodecs
import MediaTypes

/// Describes what the audio of a copy lacks because of its encoding. A pure rule.
enum AudioLoss {
    /// Returns the descriptions for tracks of these formats, one line each.
    static func lines(_ wanted: AudioSettings, _ formats: [AudioFormat]) -> [String] {
        var lines: [String] = []
        for format in formats {
            let stored = AudioFit.settings(wanted, source: format)
            let channels = CodecChannelOrder.loss(
                stored.codec, layout: stored.layout, channelCount: stored.channelCount ?? format.channelCount)
            let losses = [channels, depth(stored, format), rate(stored, format), bitRate(wanted, stored)]
            for line in losses.compactMap(\.self) where !lines.contains(line) { lines.append(line) }
        }
        return lines
    }

    private static func rate(_ stored: AudioSettings, _ source: AudioFormat) -> String? {
        guard let rate = stored.sampleRate, rate < source.sampleRate else { return nil }
        let line =
            "the sample rate of \(NumberText.sampleRate(source.sampleRate)): \(stored.codec) is stored at "
            + NumberText.sampleRate(rate)
        let isLossy = stored.codec == .aac || stored.codec == .opus
        return isLossy ? line + "; use --audio-codec alac, flac or pcm for up to 192 kHz" : line
    }

    private static func bitRate(_ wanted: AudioSettings, _ stored: AudioSettings) -> String? {
        guard let bits = wanted.bitRate, let own = stored.bitRate, own != bits else { return nil }
        return "the audio bit rate of \(NumberText.grouped(Int64(bits))) bit/s: \(stored.codec) has at "
            + "\(own < bits ? "most" : "least") \(NumberText.grouped(Int64(own))) bit/s with "
            + "\(NumberText.channels(stored.channelCount ?? 2)) at \(NumberText.sampleRate(stored.sampleRate ?? 48_000))"
    }

    /// Lossy codecs have no bit depth.
    private static func depth(_ stored: AudioSettings, _ source: AudioFormat) -> String? {
        let form = AudioFit.sampleFormat(of: source)
        let kept: Int
        switch stored.codec {
        case .alac, .flac: kept = stored.bitDepth ?? 24
        case .linearPCM: kept = (stored.pcm ?? .s16).byteCount * 8
        default: return nil
        }
        guard form.byteCount * 8 > kept else { return nil }
        let samples = "\(form.byteCount * 8)-bit \(form.isFloatingPoint ? "floating-point" : "integer") samples"
        return "\(samples): \(stored.codec) stores \(kept) bits" + (kept == 24 ? "; --audio-codec pcm keeps them" : "")
    }
}
