// Keys of video settings, and their values.

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

// Keys of `AVVideoPixelAspectRatioKey`.

public let AVVideoPixelAspectRatioHorizontalSpacingKey: String = "HorizontalSpacing"
public let AVVideoPixelAspectRatioVerticalSpacingKey: String = "VerticalSpacing"

// Keys of `AVVideoCleanApertureKey`, in pixels; the offsets are from the frame’s center.

public let AVVideoCleanApertureWidthKey: String = "Width"
public let AVVideoCleanApertureHeightKey: String = "Height"
public let AVVideoCleanApertureHorizontalOffsetKey: String = "HorizontalOffset"
public let AVVideoCleanApertureVerticalOffsetKey: String = "VerticalOffset"

// Values of `AVVideoScalingModeKey`.

/// Scales down to fit, keeping the aspect ratio; never enlarges.
public let AVVideoScalingModeFit: String = "AVVideoScalingModeFit"
/// Fills the size, and changes the aspect ratio.
public let AVVideoScalingModeResize: String = "AVVideoScalingModeResize"
/// Keeps the aspect ratio, with black bars.
public let AVVideoScalingModeResizeAspect: String = "AVVideoScalingModeResizeAspect"
/// Keeps the aspect ratio, and crops the excess.
public let AVVideoScalingModeResizeAspectFill: String = "AVVideoScalingModeResizeAspectFill"
