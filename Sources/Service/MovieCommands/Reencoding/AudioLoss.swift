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
            let line = CodecChannelOrder.loss(
                stored.codec, layout: stored.layout, channelCount: stored.channelCount ?? format.channelCount)
            if let line, !lines.contains(line) { lines.append(line) }
        }
        return lines
    }
}
