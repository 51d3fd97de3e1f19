// Keys of audio settings, and their values.

/// An `AudioFormatID`.
public let AVFormatIDKey: String = "AVFormatIDKey"
/// The sample rate in audio frames per second.
public let AVSampleRateKey: String = "AVSampleRateKey"
public let AVNumberOfChannelsKey: String = "AVNumberOfChannelsKey"
/// The bytes of an `AudioChannelLayout`, as `Data`.
public let AVChannelLayoutKey: String = "AVChannelLayoutKey"
public let AVAudioFileTypeKey: String = "AVAudioFileTypeKey"

// Keys for linear PCM.

/// The bit depth: 8, 16, 24 or 32, and 64 for floating point.
public let AVLinearPCMBitDepthKey: String = "AVLinearPCMBitDepthKey"
public let AVLinearPCMIsBigEndianKey: String = "AVLinearPCMIsBigEndianKey"
public let AVLinearPCMIsFloatKey: String = "AVLinearPCMIsFloatKey"
public let AVLinearPCMIsNonInterleaved: String = "AVLinearPCMIsNonInterleaved"

// Keys for encoders.

/// An `AVAudioQuality`.
public let AVEncoderAudioQualityKey: String = "AVEncoderQualityKey"
public let AVEncoderAudioQualityForVBRKey: String = "AVEncoderQualityForVBRKey"
/// The bit rate in bits per second.
public let AVEncoderBitRateKey: String = "AVEncoderBitRateKey"
public let AVEncoderBitRatePerChannelKey: String = "AVEncoderBitRatePerChannelKey"
public let AVEncoderBitRateStrategyKey: String = "AVEncoderBitRateStrategyKey"
/// The source's number of bits per sample, 8 to 32.
public let AVEncoderBitDepthHintKey: String = "AVEncoderBitDepthHintKey"
public let AVEncoderDynamicRangeControlConfigurationKey: String = "AVEncoderDynamicRangeControlConfigurationKey"
public let AVEncoderContentSourceKey: String = "AVEncoderContentSourceKey"

public let AVAudioBitRateStrategy_Constant: String = "AVAudioBitRateStrategy_Constant"
public let AVAudioBitRateStrategy_LongTermAverage: String = "AVAudioBitRateStrategy_LongTermAverage"
public let AVAudioBitRateStrategy_VariableConstrained: String = "AVAudioBitRateStrategy_VariableConstrained"
public let AVAudioBitRateStrategy_Variable: String = "AVAudioBitRateStrategy_Variable"

// Keys for sample rate conversion.

public let AVSampleRateConverterAudioQualityKey: String = "AVSampleRateConverterAudioQualityKey"
public let AVSampleRateConverterAlgorithmKey: String = "AVSampleRateConverterAlgorithmKey"
public let AVSampleRateConverterAlgorithm_Normal: String = "AVSampleRateConverterAlgorithm_Normal"
public let AVSampleRateConverterAlgorithm_Mastering: String = "AVSampleRateConverterAlgorithm_Mastering"
public let AVSampleRateConverterAlgorithm_MinimumPhase: String = "AVSampleRateConverterAlgorithm_MinimumPhase"

/// The quality of an encoder or a conversion.
public enum AVAudioQuality: Int, Sendable {
    case min = 0
    case low = 0x20
    case medium = 0x40
    case high = 0x60
    case max = 0x7F
}
