import AVFoundation

/// Listing 19: a writer with settings that an assistant chose for a source.
struct AssistedWriter {
    let writer: AVAssetWriter
    let audioInput: AVAssetWriterInput
    let videoInput: AVAssetWriterInput

    /// - Parameters:
    ///   - audio: the format of the audio that will be appended.
    ///   - video: the format of the frames that will be appended.
    /// - Returns: nil if there is no such preset, and if no file can be made at `url`.
    init?(
        _ preset: AVOutputSettingsPreset, _ url: URL, audio: CMAudioFormatDescription?,
        video: CMVideoFormatDescription?, averageFrameDuration: CMTime, minFrameDuration: CMTime
    ) {
        guard let assistant = AVOutputSettingsAssistant(preset: preset) else { return nil }
        if let audio { assistant.sourceAudioFormat = audio }
        if let video { assistant.sourceVideoFormat = video }
        assistant.sourceVideoAverageFrameDuration = averageFrameDuration
        assistant.sourceVideoMinFrameDuration = minFrameDuration
        guard let writer = try? AVAssetWriter(url: url, fileType: assistant.outputFileType) else { return nil }
        self.writer = writer
        audioInput = AVAssetWriterInput(
            mediaType: .audio, outputSettings: assistant.audioSettings, sourceFormatHint: audio)
        videoInput = AVAssetWriterInput(
            mediaType: .video, outputSettings: assistant.videoSettings, sourceFormatHint: video)
    }
}
