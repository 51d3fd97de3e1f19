public import Foundation

extension CGPoint {
    public func applying(_ transform: CGAffineTransform) -> CGPoint {
        CGPoint(
            x: transform.a * x + transform.c * y + transform.tx, y: transform.b * x + transform.d * y + transform.ty)
    }
}

extension CGSize {
    /// Returns the size rotated and scaled, without translation. Width and height of the result may be negative.
    public func applying(_ transform: CGAffineTransform) -> CGSize {
        CGSize(
            width: transform.a * width + transform.c * height, height: transform.b * width + transform.d * height)
    }
}

extension CGRect {
    /// Returns the smallest rectangle that contains the four transformed corners.
    public func applying(_ transform: CGAffineTransform) -> CGRect {
        guard !isNull, !isInfinite else { return self }
        let corners = [
            CGPoint(x: minX, y: minY), CGPoint(x: maxX, y: minY), CGPoint(x: minX, y: maxY), CGPoint(x: maxX, y: maxY),
        ].map { $0.applying(transform) }
        let (left, right) = corners.dropFirst().reduce((corners[0].x, corners[0].x)) {
            (min($0.0, $1.x), max($0.1, $1.x))
        }
        let (top, bottom) = corners.dropFirst().reduce((corners[0].y, corners[0].y)) {
            (min($0.0, $1.y), max($0.1, $1.y))
        }
        return CGRect(x: left, y: top, width: right - left, height: bottom - top)
    }
}
