import MediaTypes

/// A configuration while its words are being read: what only means something together is kept apart until the end.
struct RecordingDraft {
    var configuration = RecordingConfiguration()
    var codec = VideoCodecChoice.h264
    var preset: String?
    var crf: Double?
    var bitRate: Int?
    var keyFrameInterval: MediaTime?
    var audioCodec = AudioCodecChoice.aac
    var audioBitRate: Int?
    var channels: Int?
    var sampleRate: Int?

    /// - Throws: for what contradicts itself, with the keys.
    func finished() throws(OptionError) -> RecordingConfiguration {
        var configuration = configuration
        configuration.video = try EncodingText.video(
            codec, preset: preset, crf: crf, bitRate: bitRate, keyFrameInterval: keyFrameInterval)
        configuration.audio = try EncodingText.audio(
            audioCodec, bitRate: audioBitRate, channels: channels, sampleRate: sampleRate)
        try configuration.validate()
        return configuration
    }
}
