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
            for line in [channels, depth(stored, format)].compactMap(\.self) where !lines.contains(line) {
                lines.append(line)
            }
        }
        return lines
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
