// Keys and values of all Video Toolbox sessions except compression sessions, and of the descriptions of properties.

public let kVTDecompressionPropertyKey_MaximizePowerEfficiency: CFString = "MaximizePowerEfficiency"
public let kVTDecompressionPropertyKey_NumberOfFramesBeingDecoded: CFString = "NumberOfFramesBeingDecoded"
public let kVTDecompressionPropertyKey_PixelBufferPool: CFString = "PixelBufferPool"
public let kVTDecompressionPropertyKey_PixelBufferPoolIsShared: CFString = "PixelBufferPoolIsShared"
public let kVTDecompressionPropertyKey_RealTime: CFString = "RealTime"
public let kVTDecompressionPropertyKey_ThreadCount: CFString = "ThreadCount"
public let kVTDecompressionPropertyKey_UsingGPURegistryID: CFString = "UsingGPURegistryID"
public let kVTDecompressionPropertyKey_UsingHardwareAcceleratedVideoDecoder: CFString =
    "UsingHardwareAcceleratedVideoDecoder"

public let kVTVideoDecoderSpecification_EnableHardwareAcceleratedVideoDecoder: CFString =
    "EnableHardwareAcceleratedVideoDecoder"
public let kVTVideoDecoderSpecification_RequireHardwareAcceleratedVideoDecoder: CFString =
    "RequireHardwareAcceleratedVideoDecoder"
public let kVTVideoDecoderSpecification_PreferredDecoderGPURegistryID: CFString = "PreferredDecoderGPURegistryID"
public let kVTVideoDecoderSpecification_RequiredDecoderGPURegistryID: CFString = "RequiredDecoderGPURegistryID"

public let kVTPixelTransferPropertyKey_ScalingMode: CFString = "ScalingMode"

public let kVTScalingMode_Normal: CFString = "Normal"
public let kVTScalingMode_CropSourceToCleanAperture: CFString = "CropSourceToCleanAperture"
public let kVTScalingMode_Letterbox: CFString = "Letterbox"
public let kVTScalingMode_Trim: CFString = "Trim"

// The list of encoders.

public let kVTVideoEncoderList_CodecType: CFString = "CodecType"
public let kVTVideoEncoderList_CodecName: CFString = "CodecName"
public let kVTVideoEncoderList_DisplayName: CFString = "DisplayName"
public let kVTVideoEncoderList_EncoderID: CFString = "EncoderID"
public let kVTVideoEncoderList_EncoderName: CFString = "EncoderName"
public let kVTVideoEncoderList_GPURegistryID: CFString = "GPURegistryID"
public let kVTVideoEncoderList_InstanceLimit: CFString = "InstanceLimit"
public let kVTVideoEncoderList_IsHardwareAccelerated: CFString = "IsHardwareAccelerated"
public let kVTVideoEncoderList_PerformanceRating: CFString = "PerformanceRating"
public let kVTVideoEncoderList_QualityRating: CFString = "QualityRating"
public let kVTVideoEncoderList_SupportedSelectionProperties: CFString = "SupportedSelectionProperties"
public let kVTVideoEncoderList_SupportsFrameReordering: CFString = "SupportsFrameReordering"
public let kVTVideoEncoderListOption_IncludeStandardDefinitionDVEncoders: CFString =
    "IncludeStandardDefinitionDVEncoders"

// The description of a property.

public let kVTPropertyReadWriteStatusKey: CFString = "ReadWriteStatus"
public let kVTPropertyReadWriteStatus_ReadOnly: CFString = "ReadOnly"
public let kVTPropertyReadWriteStatus_ReadWrite: CFString = "ReadWrite"
