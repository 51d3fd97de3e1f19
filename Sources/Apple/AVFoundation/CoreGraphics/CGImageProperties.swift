// Keys and values of `CGImageSourceCopyPropertiesAtIndex`, and options of a source.

public let kCGImagePropertyPixelWidth: CFString = "PixelWidth"
public let kCGImagePropertyPixelHeight: CFString = "PixelHeight"
/// The number of bits per component, as stored in the file.
public let kCGImagePropertyDepth: CFString = "Depth"
public let kCGImagePropertyColorModel: CFString = "ColorModel"
public let kCGImagePropertyColorModelRGB: CFString = "RGB"
public let kCGImagePropertyColorModelGray: CFString = "Gray"
public let kCGImagePropertyHasAlpha: CFString = "HasAlpha"
/// The raw value of a `CGImagePropertyOrientation`.
public let kCGImagePropertyOrientation: CFString = "Orientation"

/// Accepted, but has no effect: images are decoded when they are created, and are not cached.
public let kCGImageSourceShouldCache: CFString = "kCGImageSourceShouldCache"
/// Accepted, but has no effect: images are decoded when they are created, and are not cached.
public let kCGImageSourceShouldCacheImmediately: CFString = "kCGImageSourceShouldCacheImmediately"
/// Creates a thumbnail from the image.
public let kCGImageSourceCreateThumbnailFromImageAlways: CFString = "kCGImageSourceCreateThumbnailFromImageAlways"
/// Creates a thumbnail from the image, like `kCGImageSourceCreateThumbnailFromImageAlways`. A thumbnail in the file is
/// not read.
public let kCGImageSourceCreateThumbnailFromImageIfAbsent: CFString = "kCGImageSourceCreateThumbnailFromImageIfAbsent"
/// Rotates and mirrors a thumbnail according to the image's orientation.
public let kCGImageSourceCreateThumbnailWithTransform: CFString = "kCGImageSourceCreateThumbnailWithTransform"
/// The maximum width and height of a thumbnail in pixels.
public let kCGImageSourceThumbnailMaxPixelSize: CFString = "kCGImageSourceThumbnailMaxPixelSize"

/// The rotation and mirroring with which an image is shown. The raw value is the number that cameras store in Exif.
public enum CGImagePropertyOrientation: UInt32, Sendable {
    case up = 1
    case upMirrored = 2
    case down = 3
    case downMirrored = 4
    case leftMirrored = 5
    case right = 6
    case rightMirrored = 7
    case left = 8
}
