public import Foundation

/// The rule that determines which points are inside a path that crosses itself.
public enum CGPathFillRule: Int, Sendable {
    /// A point is inside if its winding number is not 0, that is, if the path winds around it.
    case winding = 0
    /// A point is inside if a ray from it crosses the path an odd number of times.
    case evenOdd = 1
}

/// Lines and curves that can be filled, stroked, or used as a clip.
public class CGPath: Hashable {
    fileprivate(set) final var content: PathSteps

    fileprivate init(_ content: PathSteps) { self.content = content }

    public convenience init(rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
        var content = PathSteps()
        content.rectangle(rect, transform?.pointee ?? .identity)
        self.init(content)
    }

    public convenience init(ellipseIn rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
        var content = PathSteps()
        content.ellipse(in: rect, transform?.pointee ?? .identity)
        self.init(content)
    }

    /// Creates a rectangle with rounded corners. A corner that is larger than half a side is reduced.
    public convenience init(
        roundedRect rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat,
        transform: UnsafePointer<CGAffineTransform>?
    ) {
        var content = PathSteps()
        content.roundedRectangle(rect, cornerWidth, cornerHeight, transform?.pointee ?? .identity)
        self.init(content)
    }

    public final var isEmpty: Bool { content.isEmpty }
    /// The end of the last line or curve; (0, 0) for an empty path.
    public final var currentPoint: CGPoint { content.current ?? .zero }
    /// The smallest rectangle that contains all points, including the control points of curves; null for an empty path.
    public final var boundingBox: CGRect { content.bounds ?? .null }

    public final func copy() -> CGPath? { CGPath(content) }
    public final func mutableCopy() -> CGMutablePath? { CGMutablePath(content) }

    public static func == (a: CGPath, b: CGPath) -> Bool { a.content == b.content }
    public func hash(into hasher: inout Hasher) { hasher.combine(content.steps.count) }
}

/// A path that can be extended.
public final class CGMutablePath: CGPath {
    public init() { super.init(PathSteps()) }

    fileprivate override init(_ content: PathSteps) { super.init(content) }

    public func move(to point: CGPoint, transform: CGAffineTransform = .identity) {
        content.move(to: point, transform)
    }

    /// Adds a line from the current point. Does nothing if there is no current point.
    public func addLine(to point: CGPoint, transform: CGAffineTransform = .identity) {
        content.line(to: point, transform)
    }

    public func addLines(between points: [CGPoint], transform: CGAffineTransform = .identity) {
        guard let first = points.first else { return }
        content.move(to: first, transform)
        for point in points.dropFirst() { content.line(to: point, transform) }
    }

    public func addCurve(
        to end: CGPoint, control1: CGPoint, control2: CGPoint, transform: CGAffineTransform = .identity
    ) {
        content.curve(to: end, control1, control2, transform)
    }

    public func addQuadCurve(to end: CGPoint, control: CGPoint, transform: CGAffineTransform = .identity) {
        content.quadCurve(to: end, control, transform)
    }

    public func addRect(_ rect: CGRect, transform: CGAffineTransform = .identity) {
        content.rectangle(rect, transform)
    }

    public func addRects(_ rects: [CGRect], transform: CGAffineTransform = .identity) {
        for rect in rects { content.rectangle(rect, transform) }
    }

    public func addEllipse(in rect: CGRect, transform: CGAffineTransform = .identity) {
        content.ellipse(in: rect, transform)
    }

    public func addRoundedRect(
        in rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat, transform: CGAffineTransform = .identity
    ) {
        content.roundedRectangle(rect, cornerWidth, cornerHeight, transform)
    }

    /// Adds a line from the current point to the arc's start, and then the arc.
    ///
    /// - Parameter clockwise: true if the arc goes clockwise where y points up, as in a bitmap context.
    public func addArc(
        center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool,
        transform: CGAffineTransform = .identity
    ) {
        content.arc(
            center: center, radius: radius, startAngle: startAngle, endAngle: endAngle, clockwise: clockwise, transform)
    }

    public func addPath(_ path: CGPath, transform: CGAffineTransform = .identity) {
        let other = path.content
        content.add(other, transform)
    }

    /// Closes the current part of the path with a line to its start.
    public func closeSubpath() { content.close() }
}
