import AssetIO
import MediaTypes

/// Finds settings keys that are not suitable: keys for another media type, keys for writing in a reader's settings, and
/// keys for reading in a writer's settings.
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
    /// Keys for encoders. Only a writer has these.
    private static let encoding: Set<String> = [
        AVVideoCodecKey, AVVideoCompressionPropertiesKey, AVEncoderBitRateKey, AVEncoderBitRatePerChannelKey,
        AVEncoderBitRateStrategyKey, AVEncoderBitDepthHintKey, AVEncoderAudioQualityKey, AVEncoderAudioQualityForVBRKey,
    ]

    /// Keys for the form of written frames. Readers scale to the width and height of Core Video's keys.
    private static let drawing: Set<String> = [
        AVVideoWidthKey, AVVideoHeightKey, AVVideoScalingModeKey, AVVideoPixelAspectRatioKey, AVVideoCleanApertureKey,
    ]

    /// Checks that every key of the settings is suitable for the media type.
    ///
    /// - Parameter isReading: true if the settings are a reader's, for decoded samples.
    /// - Throws: an error for each key that is not suitable.
    static func check(_ words: [String: Any], for type: AVMediaType, isReading: Bool) throws(SettingsFaults) {
        var faults: [SettingsFault] = []
        for key in words.keys.sorted() {
            if type == .video, audio.contains(key) {
                faults.append(SettingsFault(key: key, reason: "it is an audio setting, but the track is video"))
            } else if type == .audio, video.contains(key) {
                faults.append(SettingsFault(key: key, reason: "it is a video setting, but the track is audio"))
            } else if isReading, encoding.contains(key) {
                faults.append(
                    SettingsFault(key: key, reason: "it is an encoder setting, which only a writer accepts"))
            } else if isReading, drawing.contains(key) {
                let way = [AVVideoWidthKey: kCVPixelBufferWidthKey, AVVideoHeightKey: kCVPixelBufferHeightKey][key]
                faults.append(
                    SettingsFault(
                        key: key, reason: "a reader does not support it" + (way.map { "; use \($0)" } ?? "")))
            } else if key == AVSampleRateConverterAudioQualityKey {
                faults.append(
                    SettingsFault(key: key, reason: "it is not supported; use \(AVSampleRateConverterAlgorithmKey)"))
            }
        }
        if !faults.isEmpty { throw SettingsFaults(list: faults) }
    }
}
