import CoreGraphics
import Foundation
import Testing

/// Tests of blend modes, by the formulas of the PDF specification and of Porter and Duff.
@Suite struct CGBlendModeTests {
    private let left = CGRect(x: 0, y: 0, width: 1, height: 1)

    /// The left pixel of two after a drawing over a color; the right one must stay. Each is gray and opacity.
    private func drawn(
        _ mode: CGBlendMode, _ form: DrawnBitmap.Form, over before: (gray: Double, alpha: Double),
        _ draw: (CGContext) -> Void
    ) throws -> [UInt8] {
        let bitmap = try DrawnBitmap(2, 1, form)
        bitmap.context.setFillColor(gray: before.gray, alpha: before.alpha)
        bitmap.context.fill(CGRect(x: 0, y: 0, width: 2, height: 1))
        let right = bitmap[1, 0]
        bitmap.context.setBlendMode(mode)
        draw(bitmap.context)
        #expect(bitmap[1, 0] == right, "\(mode) changed what is outside")
        #expect(Set(bitmap[0, 0].prefix(3)).count == 1)
        return [bitmap[0, 0][0], bitmap[0, 0][3]]
    }

    /// The result of an opaque gray of 0.75 over one of 0.25.
    private static let opaque: [(CGBlendMode, Double)] = [
        (.normal, 0.75), (.multiply, 0.1875), (.screen, 0.8125), (.overlay, 0.375), (.darken, 0.25), (.lighten, 0.75),
        (.colorDodge, 1), (.colorBurn, 0), (.hardLight, 0.625), (.difference, 0.5), (.exclusion, 0.625), (.copy, 0.75),
        (.plusLighter, 1), (.sourceAtop, 0.75), (.destinationOver, 0.25), (.sourceIn, 0.75), (.destinationIn, 0.25),
        (.destinationAtop, 0.25), (.luminosity, 0.75), (.color, 0.25), (.hue, 0.25), (.saturation, 0.25),
    ]

    @Test(arguments: [DrawnBitmap.Form.bgra, .rgba])
    func setBlendMode_opaqueColors_mixesByItsFormula(_ form: DrawnBitmap.Form) throws {
        for (mode, expected) in Self.opaque {
            let result = try drawn(mode, form, over: (0.25, 1)) {
                $0.setFillColor(gray: 0.75, alpha: 1)
                $0.fill(left)
            }
            let bytes = [UInt8((expected * 255).rounded()), 255]
            #expect(DrawnBitmap.isNear(result, bytes, by: 2), "\(mode): \(result) for \(bytes)")
        }
    }

    /// White with opacity 0.5 over black with opacity 0.25: premultiplied gray, and opacity.
    private static let translucent: [(CGBlendMode, Double, Double)] = [
        (.normal, 0.5, 0.625), (.clear, 0, 0), (.copy, 0.5, 0.5), (.sourceIn, 0.125, 0.125),
        (.sourceOut, 0.375, 0.375), (.sourceAtop, 0.125, 0.25), (.destinationOver, 0.375, 0.625),
        (.destinationIn, 0, 0.125), (.destinationOut, 0, 0.125), (.destinationAtop, 0.375, 0.5), (.xor, 0.375, 0.5),
        (.plusLighter, 0.5, 0.75),
    ]

    @Test(arguments: [DrawnBitmap.Form.bgra, .argb])
    func setBlendMode_translucentColors_mixesByItsFormula(_ form: DrawnBitmap.Form) throws {
        let image = try DrawnBitmap.image(1, 1) { _, _ in [255, 255, 255, 255] }
        for (mode, gray, alpha) in Self.translucent {
            let bytes = [UInt8((gray * 255).rounded()), UInt8((alpha * 255).rounded())]
            let filled = try drawn(mode, form, over: (0, 0.25)) {
                $0.setFillColor(gray: 1, alpha: 0.5)
                $0.fill(left)
            }
            #expect(DrawnBitmap.isNear(filled, bytes, by: 2), "\(mode): \(filled) for \(bytes)")
            let painted = try drawn(mode, form, over: (0, 0.25)) {
                $0.setAlpha(0.5)
                $0.draw(image, in: left)
            }
            #expect(DrawnBitmap.isNear(painted, bytes, by: 2), "\(mode) of an image: \(painted) for \(bytes)")
        }
    }

    @Test func setBlendMode_sourceIn_tintsAShape() throws {
        // The usual way to give an image another color.
        let bitmap = try DrawnBitmap(8, 8, .rgba)
        bitmap.context.fillEllipse(in: CGRect(x: 0, y: 0, width: 8, height: 8))
        let before = bitmap.pixels.map { $0[3] }
        bitmap.context.setBlendMode(.sourceIn)
        bitmap.context.setFillColor(red: 0, green: 1, blue: 0, alpha: 1)
        bitmap.context.fill(CGRect(x: 0, y: 0, width: 8, height: 8))
        #expect(bitmap.pixels.map { $0[3] } == before)
        #expect(bitmap.pixels.allSatisfy { $0[0] == 0 && $0[1] == $0[3] })
    }
}
