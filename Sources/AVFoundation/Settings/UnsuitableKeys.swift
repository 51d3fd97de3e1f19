import AssetIO
import MediaTypes

/// Keys of settings that are meant for another kind of track, or for the other end of a movie's way.
enum UnsuitableKeys {
    private static let audio: Set<String> = [
        AVFormatIDKey, AVSampleRateKey, AVNumberOfChannelsKey, AVChannelLayoutKey, AVLinearPCMBitDepthKey,
        AVLinearPCMIsBigEndianKey, AVLinearPCMIsFloatKey, AVLinearPCMIsNonInterleaved, AVEncoderBitRateKey,
        AVEncoderBitRatePerChannelKey, AVEncoderBitRateStrategyKey, AVEncoderBitDepthHintKey, AVEncoderAudioQualityKey,
        AVEncoderAudioQualityForVBRKey, AVSampleRateConverterAlgorithmKey, AVSampleRateConverterAudioQualityKey,
    ]
    private static let video: Set<String> = [
        AVVideoCodecKey, AVVideoWidthKey, AVVideoHeightKey, AVVideoScalingModeKey, AVVideoPixelAspectRatioKey,
        AVVideoCleanApertureKey, AVVideoCompressionPropertiesKey, AVVideoColorPropertiesKey,
        kCVPixelBufferPixelFormatTypeKey, kCVPixelBufferWidthKey, kCVPixelBufferHeightKey,
    ]
    /// Encoders are the writer's.
    private static let encoding: Set<String> = [
        AVVideoCodecKey, AVVideoCompressionPropertiesKey, AVEncoderBitRateKey, AVEncoderBitRatePerChannelKey,
        AVEncoderBitRateStrategyKey, AVEncoderBitDepthHintKey, AVEncoderAudioQualityKey, AVEncoderAudioQualityForVBRKey,
    ]

    /// - Throws: every key that does not belong to a track of the type.
    ///
    /// - Parameter isReading: the settings are a reader's: what samples are decoded to.
    static func check(_ words: [String: Any], for type: AVMediaType, isReading: Bool) throws(SettingsFaults) {
        var faults: [SettingsFault] = []
        for key in words.keys.sorted() {
            if type == .video, audio.contains(key) {
                faults.append(SettingsFault(key: key, reason: "it is a setting of audio, and the track is video"))
            } else if type == .audio, video.contains(key) {
                faults.append(SettingsFault(key: key, reason: "it is a setting of video, and the track is audio"))
            } else if isReading, encoding.contains(key) {
                faults.append(
                    SettingsFault(key: key, reason: "a reader decodes; only a writer takes settings of an encoder"))
            } else if key == AVSampleRateConverterAudioQualityKey {
                faults.append(
                    SettingsFault(key: key, reason: "it is not supported; \(AVSampleRateConverterAlgorithmKey) is"))
            }
        }
        if !faults.isEmpty { throw SettingsFaults(list: faults) }
    }
}
