import CoreGraphics
import Foundation
import Testing

/// Tests of transforms, colors, clips and their saved states.
@Suite struct CGContextStateTests {
    private let pixel = CGRect(x: 0, y: 0, width: 1, height: 1)
    private let everything = CGRect(x: 0, y: 0, width: 8, height: 8)

    private func white(_ form: DrawnBitmap.Form = .bgra) throws -> DrawnBitmap {
        let bitmap = try DrawnBitmap(8, 8, form)
        bitmap.context.setFillColor(.white)
        return bitmap
    }

    @Test func transform_laterParts_areAppliedFirst() throws {
        let bitmap = try white()
        bitmap.context.translateBy(x: 4, y: 2)
        bitmap.context.scaleBy(x: 2, y: 3)
        #expect(bitmap.context.ctm == CGAffineTransform(a: 2, b: 0, c: 0, d: 3, tx: 4, ty: 2))
        #expect(bitmap.context.userSpaceToDeviceSpaceTransform == bitmap.context.ctm)
        bitmap.context.fill(pixel)
        #expect(bitmap.area(3) == 6)
        // Columns 4 and 5; rows 2 to 4 from the bottom.
        #expect(bitmap[4, 5][3] == 255 && bitmap[5, 3][3] == 255)
        bitmap.context.clear(pixel)
        #expect(bitmap.area(3) == 0)
    }

    @Test func concatenateAndRotate_moveShapes() throws {
        let bitmap = try white()
        bitmap.context.concatenate(CGAffineTransform(translationX: 8, y: 0))
        bitmap.context.rotate(by: .pi / 2)
        // (x, y) is at (8 − y, x).
        bitmap.context.fill(CGRect(x: 0, y: 0, width: 3, height: 1))
        #expect(abs(bitmap.area(3) - 3) < 0.05)
        #expect((5...7).allSatisfy { bitmap[7, $0][3] > 250 })
    }

    @Test func transform_singularOrNotFinite_drawsNothing() throws {
        for scale in [0, CGFloat.nan, .infinity] {
            let bitmap = try white()
            bitmap.context.saveGState()
            bitmap.context.scaleBy(x: scale, y: 1)
            bitmap.context.fill(everything)
            bitmap.context.stroke(everything)
            bitmap.context.draw(try DrawnBitmap.image(1, 1) { _, _ in [255, 255, 255, 255] }, in: everything)
            bitmap.context.clip(to: everything)
            bitmap.context.fill(everything)
            #expect(bitmap.area(3) == 0)
            // The context is still of use.
            bitmap.context.restoreGState()
            bitmap.context.fill(pixel)
            #expect(bitmap.area(3) == 1)
        }
    }

    @Test func saveGState_restoreGState_returnsEverything() throws {
        let bitmap = try white(.rgba)
        let context = bitmap.context
        context.restoreGState()
        context.saveGState()
        context.translateBy(x: 3, y: 3)
        context.setFillColor(.black)
        context.setAlpha(0.25)
        context.setBlendMode(.copy)
        context.interpolationQuality = .none
        context.clip(to: pixel)
        context.fill(everything)
        #expect(bitmap[3, 4] == [0, 0, 0, 64] && bitmap[4, 4][3] == 0)
        context.restoreGState()
        #expect(context.ctm.isIdentity && context.interpolationQuality == .default)
        context.fill(everything)
        #expect(bitmap.pixels.allSatisfy { $0 == [255, 255, 255, 255] })
    }

    @Test func setAlpha_multipliesTheOpacity() throws {
        let bitmap = try white()
        bitmap.context.setAlpha(0.5)
        bitmap.context.setFillColor(gray: 1, alpha: 0.5)
        bitmap.context.fill(everything)
        #expect(DrawnBitmap.isNear(bitmap[0, 0], [64, 64, 64, 64]))
        bitmap.context.setAlpha(.nan)
        bitmap.context.setAlpha(7)
        bitmap.context.setFillColor(.white)
        bitmap.context.fill(everything)
        #expect(bitmap[0, 0] == [255, 255, 255, 255])
    }

    @Test(arguments: [DrawnBitmap.Form.bgra, .argb])
    func clip_limitsDrawingUntilItIsReset(_ form: DrawnBitmap.Form) throws {
        let bitmap = try white(form)
        bitmap.context.clip(to: CGRect(x: 2, y: 2, width: 4, height: 4))
        bitmap.context.clip(to: CGRect(x: 4, y: 0, width: 4, height: 8))
        #expect(bitmap.context.boundingBoxOfClipPath == CGRect(x: 4, y: 2, width: 2, height: 4))
        bitmap.context.fill(everything)
        #expect(bitmap.area(3) == 8)
        bitmap.context.clip(to: pixel)
        #expect(bitmap.context.boundingBoxOfClipPath.isEmpty)
        bitmap.context.clear(everything)
        #expect(bitmap.area(3) == 8)
        bitmap.context.resetClip()
        #expect(bitmap.context.boundingBoxOfClipPath == everything)
        bitmap.context.fill(everything)
        #expect(bitmap.area(3) == 64)
    }

    @Test func clip_severalRectanglesAndPaths_areJoined() throws {
        let bitmap = try white()
        bitmap.context.saveGState()
        bitmap.context.clip(to: [pixel, CGRect(x: 6, y: 6, width: 2, height: 2)])
        bitmap.context.fill(everything)
        #expect(bitmap.area(3) == 5)
        bitmap.context.restoreGState()
        bitmap.context.clear(everything)
        bitmap.context.addRect(everything)
        bitmap.context.addRect(CGRect(x: 1, y: 1, width: 6, height: 6))
        bitmap.context.clip(using: .evenOdd)
        #expect(bitmap.context.isPathEmpty)
        bitmap.context.fill(everything)
        #expect(bitmap.area(3) == 64 - 36)
    }

    @Test func setShouldAntialias_false_hasHardEdges() throws {
        let bitmap = try white()
        bitmap.context.fillEllipse(in: everything)
        #expect(bitmap.pixels.contains { $0[3] != 0 && $0[3] != 255 })
        bitmap.context.clear(everything)
        bitmap.context.setShouldAntialias(false)
        bitmap.context.fillEllipse(in: everything)
        #expect(bitmap.pixels.allSatisfy { $0[3] == 0 || $0[3] == 255 })
    }
}
