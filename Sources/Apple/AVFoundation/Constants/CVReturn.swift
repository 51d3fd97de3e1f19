// Return values of Core Video’s functions.

public let kCVReturnSuccess: Int32 = 0
public let kCVReturnFirst: Int32 = -6660
public let kCVReturnLast: Int32 = -6699
public let kCVReturnError: Int32 = -6660
public let kCVReturnInvalidArgument: Int32 = -6661
public let kCVReturnAllocationFailed: Int32 = -6662
public let kCVReturnUnsupported: Int32 = -6663
public let kCVReturnInvalidDisplay: Int32 = -6670
public let kCVReturnDisplayLinkAlreadyRunning: Int32 = -6671
public let kCVReturnDisplayLinkNotRunning: Int32 = -6672
public let kCVReturnDisplayLinkCallbacksNotSet: Int32 = -6673
public let kCVReturnInvalidPixelFormat: Int32 = -6680
public let kCVReturnInvalidSize: Int32 = -6681
public let kCVReturnInvalidPixelBufferAttributes: Int32 = -6682
public let kCVReturnPixelBufferNotOpenGLCompatible: Int32 = -6683
public let kCVReturnPixelBufferNotMetalCompatible: Int32 = -6684
public let kCVReturnWouldExceedAllocationThreshold: Int32 = -6689
public let kCVReturnPoolAllocationFailed: Int32 = -6690
public let kCVReturnInvalidPoolAttributes: Int32 = -6691
public let kCVReturnRetry: Int32 = -6692
