import Foundation

/// The lines and curves of a path, all in one coordinate system.
///
/// Each function applies `transform` to its points. Circles, ellipses and quadratic curves become cubic curves, as in
/// Core Graphics.
struct PathSteps: Sendable, Equatable {
    enum Step: Sendable, Equatable {
        case move(CGPoint)
        case line(CGPoint)
        case curve(CGPoint, CGPoint, CGPoint)
        case close
    }

    private(set) var steps: [Step] = []
    /// The point where the next line begins; nil for an empty path.
    private(set) var current: CGPoint?
    private var start: CGPoint?

    var isEmpty: Bool { steps.isEmpty }

    mutating func move(to point: CGPoint, _ transform: CGAffineTransform) {
        let place = point.applying(transform)
        steps.append(.move(place))
        (current, start) = (place, place)
    }

    /// Adds a line. Does nothing if there is no current point.
    mutating func line(to point: CGPoint, _ transform: CGAffineTransform) {
        guard current != nil else { return }
        let place = point.applying(transform)
        steps.append(.line(place))
        current = place
    }

    /// Adds a cubic curve. Does nothing if there is no current point.
    mutating func curve(
        to end: CGPoint, _ control1: CGPoint, _ control2: CGPoint, _ transform: CGAffineTransform
    ) {
        guard current != nil else { return }
        let place = end.applying(transform)
        steps.append(.curve(control1.applying(transform), control2.applying(transform), place))
        current = place
    }

    /// Adds a quadratic curve. Does nothing if there is no current point.
    mutating func quadCurve(to end: CGPoint, _ control: CGPoint, _ transform: CGAffineTransform) {
        guard let from = current else { return }
        let (place, middle) = (end.applying(transform), control.applying(transform))
        func toward(_ point: CGPoint) -> CGPoint {
            CGPoint(x: point.x + 2 * (middle.x - point.x) / 3, y: point.y + 2 * (middle.y - point.y) / 3)
        }
        steps.append(.curve(toward(from), toward(place), place))
        current = place
    }

    mutating func close() {
        guard current != nil, steps.last != .close else { return }
        steps.append(.close)
        current = start
    }

    mutating func rectangle(_ rectangle: CGRect, _ transform: CGAffineTransform) {
        let box = rectangle.standardized
        guard !box.isNull else { return }
        let (left, right) = (Self.limited(box.minX), Self.limited(box.maxX))
        let (low, high) = (Self.limited(box.minY), Self.limited(box.maxY))
        move(to: CGPoint(x: left, y: low), transform)
        line(to: CGPoint(x: right, y: low), transform)
        line(to: CGPoint(x: right, y: high), transform)
        line(to: CGPoint(x: left, y: high), transform)
        close()
    }

    /// Limits a coordinate, so that the corners of `CGRect.infinite` remain finite after any usual transform.
    private static func limited(_ coordinate: CGFloat) -> CGFloat { min(max(-1e150, coordinate), 1e150) }

    mutating func add(_ other: PathSteps, _ transform: CGAffineTransform) {
        for step in other.steps {
            switch step {
            case .move(let point): move(to: point, transform)
            case .line(let point): line(to: point, transform)
            case .curve(let control1, let control2, let end): curve(to: end, control1, control2, transform)
            case .close: close()
            }
        }
    }

    /// All points, including the control points of curves.
    private var points: [CGPoint] {
        steps.flatMap { step -> [CGPoint] in
            switch step {
            case .move(let point), .line(let point): [point]
            case .curve(let control1, let control2, let end): [control1, control2, end]
            case .close: []
            }
        }
    }

    var isFinite: Bool { points.allSatisfy { $0.x.isFinite && $0.y.isFinite } }

    /// The smallest rectangle that contains all points, including the control points of curves; nil for an empty path.
    var bounds: CGRect? {
        let points = points
        guard let first = points.first else { return nil }
        var (left, right, low, high) = (first.x, first.x, first.y, first.y)
        for point in points {
            (left, right) = (min(left, point.x), max(right, point.x))
            (low, high) = (min(low, point.y), max(high, point.y))
        }
        return CGRect(x: left, y: low, width: right - left, height: high - low)
    }
}
