import MediaTypes

extension VideoSettings {
    /// Limits and rate controls that the library's encoders cannot keep. A program that sets one relies on it, so it is
    /// refused. Other properties without an effect are hints.
    static let unkeptLimits: Set<String> = [
        kVTCompressionPropertyKey_ConstantBitRate, kVTCompressionPropertyKey_DataRateLimits,
        kVTCompressionPropertyKey_MaxAllowedFrameQP, kVTCompressionPropertyKey_MaxH264SliceBytes,
        kVTCompressionPropertyKey_MinAllowedFrameQP, kVTCompressionPropertyKey_VBVMaxBitRate,
    ]

    /// Properties of H.264, HEVC and AV1 encoders; several of them have no effect on the library's encoders.
    static let videoToolboxProperties: Set<String> = [
        kVTCompressionPropertyKey_AllowFrameReordering, kVTCompressionPropertyKey_AllowOpenGOP,
        kVTCompressionPropertyKey_AllowTemporalCompression, kVTCompressionPropertyKey_AmbientViewingEnvironment,
        kVTCompressionPropertyKey_AspectRatio16x9, kVTCompressionPropertyKey_AverageBitRate,
        kVTCompressionPropertyKey_AverageNonDroppableFrameRate, kVTCompressionPropertyKey_BaseLayerBitRateFraction,
        kVTCompressionPropertyKey_BaseLayerFrameRate, kVTCompressionPropertyKey_BaseLayerFrameRateFraction,
        kVTCompressionPropertyKey_CleanAperture, kVTCompressionPropertyKey_ColorPrimaries,
        kVTCompressionPropertyKey_ConstantBitRate, kVTCompressionPropertyKey_ContentLightLevelInfo,
        kVTCompressionPropertyKey_DataRateLimits, kVTCompressionPropertyKey_Depth,
        kVTCompressionPropertyKey_EnableLTR, kVTCompressionPropertyKey_EncoderID,
        kVTCompressionPropertyKey_EstimatedAverageBytesPerFrame, kVTCompressionPropertyKey_ExpectedDuration,
        kVTCompressionPropertyKey_ExpectedFrameRate, kVTCompressionPropertyKey_FieldCount,
        kVTCompressionPropertyKey_FieldDetail, kVTCompressionPropertyKey_GammaLevel,
        kVTCompressionPropertyKey_H264EntropyMode, kVTCompressionPropertyKey_HDRMetadataInsertionMode,
        kVTCompressionPropertyKey_ICCProfile, kVTCompressionPropertyKey_InputQueueMaxCount,
        kVTCompressionPropertyKey_MasteringDisplayColorVolume, kVTCompressionPropertyKey_MaxAllowedFrameQP,
        kVTCompressionPropertyKey_MaxFrameDelayCount, kVTCompressionPropertyKey_MaxH264SliceBytes,
        kVTCompressionPropertyKey_MaximizePowerEfficiency, kVTCompressionPropertyKey_MaximumRealTimeFrameRate,
        kVTCompressionPropertyKey_MaxKeyFrameInterval, kVTCompressionPropertyKey_MaxKeyFrameIntervalDuration,
        kVTCompressionPropertyKey_MinAllowedFrameQP, kVTCompressionPropertyKey_MoreFramesAfterEnd,
        kVTCompressionPropertyKey_MoreFramesBeforeStart, kVTCompressionPropertyKey_MultiPassStorage,
        kVTCompressionPropertyKey_NumberOfParallelCores, kVTCompressionPropertyKey_NumberOfPendingFrames,
        kVTCompressionPropertyKey_NumberOfSlices, kVTCompressionPropertyKey_OutputBitDepth,
        kVTCompressionPropertyKey_PixelAspectRatio, kVTCompressionPropertyKey_PixelBufferPoolIsShared,
        kVTCompressionPropertyKey_PixelTransferProperties, kVTCompressionPropertyKey_PreserveAlphaChannel,
        kVTCompressionPropertyKey_PreserveDynamicHDRMetadata,
        kVTCompressionPropertyKey_PrioritizeEncodingSpeedOverQuality, kVTCompressionPropertyKey_ProfileLevel,
        kVTCompressionPropertyKey_ProgressiveScan, kVTCompressionPropertyKey_Quality,
        kVTCompressionPropertyKey_RealTime, kVTCompressionPropertyKey_RecommendedParallelizationLimit,
        kVTCompressionPropertyKey_ReferenceBufferCount, kVTCompressionPropertyKey_SourceFrameCount,
        kVTCompressionPropertyKey_SpatialAdaptiveQPLevel, kVTCompressionPropertyKey_SuggestedLookAheadFrameCount,
        kVTCompressionPropertyKey_SupportedPresetDictionaries, kVTCompressionPropertyKey_SupportsBaseFrameQP,
        kVTCompressionPropertyKey_TargetQualityForAlpha, kVTCompressionPropertyKey_TransferFunction,
        kVTCompressionPropertyKey_UsingGPURegistryID, kVTCompressionPropertyKey_UsingHardwareAcceleratedVideoEncoder,
        kVTCompressionPropertyKey_VBVBufferDuration, kVTCompressionPropertyKey_VBVInitialDelayPercentage,
        kVTCompressionPropertyKey_VBVMaxBitRate, kVTCompressionPropertyKey_VideoEncoderPixelBufferAttributes,
        kVTCompressionPropertyKey_YCbCrMatrix,
    ]
}
