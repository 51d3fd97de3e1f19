// Properties of a compression session. They are used in `AVVideoCompressionPropertiesKey`, together with AVFoundation’s
// own keys. Several keys of the two frameworks have the same value.

public let kVTCompressionPropertyKey_AllowFrameReordering: CFString = "AllowFrameReordering"
public let kVTCompressionPropertyKey_AllowOpenGOP: CFString = "AllowOpenGOP"
public let kVTCompressionPropertyKey_AllowTemporalCompression: CFString = "AllowTemporalCompression"
public let kVTCompressionPropertyKey_AlphaChannelMode: CFString = "AlphaChannelMode"
public let kVTCompressionPropertyKey_AmbientViewingEnvironment: CFString = "AmbientViewingEnvironment"
public let kVTCompressionPropertyKey_AspectRatio16x9: CFString = "AspectRatio16x9"
public let kVTCompressionPropertyKey_AverageBitRate: CFString = "AverageBitRate"
public let kVTCompressionPropertyKey_AverageNonDroppableFrameRate: CFString = "AverageNonDroppableFrameRate"
public let kVTCompressionPropertyKey_BaseLayerBitRateFraction: CFString = "BaseLayerBitRateFraction"
public let kVTCompressionPropertyKey_BaseLayerFrameRate: CFString = "BaseLayerFrameRate"
public let kVTCompressionPropertyKey_BaseLayerFrameRateFraction: CFString = "BaseLayerFrameRateFraction"
public let kVTCompressionPropertyKey_CleanAperture: CFString = "CleanAperture"
public let kVTCompressionPropertyKey_ColorPrimaries: CFString = "ColorPrimaries"
public let kVTCompressionPropertyKey_ConstantBitRate: CFString = "ConstantBitRate"
public let kVTCompressionPropertyKey_ContentLightLevelInfo: CFString = "ContentLightLevelInfo"
public let kVTCompressionPropertyKey_DataRateLimits: CFString = "DataRateLimits"
public let kVTCompressionPropertyKey_Depth: CFString = "Depth"
public let kVTCompressionPropertyKey_EnableLTR: CFString = "EnableLTR"
public let kVTCompressionPropertyKey_EncoderID: CFString = "EncoderID"
public let kVTCompressionPropertyKey_EstimatedAverageBytesPerFrame: CFString = "EstimatedAverageBytesPerFrame"
public let kVTCompressionPropertyKey_ExpectedDuration: CFString = "ExpectedDuration"
public let kVTCompressionPropertyKey_ExpectedFrameRate: CFString = "ExpectedFrameRate"
public let kVTCompressionPropertyKey_FieldCount: CFString = "FieldCount"
public let kVTCompressionPropertyKey_FieldDetail: CFString = "FieldDetail"
public let kVTCompressionPropertyKey_GammaLevel: CFString = "GammaLevel"
public let kVTCompressionPropertyKey_H264EntropyMode: CFString = "H264EntropyMode"
public let kVTCompressionPropertyKey_HasLeftStereoEyeView: CFString = "HasLeftStereoEyeView"
public let kVTCompressionPropertyKey_HasRightStereoEyeView: CFString = "HasRightStereoEyeView"
public let kVTCompressionPropertyKey_HDRMetadataInsertionMode: CFString = "HDRMetadataInsertionMode"
public let kVTCompressionPropertyKey_HeroEye: CFString = "HeroEye"
public let kVTCompressionPropertyKey_HorizontalDisparityAdjustment: CFString = "HorizontalDisparityAdjustment"
public let kVTCompressionPropertyKey_ICCProfile: CFString = "ICCProfile"
public let kVTCompressionPropertyKey_InputQueueMaxCount: CFString = "InputQueueMaxCount"
public let kVTCompressionPropertyKey_MasteringDisplayColorVolume: CFString = "MasteringDisplayColorVolume"
public let kVTCompressionPropertyKey_MaxAllowedFrameQP: CFString = "MaxAllowedFrameQP"
public let kVTCompressionPropertyKey_MaxFrameDelayCount: CFString = "MaxFrameDelayCount"
public let kVTCompressionPropertyKey_MaxH264SliceBytes: CFString = "MaxH264SliceBytes"
public let kVTCompressionPropertyKey_MaximizePowerEfficiency: CFString = "MaximizePowerEfficiency"
public let kVTCompressionPropertyKey_MaximumRealTimeFrameRate: CFString = "MaximumRealTimeFrameRate"
public let kVTCompressionPropertyKey_MaxKeyFrameInterval: CFString = "MaxKeyFrameInterval"
public let kVTCompressionPropertyKey_MaxKeyFrameIntervalDuration: CFString = "MaxKeyFrameIntervalDuration"
public let kVTCompressionPropertyKey_MinAllowedFrameQP: CFString = "MinAllowedFrameQP"
public let kVTCompressionPropertyKey_MoreFramesAfterEnd: CFString = "MoreFramesAfterEnd"
public let kVTCompressionPropertyKey_MoreFramesBeforeStart: CFString = "MoreFramesBeforeStart"
public let kVTCompressionPropertyKey_MultiPassStorage: CFString = "MultiPassStorage"
public let kVTCompressionPropertyKey_MVHEVCLeftAndRightViewIDs: CFString = "MVHEVCLeftAndRightViewIDs"
public let kVTCompressionPropertyKey_MVHEVCVideoLayerIDs: CFString = "MVHEVCVideoLayerIDs"
public let kVTCompressionPropertyKey_MVHEVCViewIDs: CFString = "MVHEVCViewIDs"
public let kVTCompressionPropertyKey_NumberOfParallelCores: CFString = "NumberOfParallelCores"
public let kVTCompressionPropertyKey_NumberOfPendingFrames: CFString = "NumberOfPendingFrames"
public let kVTCompressionPropertyKey_NumberOfSlices: CFString = "NumberOfSlices"
public let kVTCompressionPropertyKey_OutputBitDepth: CFString = "OutputBitDepth"
public let kVTCompressionPropertyKey_PixelAspectRatio: CFString = "PixelAspectRatio"
public let kVTCompressionPropertyKey_PixelBufferPoolIsShared: CFString = "PixelBufferPoolIsShared"
public let kVTCompressionPropertyKey_PixelTransferProperties: CFString = "PixelTransferProperties"
public let kVTCompressionPropertyKey_PreserveAlphaChannel: CFString = "PreserveAlphaChannel"
public let kVTCompressionPropertyKey_PreserveDynamicHDRMetadata: CFString = "PreserveDynamicHDRMetadata"
public let kVTCompressionPropertyKey_PrioritizeEncodingSpeedOverQuality: CFString = "PrioritizeEncodingSpeedOverQuality"
public let kVTCompressionPropertyKey_ProfileLevel: CFString = "ProfileLevel"
public let kVTCompressionPropertyKey_ProgressiveScan: CFString = "ProgressiveScan"
public let kVTCompressionPropertyKey_Quality: CFString = "Quality"
public let kVTCompressionPropertyKey_RealTime: CFString = "RealTime"
public let kVTCompressionPropertyKey_RecommendedParallelizationLimit: CFString = "RecommendedParallelizationLimit"
public let kVTCompressionPropertyKey_ReferenceBufferCount: CFString = "ReferenceBufferCount"
public let kVTCompressionPropertyKey_SourceFrameCount: CFString = "SourceFrameCount"
public let kVTCompressionPropertyKey_SpatialAdaptiveQPLevel: CFString = "SpatialAdaptiveQPLevel"
public let kVTCompressionPropertyKey_StereoCameraBaseline: CFString = "StereoCameraBaseline"
public let kVTCompressionPropertyKey_SuggestedLookAheadFrameCount: CFString = "SuggestedLookAheadFrameCount"
public let kVTCompressionPropertyKey_SupportedPresetDictionaries: CFString = "SupportedPresetDictionaries"
public let kVTCompressionPropertyKey_SupportsBaseFrameQP: CFString = "SupportsBaseFrameQP"
public let kVTCompressionPropertyKey_TargetQualityForAlpha: CFString = "TargetQualityForAlpha"
public let kVTCompressionPropertyKey_TransferFunction: CFString = "TransferFunction"
public let kVTCompressionPropertyKey_UsingGPURegistryID: CFString = "UsingGPURegistryID"
public let kVTCompressionPropertyKey_UsingHardwareAcceleratedVideoEncoder: CFString =
    "UsingHardwareAcceleratedVideoEncoder"
