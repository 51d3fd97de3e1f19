import MediaCodecs
import MediaTypes

/// The requirements for an input's settings and hint, checked before an encoder is opened.
enum SettingsRules {
    /// Returns the name of a setting that is missing or contradicts another; nil if there is none. Encoders check their
    /// own settings later.
    static func fault(_ mediaType: MediaType, _ settings: OutputSettings?, hint: FormatDescription?) -> String? {
        if let settings, settings.mediaType != mediaType { return "its outputSettings are for \(settings.mediaType)" }
        if let hint, hint.mediaType != mediaType { return "its sourceFormatHint is for \(hint.mediaType)" }
        switch mediaType {
        case .video, .audio: break
        case .timecode, .text:
            return hint == nil ? "sourceFormatHint is missing; it must describe the input's samples" : nil
        case .metadata:
            guard let format = hint?.metadata else {
                return "sourceFormatHint is missing; it must contain the keys of the input's samples"
            }
            return format.fault.map { "its sourceFormatHint is invalid: \($0)" }
        }
        switch settings {
        case .video(let video): return fault(video, hint: hint?.video)
        case .audio(let audio): return fault(audio, hint: hint?.audio)
        case nil: return nil
        }
    }

    private static func fault(_ settings: VideoSettings, hint: VideoFormat?) -> String? {
        guard let width = settings.width ?? hint?.width else {
            return "width is neither in the settings nor in a hint"
        }
        guard let height = settings.height ?? hint?.height else {
            return "height is neither in the settings nor in a hint"
        }
        guard width > 0, height > 0 else { return "width and height of \(width)×\(height) are not positive" }
        let lengths = 1...FrameScaler.greatestLength
        if let hint, !lengths.contains(hint.width) || !lengths.contains(hint.height) {
            return
                "width and height of the hint, \(hint.width)×\(hint.height), are not between 1 and \(lengths.upperBound)"
        }
        return nil
    }

    private static func fault(_ settings: AudioSettings, hint: AudioFormat?) -> String? {
        guard let rate = settings.sampleRate ?? hint?.sampleRate else {
            return "sampleRate is neither in the settings nor in a hint"
        }
        // An encoder that waits for the format of its first sample checks its settings late. Values that no encoder
        // accepts are refused here.
        guard (1...768_000).contains(rate) else { return "sampleRate, \(rate), is not between 1 and 768,000" }
        guard let channels = settings.channelCount ?? hint?.channelCount else {
            return "channelCount is neither in the settings nor in a hint"
        }
        guard (1...64).contains(channels) else { return "channelCount, \(channels), is not between 1 and 64" }
        let layout = settings.layout ?? (channels == hint?.channelCount ? hint?.layout : nil)
        if channels > 2, layout == nil { return "layout is missing; more than two channels need one" }
        if let layout, layout.channelCount != channels {
            return "layout \(layout.rawValue) has \(layout.channelCount) channels, but channelCount is \(channels)"
        }
        return nil
    }
}
