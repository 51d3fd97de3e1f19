public import Foundation
import MediaCodecs
import MediaTypes

/// An image file that a program reads (Image I/O). `CGImageSourceCreateWithURL` opens it, and
/// `CGImageSourceCreateImageAtIndex` decodes the image.
///
/// Supports PNG and JPEG. A source with other data has no images. Safe to use from any thread.
public final class CGImageSource: Sendable {
    let file: MediaData
    /// The header of the file; nil for other formats, and for a file whose header is damaged or truncated.
    let header: StillImageHeader?

    init(_ data: Data) {
        let file = data.withUnsafeBytes { MediaData(copying: $0) }
        self.file = file
        header = StillImageHeader(file.bytes)
    }

    /// Decodes the image; nil if it is damaged or truncated.
    func image(_ index: Int) -> CGImage? {
        guard index == 0, let header, let still = try? StillImageDecoder.decode(file, as: header.format) else {
            return nil
        }
        return CGImage(still)
    }
}

/// Reads a file into memory.
///
/// - Returns: nil for a URL that is not a file URL, and for a file that cannot be read.
public func CGImageSourceCreateWithURL(_ url: CFURL, _ options: CFDictionary?) -> CGImageSource? {
    guard url.isFileURL, let path = url.path, let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
        return nil
    }
    return CGImageSource(data)
}

/// Creates a source from a copy of the current bytes.
public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? {
    CGImageSource(Data(bytes: data.bytes, count: data.length))
}

/// Creates a source from a copy of the provider's bytes.
public func CGImageSourceCreateWithDataProvider(_ provider: CGDataProvider, _ options: CFDictionary?) -> CGImageSource?
{
    CGImageSource(Data(provider.bytes))
}

/// Returns the type of the file, `public.png` or `public.jpeg`; nil for other formats.
public func CGImageSourceGetType(_ source: CGImageSource) -> CFString? {
    switch source.header?.format {
    case .png: "public.png"
    case .jpeg: "public.jpeg"
    case nil: nil
    }
}

/// Returns 1 for PNG and JPEG, and 0 for other formats.
public func CGImageSourceGetCount(_ source: CGImageSource) -> Int { source.header == nil ? 0 : 1 }

/// Decodes an image. Blocks meanwhile, for about 10 ms for a JPEG of 1920×1080. The orientation is not applied.
///
/// The image has eight bits per component and is sRGB; alpha is not premultiplied.
///
/// - Returns: nil if the image is damaged, truncated or in CMYK, and for any index except 0.
public func CGImageSourceCreateImageAtIndex(
    _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
    source.image(index)
}

/// Returns the image's size, depth, color model, alpha and orientation, without decoding it; nil for any index except
/// 0.
public func CGImageSourceCopyPropertiesAtIndex(
    _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CFDictionary? {
    guard index == 0, let header = source.header else { return nil }
    var properties: [String: Any] = [
        kCGImagePropertyPixelWidth: NSNumber(value: header.width),
        kCGImagePropertyPixelHeight: NSNumber(value: header.height),
        kCGImagePropertyDepth: NSNumber(value: header.bitDepth),
        kCGImagePropertyColorModel: header.isGray ? kCGImagePropertyColorModelGray : kCGImagePropertyColorModelRGB,
        kCGImagePropertyHasAlpha: NSNumber(value: header.hasAlpha),
    ]
    if let orientation = header.orientation {
        properties[kCGImagePropertyOrientation] = NSNumber(value: orientation)
    }
    return properties as NSDictionary
}

extension CGImage {
    /// Creates an image that shares the memory of a decoded file.
    convenience init?(_ still: DecodedStill) {
        let image = still.pixels
        guard image.layout.holdsWholeFrame, let plane = image.layout.planes.first else { return nil }
        let isGray = image.format == .gray8
        let alpha: CGImageAlphaInfo = isGray ? .none : still.hasAlpha ? .last : .noneSkipLast
        let rows = UnsafeRawBufferPointer(
            rebasing: image.data.bytes[plane.offset..<(plane.offset + plane.bytesPerRow * plane.rows)])
        self.init(
            width: image.width, height: image.height, bitsPerComponent: 8, bitsPerPixel: isGray ? 8 : 32,
            bytesPerRow: plane.bytesPerRow, bitmapInfo: CGBitmapInfo(alpha: alpha), colorSpace: CGColorSpace(of: image),
            shouldInterpolate: true, intent: .defaultIntent,
            provider: CGDataProvider(borrowing: rows, keeping: image.data))
    }
}
