public import Foundation

/// Returns the largest rectangle with this aspect ratio that is centered inside another rectangle. If the aspect ratio
/// has no area, the result is an empty rectangle at the center.
public func AVMakeRect(aspectRatio: CGSize, insideRect boundingRect: CGRect) -> CGRect {
    let bounds = boundingRect.standardized
    guard aspectRatio.width > 0, aspectRatio.height > 0, !bounds.isNull else {
        return CGRect(x: bounds.midX, y: bounds.midY, width: 0, height: 0)
    }
    let scale = min(bounds.width / aspectRatio.width, bounds.height / aspectRatio.height)
    let size = CGSize(width: aspectRatio.width * scale, height: aspectRatio.height * scale)
    return CGRect(
        x: bounds.midX - size.width / 2, y: bounds.midY - size.height / 2, width: size.width, height: size.height)
}
