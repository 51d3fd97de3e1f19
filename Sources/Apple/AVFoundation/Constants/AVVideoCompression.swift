// Keys of `AVVideoCompressionPropertiesKey`, and their values. Video Toolbox defines more keys, named `kVT…`.

/// The average bit rate in bits per second.
public let AVVideoAverageBitRateKey: String = "AverageBitRate"
/// A quality from 0 to 1.
public let AVVideoQualityKey: String = "Quality"
/// The maximum number of frames from one keyframe to the next.
public let AVVideoMaxKeyFrameIntervalKey: String = "MaxKeyFrameInterval"
/// The maximum time from one keyframe to the next, in seconds.
public let AVVideoMaxKeyFrameIntervalDurationKey: String = "MaxKeyFrameIntervalDuration"
public let AVVideoAllowFrameReorderingKey: String = "AllowFrameReordering"
public let AVVideoProfileLevelKey: String = "ProfileLevel"
public let AVVideoH264EntropyModeKey: String = "H264EntropyMode"
/// The expected frame rate of the source, in frames per second.
public let AVVideoExpectedSourceFrameRateKey: String = "ExpectedFrameRate"
/// The average rate of the frames that a decoder must not drop, in frames per second.
public let AVVideoAverageNonDroppableFrameRateKey: String = "AverageNonDroppableFrameRate"

// Values of `AVVideoProfileLevelKey`.

public let AVVideoProfileLevelH264Baseline30: String = "H264_Baseline_3_0"
public let AVVideoProfileLevelH264Baseline31: String = "H264_Baseline_3_1"
public let AVVideoProfileLevelH264Baseline41: String = "H264_Baseline_4_1"
public let AVVideoProfileLevelH264BaselineAutoLevel: String = "H264_Baseline_AutoLevel"
public let AVVideoProfileLevelH264Main30: String = "H264_Main_3_0"
public let AVVideoProfileLevelH264Main31: String = "H264_Main_3_1"
public let AVVideoProfileLevelH264Main32: String = "H264_Main_3_2"
public let AVVideoProfileLevelH264Main41: String = "H264_Main_4_1"
public let AVVideoProfileLevelH264MainAutoLevel: String = "H264_Main_AutoLevel"
public let AVVideoProfileLevelH264High40: String = "H264_High_4_0"
public let AVVideoProfileLevelH264High41: String = "H264_High_4_1"
public let AVVideoProfileLevelH264HighAutoLevel: String = "H264_High_AutoLevel"

// Values of `AVVideoH264EntropyModeKey`.

public let AVVideoH264EntropyModeCAVLC: String = "CAVLC"
public let AVVideoH264EntropyModeCABAC: String = "CABAC"
