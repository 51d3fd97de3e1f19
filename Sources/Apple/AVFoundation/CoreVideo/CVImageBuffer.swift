public import Foundation
import MediaTypes

public func CVImageBufferGetEncodedSize(_ buffer: CVImageBuffer) -> CGSize {
    CGSize(width: buffer.layout.width, height: buffer.layout.height)
}

/// Returns the size at which the image is shown. It follows from the attachment for display dimensions, or from the
/// pixel aspect ratio. Without either, returns the stored size.
public func CVImageBufferGetDisplaySize(_ buffer: CVImageBuffer) -> CGSize {
    if let said = buffer.attachment(kCVImageBufferDisplayDimensionsKey)?.value as? [String: Any],
        let width = (said[kCVImageBufferDisplayWidthKey] as? NSNumber)?.doubleValue,
        let height = (said[kCVImageBufferDisplayHeightKey] as? NSNumber)?.doubleValue, width > 0, height > 0
    {
        return CGSize(width: width, height: height)
    }
    var size = CVImageBufferGetCleanRect(buffer).size
    if let shape = buffer.attachment(kCVImageBufferPixelAspectRatioKey)?.value as? [String: Any],
        let across = (shape[kCVImageBufferPixelAspectRatioHorizontalSpacingKey] as? NSNumber)?.doubleValue,
        let down = (shape[kCVImageBufferPixelAspectRatioVerticalSpacingKey] as? NSNumber)?.doubleValue, across > 0,
        down > 0
    {
        size.width *= across / down
    }
    return size
}

/// Returns the part of the image that is meant to be shown, from the clean aperture attachment. Without one, returns
/// the entire image.
public func CVImageBufferGetCleanRect(_ buffer: CVImageBuffer) -> CGRect {
    let all = CVImageBufferGetEncodedSize(buffer)
    guard let said = buffer.attachment(kCVImageBufferCleanApertureKey)?.value as? [String: Any] else {
        return CGRect(origin: .zero, size: all)
    }
    func number(_ key: CFString) -> Double? { (said[key] as? NSNumber)?.doubleValue }
    guard let width = number(kCVImageBufferCleanApertureWidthKey),
        let height = number(kCVImageBufferCleanApertureHeightKey), width > 0, height > 0
    else { return CGRect(origin: .zero, size: all) }
    return CGRect(
        x: (Double(all.width) - width) / 2 + (number(kCVImageBufferCleanApertureHorizontalOffsetKey) ?? 0),
        y: (Double(all.height) - height) / 2 + (number(kCVImageBufferCleanApertureVerticalOffsetKey) ?? 0),
        width: width, height: height)
}

public func CVImageBufferIsFlipped(_ buffer: CVImageBuffer) -> Bool { true }
