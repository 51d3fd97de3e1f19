import CoreGraphics
import Foundation
import Testing

/// Tests of paths: what is filled and stroked, as areas in pixels.
@Suite struct CGContextPathTests {
    private let everything = CGRect(x: 0, y: 0, width: 40, height: 40)

    private func white(_ form: DrawnBitmap.Form = .bgra) throws -> DrawnBitmap {
        let bitmap = try DrawnBitmap(40, 40, form)
        bitmap.context.setFillColor(.white)
        bitmap.context.setStrokeColor(.white)
        return bitmap
    }

    /// The area that a path fills in a new bitmap.
    private func area(_ rule: CGPathFillRule = .winding, _ draw: (CGContext) -> Void) throws -> Double {
        let bitmap = try white()
        draw(bitmap.context)
        bitmap.context.fillPath(using: rule)
        #expect(bitmap.context.isPathEmpty)
        return bitmap.area(3)
    }

    private func isNear(_ area: Double, _ expected: Double) -> Bool { abs(area - expected) < max(1, expected / 100) }

    @Test func fillPath_curvesAndArcs_haveTheirAreas() throws {
        #expect(try isNear(area { $0.addEllipse(in: CGRect(x: 2, y: 5, width: 30, height: 20)) }, 150 * .pi))
        let center = CGPoint(x: 20, y: 20)
        // From 0 to half a turn, counterclockwise: the upper half.
        #expect(
            try isNear(
                area {
                    $0.addArc(center: center, radius: 15, startAngle: 0, endAngle: .pi, clockwise: false)
                }, 112.5 * .pi))
        #expect(
            try isNear(
                area {
                    $0.move(to: center)
                    $0.addArc(center: center, radius: 16, startAngle: 0, endAngle: .pi / 2, clockwise: true)
                    $0.closePath()
                }, 192 * .pi))
        #expect(
            try isNear(
                area {
                    $0.addArc(center: center, radius: 15, startAngle: 0, endAngle: 2 * .pi, clockwise: true)
                }, 225 * .pi))
        #expect(
            try isNear(
                area {
                    $0.move(to: CGPoint(x: 5, y: 5))
                    $0.addQuadCurve(to: CGPoint(x: 35, y: 5), control: CGPoint(x: 20, y: 35))
                }, 300))
        #expect(
            try isNear(
                area {
                    $0.move(to: CGPoint(x: 5, y: 5))
                    $0.addCurve(
                        to: CGPoint(x: 35, y: 5), control1: CGPoint(x: 5, y: 25), control2: CGPoint(x: 35, y: 25))
                }, 360))
        #expect(
            try isNear(
                area {
                    $0.addPath(
                        CGPath(
                            roundedRect: CGRect(x: 4, y: 4, width: 30, height: 20), cornerWidth: 6, cornerHeight: 6,
                            transform: nil))
                }, 600 - 36 * (4 - .pi)))
        #expect(
            try area {
                $0.addLines(between: [.zero, CGPoint(x: 20, y: 0), CGPoint(x: 20, y: 20), CGPoint(x: 0, y: 20)])
            } == 400)
    }

    @Test func fill_infiniteRectangleInAScaledContext_fillsTheClip() throws {
        let bitmap = try white()
        bitmap.context.scaleBy(x: 3, y: 3)
        bitmap.context.clip(to: .infinite)
        bitmap.context.fill(.infinite)
        #expect(bitmap.area(3) == 1600)
        bitmap.context.clear(.infinite)
        #expect(bitmap.area(3) == 0)
    }

    @Test func addArc_directions_fillTheRightHalf() throws {
        for isClockwise in [false, true] {
            let bitmap = try white()
            bitmap.context.addArc(
                center: CGPoint(x: 20, y: 20), radius: 15, startAngle: 0, endAngle: .pi, clockwise: isClockwise)
            bitmap.context.drawPath(using: .fill)
            // Row 10 is above the center.
            #expect((bitmap[20, 10][3] == 255) == !isClockwise)
            #expect((bitmap[20, 30][3] == 255) == isClockwise)
        }
    }

    @Test func fillPath_rules_differInsideOfASecondShape() throws {
        let inner = CGRect(x: 10, y: 10, width: 10, height: 10)
        #expect(try area { $0.addRects([everything, inner]) } == 1600)
        #expect(try area(.evenOdd) { $0.addRects([everything, inner]) } == 1500)
        let bitmap = try white()
        bitmap.context.addRects([everything, inner])
        bitmap.context.drawPath(using: .eoFill)
        #expect(bitmap.area(3) == 1500)
    }

    @Test(arguments: [DrawnBitmap.Form.bgra, .abgr])
    func strokePath_lines_haveTheirWidth(_ form: DrawnBitmap.Form) throws {
        let bitmap = try white(form)
        bitmap.context.setLineWidth(4)
        bitmap.context.move(to: CGPoint(x: 10, y: 20))
        bitmap.context.addLine(to: CGPoint(x: 30, y: 20))
        bitmap.context.strokePath()
        #expect(bitmap.area(3) == 80)
        #expect(bitmap[10, 18][3] == 255 && bitmap[29, 21][3] == 255 && bitmap[20, 17][3] == 0)
        bitmap.context.setLineCap(.square)
        bitmap.context.strokeLineSegments(between: [CGPoint(x: 10, y: 20), CGPoint(x: 30, y: 20), .zero])
        #expect(bitmap.area(3) == 96)
        bitmap.context.clear(everything)
        bitmap.context.setLineCap(.round)
        bitmap.context.strokeLineSegments(between: [CGPoint(x: 10, y: 20), CGPoint(x: 30, y: 20)])
        #expect(isNear(bitmap.area(3), 80 + 4 * .pi))
    }

    @Test func strokePath_scaledContext_scalesThePen() throws {
        let bitmap = try white()
        bitmap.context.scaleBy(x: 2, y: 4)
        bitmap.context.setLineWidth(2)
        bitmap.context.move(to: CGPoint(x: 5, y: 5))
        bitmap.context.addLine(to: CGPoint(x: 10, y: 5))
        bitmap.context.strokePath()
        #expect(isNear(bitmap.area(3), 80))
    }

    @Test func stroke_rectangles_haveTheirJoins() throws {
        let box = CGRect(x: 10, y: 10, width: 20, height: 20)
        for (join, corners) in [(.miter, 16), (.bevel, 8), (.round, 4 * .pi)] as [(CGLineJoin, Double)] {
            let bitmap = try white()
            bitmap.context.setLineJoin(join)
            bitmap.context.stroke(box, width: 4)
            // The edges within the corners' squares, and the part of each square outside.
            #expect(isNear(bitmap.area(3), 4 * 4 * 16 + 48 + corners), "\(join)")
        }
        let bitmap = try white()
        bitmap.context.stroke(box)
        #expect(isNear(bitmap.area(3), 80))
        bitmap.context.clear(everything)
        bitmap.context.setLineWidth(2)
        bitmap.context.strokeEllipse(in: box)
        #expect(isNear(bitmap.area(3), 40 * .pi))
    }

    @Test func setMiterLimit_sharpCorner_isCutOff() throws {
        func area(_ limit: CGFloat) throws -> Double {
            let bitmap = try white()
            bitmap.context.setLineWidth(4)
            bitmap.context.setMiterLimit(limit)
            bitmap.context.addLines(between: [CGPoint(x: 4, y: 16), CGPoint(x: 24, y: 20), CGPoint(x: 4, y: 24)])
            bitmap.context.strokePath()
            return bitmap.area(3)
        }
        #expect(try area(10) > area(1) + 10)
    }

    @Test func setLineDash_leavesGaps() throws {
        let bitmap = try white()
        bitmap.context.setLineDash(phase: 0, lengths: [3, 5])
        func line() {
            bitmap.context.move(to: CGPoint(x: 0, y: 0.5))
            bitmap.context.addLine(to: CGPoint(x: 40, y: 0.5))
            bitmap.context.strokePath()
        }
        line()
        #expect(bitmap.area(3) == 15 && bitmap[2, 39][3] == 255 && bitmap[3, 39][3] == 0)
        // What is invalid means a solid line.
        for lengths in [[], [0, 0], [-1, 2], [.nan]] as [[CGFloat]] {
            bitmap.context.clear(everything)
            bitmap.context.setLineDash(phase: 0, lengths: lengths)
            line()
            #expect(bitmap.area(3) == 40)
        }
    }

    @Test func drawPath_fillAndStroke_drawsBoth() throws {
        let bitmap = try white()
        bitmap.context.setStrokeColor(red: 1, green: 0, blue: 0, alpha: 1)
        bitmap.context.setLineWidth(2)
        bitmap.context.addRect(CGRect(x: 10, y: 10, width: 20, height: 20))
        bitmap.context.drawPath(using: .fillStroke)
        #expect(bitmap[20, 20] == [255, 255, 255, 255] && bitmap[10, 20] == [255, 0, 0, 255])
        #expect(bitmap.area(3) == 22 * 22)
    }

    @Test func fill_hugeAndInvalidCoordinates_areSafe() throws {
        let bitmap = try white()
        for strange in [CGFloat.nan, .infinity, -.infinity] {
            bitmap.context.fill(CGRect(x: strange, y: 0, width: 10, height: 10))
            bitmap.context.fill(CGRect(x: 0, y: 0, width: strange, height: 10))
            bitmap.context.addLine(to: CGPoint(x: strange, y: strange))
            bitmap.context.move(to: CGPoint(x: strange, y: 1))
            bitmap.context.addArc(
                center: .zero, radius: strange, startAngle: strange, endAngle: strange, clockwise: true)
            bitmap.context.addEllipse(in: CGRect(x: 1, y: 1, width: strange, height: 1))
            bitmap.context.strokePath()
        }
        bitmap.context.fill(.null)
        bitmap.context.clear(.null)
        bitmap.context.setLineWidth(.nan)
        bitmap.context.setLineWidth(-1)
        bitmap.context.setMiterLimit(.nan)
        bitmap.context.fillPath()
        bitmap.context.strokePath()
        bitmap.context.fill(CGRect(x: -1e30, y: -1e30, width: 2e30, height: 2e30))
        #expect(bitmap.area(3) == 1600)
        bitmap.context.clear(CGRect(x: -1e30, y: -1e30, width: 2e30, height: 2e30))
        #expect(bitmap.area(3) == 0)
    }

    @Test(
        arguments: [
            (1e6, 1), (2e7, 1), (1e13, 1), (1e15, 1), (1e300, 1), (1e9, 1e-3), (1, 1e12),
        ] as [(CGFloat, CGFloat)])
    func strokePath_hugeLineWidth_coversTheBitmap(_ width: CGFloat, _ scale: CGFloat) throws {
        for (cap, join) in [(.butt, .miter), (.round, .round), (.square, .bevel)] as [(CGLineCap, CGLineJoin)] {
            let bitmap = try white()
            bitmap.context.saveGState()
            bitmap.context.scaleBy(x: scale, y: scale)
            bitmap.context.setLineWidth(width)
            bitmap.context.setLineCap(cap)
            bitmap.context.setLineJoin(join)
            bitmap.context.setMiterLimit(1e9)
            let places: [CGFloat] = [-10, 20, 50]
            bitmap.context.addLines(between: places.map { CGPoint(x: $0 / scale, y: 20 / scale) })
            bitmap.context.strokePath()
            #expect(isNear(bitmap.area(3), 1600))
            bitmap.context.restoreGState()
            // The context is still of use.
            bitmap.context.clear(CGRect(x: 0, y: 0, width: 40, height: 20))
            #expect(isNear(bitmap.area(3), 800))
        }
    }

    @Test func path_ofShapes_hasItsBounds() throws {
        let box = CGRect(x: 1, y: 2, width: 3, height: 4)
        #expect(CGPath(rect: box, transform: nil).boundingBox == box)
        var double = CGAffineTransform(scaleX: 2, y: 2)
        let large = CGPath(rect: box, transform: &double)
        #expect(large.boundingBox == CGRect(x: 2, y: 4, width: 6, height: 8))
        let ellipse = CGPath(ellipseIn: box, transform: nil).boundingBox
        #expect(abs(Double(ellipse.minX) - 1) < 1e-9 && abs(Double(ellipse.maxY) - 6) < 1e-9)
        #expect(CGPath(rect: box, transform: nil) == CGPath(rect: box, transform: nil))
        #expect(CGMutablePath().isEmpty && CGMutablePath().boundingBox.isNull)
    }

    @Test func mutablePath_everyStep_isFilledAsInAContext() throws {
        let path = CGMutablePath()
        path.addLine(to: CGPoint(x: 9, y: 9))
        #expect(path.isEmpty)
        path.move(to: CGPoint(x: 5, y: 5))
        path.addLine(to: CGPoint(x: 15, y: 5))
        path.addLine(to: CGPoint(x: 15, y: 15))
        #expect(path.currentPoint == CGPoint(x: 15, y: 15))
        path.closeSubpath()
        #expect(path.currentPoint == CGPoint(x: 5, y: 5))
        let copy = try #require(path.copy())
        path.addRect(CGRect(x: 20, y: 20, width: 5, height: 5))
        path.addRects([CGRect(x: 0, y: 0, width: 1, height: 1), CGRect(x: 2, y: 0, width: 1, height: 1)])
        path.addLines(between: [CGPoint(x: 30, y: 0), CGPoint(x: 34, y: 0), CGPoint(x: 34, y: 4)])
        path.addPath(path, transform: CGAffineTransform(translationX: 0, y: 100))
        #expect(try isNear(area { $0.addPath(path) }, 50 + 25 + 2 + 8))
        #expect(try isNear(area { $0.addPath(copy) }, 50))
        let other = try #require(copy.mutableCopy())
        other.addEllipse(in: CGRect(x: 20, y: 20, width: 10, height: 10))
        other.addRoundedRect(in: CGRect(x: 0, y: 30, width: 6, height: 6), cornerWidth: 0, cornerHeight: 9)
        other.move(to: CGPoint(x: 30, y: 0))
        other.addQuadCurve(to: CGPoint(x: 36, y: 0), control: CGPoint(x: 33, y: 6))
        other.move(to: CGPoint(x: 0, y: 20))
        other.addCurve(to: CGPoint(x: 10, y: 20), control1: CGPoint(x: 0, y: 26), control2: CGPoint(x: 10, y: 26))
        other.closeSubpath()
        other.move(to: CGPoint(x: 36, y: 32))
        other.addArc(
            center: CGPoint(x: 36, y: 36), radius: 4, startAngle: -.pi / 2, endAngle: .pi / 2, clockwise: false)
        #expect(try isNear(area { $0.addPath(other) }, 50 + 25 * .pi + 36 + 12 + 36 + 8 * .pi))
        #expect(copy != other)
    }
}
