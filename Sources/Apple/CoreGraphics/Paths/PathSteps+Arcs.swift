import Foundation

extension PathSteps {
    /// Adds a line from the current point to the arc's start, and then the arc.
    ///
    /// - Parameters:
    ///   - startAngle: radians, from the x axis to the y axis.
    ///   - clockwise: true if the angle decreases. This is clockwise where y points up.
    mutating func arc(
        center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool,
        _ transform: CGAffineTransform
    ) {
        let (from, radius) = (Double(startAngle), Double(radius))
        let turn = Self.turn(from: from, to: Double(endAngle), clockwise: clockwise)
        guard radius.isFinite, from.isFinite, turn.isFinite else { return }
        func point(_ angle: Double, _ along: Double = 0) -> CGPoint {
            CGPoint(
                x: Double(center.x) + radius * (cos(angle) - along * sin(angle)),
                y: Double(center.y) + radius * (sin(angle) + along * cos(angle)))
        }
        let first = point(from)
        if current == nil {
            move(to: first, transform)
        } else if current != first.applying(transform) {
            line(to: first, transform)
        }
        guard turn != 0 else { return }
        // A cubic curve deviates from a quarter of a circle by at most 0.03 % of the radius.
        let count = (abs(turn) / (.pi / 2) - 1e-9).rounded(.up)
        let step = turn / max(1, count)
        let reach = 4.0 / 3 * tan(step / 4)
        var angle = from
        for _ in 0..<max(1, Int(count)) {
            curve(to: point(angle + step), point(angle, reach), point(angle + step, -reach), transform)
            angle += step
        }
    }

    /// Returns the angle that the arc covers: from one full turn backward to one full turn forward.
    private static func turn(from start: Double, to end: Double, clockwise: Bool) -> Double {
        let (whole, difference) = (2 * Double.pi, end - start)
        if abs(difference) >= whole { return clockwise ? -whole : whole }
        if clockwise { return difference > 0 ? difference - whole : difference }
        return difference < 0 ? difference + whole : difference
    }

    mutating func ellipse(in rectangle: CGRect, _ transform: CGAffineTransform) {
        let box = rectangle.standardized
        guard !box.isNull, !box.isInfinite else { return }
        let inside = CGAffineTransform(
            a: box.width / 2, b: 0, c: 0, d: box.height / 2, tx: box.midX, ty: box.midY)
        let whole = inside.concatenating(transform)
        move(to: CGPoint(x: 1, y: 0), whole)
        arc(center: .zero, radius: 1, startAngle: 0, endAngle: 2 * .pi, clockwise: false, whole)
        close()
    }

    /// Adds a rectangle whose corners are quarters of ellipses. A corner is at most half as large as the sides.
    mutating func roundedRectangle(
        _ rectangle: CGRect, _ cornerWidth: CGFloat, _ cornerHeight: CGFloat, _ transform: CGAffineTransform
    ) {
        let box = rectangle.standardized
        guard !box.isNull, !box.isInfinite else { return }
        let width = min(max(0, cornerWidth), box.width / 2)
        let height = min(max(0, cornerHeight), box.height / 2)
        guard width > 0, height > 0 else { return self.rectangle(box, transform) }
        // The corners, beginning with the lower right one, counterclockwise where y points up.
        let corners: [(x: CGFloat, y: CGFloat, angle: CGFloat)] = [
            (box.maxX - width, box.minY + height, -.pi / 2), (box.maxX - width, box.maxY - height, 0),
            (box.minX + width, box.maxY - height, .pi / 2), (box.minX + width, box.minY + height, .pi),
        ]
        move(to: CGPoint(x: box.minX + width, y: box.minY), transform)
        for corner in corners {
            let inside = CGAffineTransform(a: width, b: 0, c: 0, d: height, tx: corner.x, ty: corner.y)
            arc(
                center: .zero, radius: 1, startAngle: corner.angle, endAngle: corner.angle + .pi / 2, clockwise: false,
                inside.concatenating(transform))
        }
        close()
    }
}
