import Foundation

/// Decodes an image and scales it down with `CGContext`. An image that is small enough is returned unchanged.
///
/// A thumbnail in the file is not read.
///
/// - Parameter options: `kCGImageSourceCreateThumbnailFromImageAlways` or
///   `kCGImageSourceCreateThumbnailFromImageIfAbsent` is required.
/// - Returns: nil if the image cannot be decoded, and for any index except 0. Also nil for an image with a side of more
///   than 32 767 pixels that must be scaled or rotated.
public func CGImageSourceCreateThumbnailAtIndex(
    _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
    func number(_ key: CFString) -> SettingsNumber? { options?[key].flatMap { settingsNumber($0) } }
    let isWanted = [
        kCGImageSourceCreateThumbnailFromImageAlways, kCGImageSourceCreateThumbnailFromImageIfAbsent,
    ].contains { number($0)?.bool ?? false }
    guard isWanted, let image = source.image(index) else { return nil }
    let isTurned = number(kCGImageSourceCreateThumbnailWithTransform)?.bool ?? false
    let stored = source.header?.orientation.flatMap { CGImagePropertyOrientation(rawValue: UInt32(clamping: $0)) }
    let orientation = isTurned ? stored ?? .up : .up
    let limit = number(kCGImageSourceThumbnailMaxPixelSize)?.double ?? .infinity
    let longest = Double(max(image.width, image.height))
    let scale = limit >= 1 ? min(1, limit / longest) : 1
    guard scale < 1 || orientation != .up else { return image }
    return image.isDrawable ? image.scaled(by: scale, orientation) : nil
}

extension CGImage {
    /// Returns the image scaled down, and rotated and mirrored to be upright. `orientation` is that of the stored
    /// image.
    fileprivate func scaled(by scale: Double, _ orientation: CGImagePropertyOrientation) -> CGImage? {
        let across = max(1, Int((Double(width) * scale).rounded()))  // in range: at most the image's own side
        let down = max(1, Int((Double(height) * scale).rounded()))  // in range: at most the image's own side
        let (shownWidth, shownHeight) = orientation.rawValue >= 5 ? (down, across) : (across, down)
        let isGray = colorSpace?.model == .monochrome
        let info =
            isGray
            ? CGBitmapInfo(alpha: .none)
            : CGBitmapInfo(
                alpha: alphaInfo == .noneSkipLast ? .noneSkipFirst : .premultipliedFirst, byteOrder: .order32Little)
        guard
            let context = CGContext(
                data: nil, width: shownWidth, height: shownHeight, bitsPerComponent: 8, bytesPerRow: 0,
                space: colorSpace ?? CGColorSpaceCreateDeviceRGB(), bitmapInfo: info.rawValue)
        else { return nil }
        context.interpolationQuality = .high
        context.concatenate(orientation.upright(width: CGFloat(shownWidth), height: CGFloat(shownHeight)))
        context.draw(self, in: CGRect(x: 0, y: 0, width: across, height: down))
        return context.makeImage()
    }
}

extension CGImagePropertyOrientation {
    /// Returns the transform from a stored image to the shown image. The size is that of the shown image, and y points
    /// up.
    fileprivate func upright(width: CGFloat, height: CGFloat) -> CGAffineTransform {
        switch self {
        case .up: .identity
        case .upMirrored: CGAffineTransform(a: -1, b: 0, c: 0, d: 1, tx: width, ty: 0)
        case .down: CGAffineTransform(a: -1, b: 0, c: 0, d: -1, tx: width, ty: height)
        case .downMirrored: CGAffineTransform(a: 1, b: 0, c: 0, d: -1, tx: 0, ty: height)
        case .leftMirrored: CGAffineTransform(a: 0, b: -1, c: -1, d: 0, tx: width, ty: height)
        case .right: CGAffineTransform(a: 0, b: -1, c: 1, d: 0, tx: 0, ty: height)
        case .rightMirrored: CGAffineTransform(a: 0, b: 1, c: 1, d: 0, tx: 0, ty: 0)
        case .left: CGAffineTransform(a: 0, b: 1, c: -1, d: 0, tx: width, ty: 0)
        }
    }
}
