public import Foundation

/// An immutable image in memory.
///
/// `CGImageDestinationCreateWithURL` and related functions write an image to a file.
public final class CGImage: Sendable {
    public let width: Int
    public let height: Int
    public let bitsPerComponent: Int
    public let bitsPerPixel: Int
    public let bytesPerRow: Int
    public let bitmapInfo: CGBitmapInfo
    public let colorSpace: CGColorSpace?
    public let shouldInterpolate: Bool
    public let renderingIntent: CGColorRenderingIntent
    private let provider: CGDataProvider

    package init(
        width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, bitmapInfo: CGBitmapInfo,
        colorSpace: CGColorSpace?, shouldInterpolate: Bool, intent: CGColorRenderingIntent, provider: CGDataProvider
    ) {
        self.width = width
        self.height = height
        self.bitsPerComponent = bitsPerComponent
        self.bitsPerPixel = bitsPerPixel
        self.bytesPerRow = bytesPerRow
        self.bitmapInfo = bitmapInfo
        self.colorSpace = colorSpace
        self.shouldInterpolate = shouldInterpolate
        renderingIntent = intent
        self.provider = provider
    }

    /// Creates an image from existing bytes.
    ///
    /// - Returns: nil if the numbers are inconsistent, or if there are too few bytes.
    public convenience init?(
        width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace,
        bitmapInfo: CGBitmapInfo, provider: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
        intent: CGColorRenderingIntent
    ) {
        let lengths = 1..<(1 << 24)
        guard lengths.contains(width), lengths.contains(height), (1...32).contains(bitsPerComponent),
            (bitsPerComponent...128).contains(bitsPerPixel),
            bitsPerComponent * space.numberOfComponents <= bitsPerPixel,
            bytesPerRow >= (width * bitsPerPixel + 7) / 8, bytesPerRow < 1 << 31,
            provider.memory.bytes.count >= bytesPerRow * (height - 1) + (width * bitsPerPixel + 7) / 8
        else { return nil }
        self.init(
            width: width, height: height, bitsPerComponent: bitsPerComponent, bitsPerPixel: bitsPerPixel,
            bytesPerRow: bytesPerRow, bitmapInfo: bitmapInfo, colorSpace: space, shouldInterpolate: shouldInterpolate,
            intent: intent, provider: provider)
    }

    public var alphaInfo: CGImageAlphaInfo {
        CGImageAlphaInfo(rawValue: bitmapInfo.intersection(.alphaInfoMask).rawValue) ?? .none
    }

    public var byteOrderInfo: CGImageByteOrderInfo {
        CGImageByteOrderInfo(rawValue: bitmapInfo.intersection(.byteOrderMask).rawValue) ?? .orderDefault
    }

    public var isMask: Bool { false }
    /// The rows of pixels, from the top. The distance from one row to the next is `bytesPerRow`.
    public var dataProvider: CGDataProvider? { provider }

    public func copy() -> CGImage? { self }

    /// Returns the same bytes in a different color space; nil if the color space has a different number of components.
    public func copy(colorSpace space: CGColorSpace) -> CGImage? {
        guard space.numberOfComponents == (colorSpace?.numberOfComponents ?? space.numberOfComponents) else {
            return nil
        }
        return part(x: 0, y: 0, width: width, height: height, space: space)
    }

    /// Returns the part of the image in a rectangle. The rectangle is measured from the image's upper left corner, and
    /// is extended to integer pixels. The result shares the memory.
    ///
    /// - Returns: nil if the rectangle does not overlap the image, or if the pixels are not entire bytes.
    public func cropping(to rectangle: CGRect) -> CGImage? {
        guard !rectangle.isNull, bitsPerPixel % 8 == 0 else { return nil }
        guard let columns = Self.whole(rectangle.origin.x, rectangle.size.width, within: width),
            let rows = Self.whole(rectangle.origin.y, rectangle.size.height, within: height)
        else { return nil }
        return part(
            x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count, space: colorSpace)
    }

    /// Returns the range of integer pixels that a range touches; nil if there are none. Foundation's `integral` cannot
    /// be used, because it traps on NaN and on values that `Int` cannot represent.
    private static func whole(_ start: CGFloat, _ length: CGFloat, within count: Int) -> Range<Int>? {
        let (first, second) = (Double(start), Double(start) + Double(length))
        guard !first.isNaN, !second.isNaN else { return nil }
        let low = max(0, min(first, second).rounded(.down))
        let high = min(Double(count), max(first, second).rounded(.up))
        return low < high ? Int(low)..<Int(high) : nil
    }

    private func part(x: Int, y: Int, width: Int, height: Int, space: CGColorSpace?) -> CGImage {
        let start = y * bytesPerRow + x * bitsPerPixel / 8
        let count = (height - 1) * bytesPerRow + (width * bitsPerPixel + 7) / 8
        let bytes = UnsafeRawBufferPointer(rebasing: provider.memory.bytes[start..<(start + count)])
        return CGImage(
            width: width, height: height, bitsPerComponent: bitsPerComponent, bitsPerPixel: bitsPerPixel,
            bytesPerRow: bytesPerRow, bitmapInfo: bitmapInfo, colorSpace: space, shouldInterpolate: shouldInterpolate,
            intent: renderingIntent, provider: CGDataProvider(borrowing: bytes, keeping: provider))
    }
}
