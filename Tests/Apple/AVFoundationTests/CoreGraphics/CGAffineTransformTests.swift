import AVFoundation
import CoreGraphics
import Testing

@Suite struct CGAffineTransformTests {
    private func near(_ a: CGPoint, _ x: Double, _ y: Double) -> Bool {
        abs(Double(a.x) - x) < 1e-9 && abs(Double(a.y) - y) < 1e-9
    }

    @Test func transform_appliedToAPoint_scalesRotatesAndMoves() {
        let point = CGPoint(x: 2, y: 1)
        #expect(near(point.applying(CGAffineTransform(scaleX: 3, y: 4)), 6, 4))
        #expect(near(point.applying(CGAffineTransform(rotationAngle: .pi / 2)), -1, 2))
        #expect(near(point.applying(CGAffineTransform(translationX: 5, y: -1)), 7, 0))
        #expect(near(point.applying(CGAffineTransform(a: 1, b: 2, c: 3, d: 4, tx: 5, ty: 6)), 10, 14))
    }

    @Test func transform_scaledByAndConcatenating_applyInTheirOrder() {
        let moved = CGAffineTransform(translationX: 10, y: 0)
        #expect(near(CGPoint(x: 1, y: 1).applying(moved.scaledBy(x: 2, y: 2)), 12, 2))
        #expect(near(CGPoint(x: 1, y: 1).applying(moved.concatenating(CGAffineTransform(scaleX: 2, y: 2))), 22, 2))
        // The usual transform that shows a 1920×1080 movie upright.
        let upright = CGAffineTransform(translationX: 1080, y: 0).rotated(by: .pi / 2)
        #expect(near(CGPoint(x: 1920, y: 0).applying(upright), 1080, 1920))
        #expect(near(CGPoint(x: 0, y: 1080).applying(upright), 0, 0))
    }

    @Test func inverted_returnsThePointBack() {
        let transform = CGAffineTransform(a: 2, b: 1, c: -1, d: 3, tx: 7, ty: -4)
        let point = CGPoint(x: 3, y: 5)
        #expect(near(point.applying(transform).applying(transform.inverted()), 3, 5))
        let flat = CGAffineTransform(a: 1, b: 1, c: 1, d: 1, tx: 0, ty: 0)
        #expect(flat.inverted() == flat)
        #expect(transform.concatenating(.identity) == transform)
        #expect(CGAffineTransformIdentity.isIdentity && !transform.isIdentity)
    }

    @Test func transform_appliedToARectangle_returnsItsBounds() {
        let rectangle = CGRect(x: 0, y: 0, width: 1920, height: 1080).applying(
            CGAffineTransform(rotationAngle: .pi / 2))
        #expect(abs(Double(rectangle.minX) + 1080) < 1e-9 && abs(Double(rectangle.minY)) < 1e-9)
        #expect(abs(Double(rectangle.width) - 1080) < 1e-9 && abs(Double(rectangle.height) - 1920) < 1e-9)
        #expect(CGRect.null.applying(CGAffineTransform(scaleX: 2, y: 2)).isNull)
        #expect(
            CGSize(width: 2, height: 3).applying(CGAffineTransform(translationX: 9, y: 9))
                == CGSize(width: 2, height: 3))
    }

    @Test func transform_encoded_isSixNumbers() throws {
        let transform = CGAffineTransform(a: 1, b: 2, c: 3, d: 4, tx: 5, ty: 6)
        let coded = try JSONEncoder().encode(transform)
        #expect(String(decoding: coded, as: UTF8.self) == "[1,2,3,4,5,6]")
        #expect(try JSONDecoder().decode(CGAffineTransform.self, from: coded) == transform)
    }
}
