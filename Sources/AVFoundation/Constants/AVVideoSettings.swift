// The keys of video settings, and their values.

public let AVVideoCodecKey: String = "AVVideoCodecKey"
public let AVVideoWidthKey: String = "AVVideoWidthKey"
public let AVVideoHeightKey: String = "AVVideoHeightKey"
public let AVVideoPixelAspectRatioKey: String = "AVVideoPixelAspectRatioKey"
public let AVVideoCleanApertureKey: String = "AVVideoCleanApertureKey"
public let AVVideoScalingModeKey: String = "AVVideoScalingModeKey"
public let AVVideoColorPropertiesKey: String = "AVVideoColorPropertiesKey"
public let AVVideoAllowWideColorKey: String = "AVVideoAllowWideColorKey"
public let AVVideoCompressionPropertiesKey: String = "AVVideoCompressionPropertiesKey"
public let AVVideoDecompressionPropertiesKey: String = "AVVideoDecompressionPropertiesKey"
public let AVVideoEncoderSpecificationKey: String = "AVVideoEncoderSpecificationKey"

// Of `AVVideoPixelAspectRatioKey`.

public let AVVideoPixelAspectRatioHorizontalSpacingKey: String = "HorizontalSpacing"
public let AVVideoPixelAspectRatioVerticalSpacingKey: String = "VerticalSpacing"

// Of `AVVideoCleanApertureKey`, in pixels; the offsets are from the picture’s centre.

public let AVVideoCleanApertureWidthKey: String = "Width"
public let AVVideoCleanApertureHeightKey: String = "Height"
public let AVVideoCleanApertureHorizontalOffsetKey: String = "HorizontalOffset"
public let AVVideoCleanApertureVerticalOffsetKey: String = "VerticalOffset"

// Of `AVVideoScalingModeKey`.

/// Cuts to the size, and never scales.
public let AVVideoScalingModeFit: String = "AVVideoScalingModeFit"
/// Fills the size, and changes the shape.
public let AVVideoScalingModeResize: String = "AVVideoScalingModeResize"
/// Keeps the shape, with black bars.
public let AVVideoScalingModeResizeAspect: String = "AVVideoScalingModeResizeAspect"
/// Keeps the shape, and cuts what stands over.
public let AVVideoScalingModeResizeAspectFill: String = "AVVideoScalingModeResizeAspectFill"
