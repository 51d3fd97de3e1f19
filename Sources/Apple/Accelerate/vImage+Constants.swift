// vImage's plain types, flags and error codes.

/// A number of pixels.
public typealias vImagePixelCount = UInt
/// One of the error codes below, or 0.
public typealias vImage_Error = Int
/// A combination of the flags below.
public typealias vImage_Flags = UInt32
/// An 8-bit component.
public typealias Pixel_8 = UInt8
/// A floating-point component.
public typealias Pixel_F = Float

public let kvImageNoFlags: Int = 0
public let kvImageLeaveAlphaUnchanged: Int = 1
public let kvImageCopyInPlace: Int = 2
public let kvImageBackgroundColorFill: Int = 4
public let kvImageEdgeExtend: Int = 8
/// Has no effect: each call runs entirely on its caller's thread.
public let kvImageDoNotTile: Int = 16
/// Scales with five lobes of the Lanczos function instead of three.
public let kvImageHighQualityResampling: Int = 32
public let kvImageTruncateKernel: Int = 64
/// Makes a call only return the size of its temporary buffer. Here, the size is always 0.
public let kvImageGetTempBufferSize: Int = 128
/// Has no effect: no messages are printed.
public let kvImagePrintDiagnosticsToConsole: Int = 256
public let kvImageNoAllocate: Int = 512
public let kvImageHDRContent: Int = 1024
public let kvImageDoNotClamp: Int = 2048
public let kvImageUseFP16Accumulator: Int = 4096

/// The bits that do not belong to any flag.
private let unknownFlags: vImage_Flags = ~8191

public let kvImageNoError: Int = 0
public let kvImageRoiLargerThanInputBuffer: Int = -21766
public let kvImageInvalidKernelSize: Int = -21767
public let kvImageInvalidEdgeStyle: Int = -21768
public let kvImageInvalidOffset_X: Int = -21769
public let kvImageInvalidOffset_Y: Int = -21770
public let kvImageMemoryAllocationError: Int = -21771
public let kvImageNullPointerArgument: Int = -21772
public let kvImageInvalidParameter: Int = -21773
public let kvImageBufferSizeMismatch: Int = -21774
public let kvImageUnknownFlagsBit: Int = -21775
public let kvImageInternalError: Int = -21776
public let kvImageInvalidRowBytes: Int = -21777
public let kvImageInvalidImageFormat: Int = -21778
public let kvImageColorSyncIsAbsent: Int = -21779
public let kvImageOutOfPlaceOperationRequired: Int = -21780
public let kvImageInvalidImageObject: Int = -21781
public let kvImageInvalidCVImageFormat: Int = -21782
public let kvImageUnsupportedConversion: Int = -21783
public let kvImageCoreVideoIsAbsent: Int = -21784

/// The parts of vImage in Swift’s form.
public enum vImage {
    /// An error code as a Swift error.
    public enum Error: Int, Swift.Error {
        case noError = 0
        case roiLargerThanInputBuffer = -21766
        case invalidKernelSize = -21767
        case invalidEdgeStyle = -21768
        case invalidOffsetX = -21769
        case invalidOffsetY = -21770
        case memoryAllocationError = -21771
        case nullPointerArgument = -21772
        case invalidParameter = -21773
        case bufferSizeMismatch = -21774
        case unknownFlagsBit = -21775
        case internalError = -21776
        case invalidRowBytes = -21777
        case invalidImageFormat = -21778
        case colorSyncIsAbsent = -21779
        case outOfPlaceOperationRequired = -21780
        case invalidImageObject = -21781
        case invalidCVImageFormat = -21782
        case unsupportedConversion = -21783
        case coreVideoIsAbsent = -21784

        /// Creates the error with this code. An unknown code becomes `internalError`.
        public init(vImageError: vImage_Error) { self = Error(rawValue: vImageError) ?? .internalError }
    }
}

/// Runs a call and returns its error code.
///
/// The call does nothing if a bit of `flags` is unknown. It also does nothing if `flags` requests the size of the
/// temporary buffer. This size is 0, because calls allocate the memory that they need. Flags that do not apply to a
/// call are ignored.
func vImageCall(_ flags: vImage_Flags, _ body: () throws -> Void) -> vImage_Error {
    if flags & unknownFlags != 0 { return kvImageUnknownFlagsBit }
    if flags & vImage_Flags(kvImageGetTempBufferSize) != 0 { return kvImageNoError }
    do {
        try body()
        return kvImageNoError
    } catch {
        return (error as? vImage.Error)?.rawValue ?? kvImageInternalError
    }
}
