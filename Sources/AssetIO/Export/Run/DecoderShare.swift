/// How many threads decode while x264's encode. A pure rule.
///
/// Decoding takes a small part of the work: as many threads as processors would only hold a picture each, and cost a
/// twentieth more CPU time in switching between them (docs/decisions/reencode.md).
enum DecoderShare {
    /// Presets that encode about as fast as is decoded.
    private static let quickPresets: Set<String> = ["ultrafast", "superfast"]
    /// Codecs that take about twice as long to decode as H.264 does.
    private static let heavyCodecs: Set<String> = ["hevc", "vp9", "av1", "prores"]

    static func threads(codec: String, preset: String, processors: Int) -> Int {
        var share = 0.25
        if heavyCodecs.contains(codec) { share *= 2 }
        if quickPresets.contains(preset) { share *= 2 }
        return max(1, Int((Double(processors) * share).rounded()))
    }
}