public let kVTCompressionPropertyKey_VBVBufferDuration: CFString = "VBVBufferDuration"
public let kVTCompressionPropertyKey_VBVInitialDelayPercentage: CFString = "VBVInitialDelayPercentage"
public let kVTCompressionPropertyKey_VBVMaxBitRate: CFString = "VBVMaxBitRate"
public let kVTCompressionPropertyKey_VideoEncoderPixelBufferAttributes: CFString = "VideoEncoderPixelBufferAttributes"
public let kVTCompressionPropertyKey_YCbCrMatrix: CFString = "YCbCrMatrix"

// Values of `kVTCompressionPropertyKey_H264EntropyMode`.

public let kVTH264EntropyMode_CAVLC: CFString = "CAVLC"
public let kVTH264EntropyMode_CABAC: CFString = "CABAC"

// Values of `kVTCompressionPropertyKey_HDRMetadataInsertionMode`.

public let kVTHDRMetadataInsertionMode_None: CFString = "None"
public let kVTHDRMetadataInsertionMode_Auto: CFString = "Auto"

// Values of `kVTCompressionPropertyKey_AlphaChannelMode`.

public let kVTAlphaChannelMode_StraightAlpha: CFString = "StraightAlpha"
public let kVTAlphaChannelMode_PremultipliedAlpha: CFString = "PremultipliedAlpha"

/// The value of `kVTCompressionPropertyKey_MaxFrameDelayCount` that means no limit.
public let kVTUnlimitedFrameDelayCount: Int32 = -1

// The choice of encoder, for `AVVideoEncoderSpecificationKey`.

public let kVTVideoEncoderSpecification_EnableHardwareAcceleratedVideoEncoder: CFString =
    "EnableHardwareAcceleratedVideoEncoder"
public let kVTVideoEncoderSpecification_RequireHardwareAcceleratedVideoEncoder: CFString =
    "RequireHardwareAcceleratedVideoEncoder"
public let kVTVideoEncoderSpecification_EnableLowLatencyRateControl: CFString = "EnableLowLatencyRateControl"
public let kVTVideoEncoderSpecification_PreferredEncoderGPURegistryID: CFString = "PreferredEncoderGPURegistryID"
public let kVTVideoEncoderSpecification_RequiredEncoderGPURegistryID: CFString = "RequiredEncoderGPURegistryID"
public let kVTVideoEncoderSpecification_EncoderID: CFString = "EncoderID"

// Options of a single frame.

public let kVTEncodeFrameOptionKey_ForceKeyFrame: CFString = "ForceKeyFrame"
public let kVTEncodeFrameOptionKey_BaseFrameQP: CFString = "BaseFrameQP"
public let kVTEncodeFrameOptionKey_AcknowledgedLTRTokens: CFString = "AcknowledgedLTRTokens"
public let kVTEncodeFrameOptionKey_ForceLTRRefresh: CFString = "ForceLTRRefresh"
