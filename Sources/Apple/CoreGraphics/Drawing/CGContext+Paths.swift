public import Foundation

extension CGContext {
    /// Removes the current path.
    public func beginPath() { path = PathSteps() }

    public var isPathEmpty: Bool { path.isEmpty }

    public func move(to point: CGPoint) { path.move(to: point, state.ctm) }

    /// Adds a line from the current point. Does nothing if there is no current point.
    public func addLine(to point: CGPoint) { path.line(to: point, state.ctm) }

    public func addLines(between points: [CGPoint]) {
        guard let first = points.first else { return }
        path.move(to: first, state.ctm)
        for point in points.dropFirst() { path.line(to: point, state.ctm) }
    }

    public func addCurve(to end: CGPoint, control1: CGPoint, control2: CGPoint) {
        path.curve(to: end, control1, control2, state.ctm)
    }

    public func addQuadCurve(to end: CGPoint, control: CGPoint) { path.quadCurve(to: end, control, state.ctm) }
    public func addRect(_ rect: CGRect) { path.rectangle(rect, state.ctm) }

    public func addRects(_ rects: [CGRect]) {
        for rect in rects { path.rectangle(rect, state.ctm) }
    }

    public func addEllipse(in rect: CGRect) { path.ellipse(in: rect, state.ctm) }

    /// Adds a line from the current point to the arc's start, and then the arc.
    ///
    /// - Parameters:
    ///   - startAngle: radians from the x axis, counterclockwise.
    ///   - clockwise: true if the arc goes clockwise from the start to the end, as seen without a transform.
    public func addArc(
        center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool
    ) {
        path.arc(
            center: center, radius: radius, startAngle: startAngle, endAngle: endAngle, clockwise: clockwise, state.ctm)
    }

    public func addPath(_ path: CGPath) { self.path.add(path.content, state.ctm) }

    /// Closes the current part of the path with a line to its start.
    public func closePath() { path.close() }

    /// Fills the current path, and removes it.
    public func fillPath(using rule: CGPathFillRule = .winding) {
        fill(path, rule)
        beginPath()
    }

    /// Draws lines along the current path, and removes it.
    public func strokePath() {
        stroke(path)
        beginPath()
    }

    /// Fills the current path, draws lines along it, or both, and removes it.
    public func drawPath(using mode: CGPathDrawingMode) {
        switch mode {
        case .fill: fill(path, .winding)
        case .eoFill: fill(path, .evenOdd)
        case .stroke: stroke(path)
        case .fillStroke:
            fill(path, .winding)
            stroke(path)
        case .eoFillStroke:
            fill(path, .evenOdd)
            stroke(path)
        }
        beginPath()
    }

    /// Limits drawing to the part of the existing clip that is inside the current path; removes the path.
    public func clip(using rule: CGPathFillRule = .winding) {
        clip(to: path, rule)
        beginPath()
    }

    /// Limits drawing to the part of the existing clip that is inside a rectangle.
    public func clip(to rect: CGRect) {
        beginPath()
        addRect(rect)
        clip()
    }

    /// Limits drawing to the part of the existing clip that is inside any of the rectangles.
    public func clip(to rects: [CGRect]) {
        beginPath()
        addRects(rects)
        clip()
    }

    /// Removes the clip.
    public func resetClip() {
        state.removeClips()
        cairo.resetClip(context)
    }

    /// The bounds of the clip, in the program's coordinates; empty if nothing can be drawn.
    public var boundingBoxOfClipPath: CGRect {
        guard let clip = clipBounds else { return CGRect(x: 0, y: 0, width: 0, height: 0) }
        return clip.applying(flip).applying(state.ctm.inverted())
    }
}
