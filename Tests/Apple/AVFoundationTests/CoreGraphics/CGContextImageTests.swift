import CoreGraphics
import Foundation
import Testing

/// Tests of images that are drawn into bitmap contexts.
@Suite struct CGContextImageTests {
    /// An opaque image with other colors in each pixel.
    private func colors(_ width: Int, _ height: Int, alpha: CGImageAlphaInfo = .premultipliedLast) throws -> CGImage {
        try DrawnBitmap.image(width, height, alpha) { x, y in Self.color(x, y) }
    }

    private static func color(_ x: Int, _ y: Int) -> [UInt8] {
        [UInt8(37 * x & 255), UInt8(53 * y & 255), UInt8(11 * (x + 2 * y) & 255), 255]
    }

    private func box(_ width: Int, _ height: Int) -> CGRect { CGRect(x: 0, y: 0, width: width, height: height) }

    @Test(arguments: DrawnBitmap.Form.allCases)
    func draw_sameSize_isExactAndUpright(_ form: DrawnBitmap.Form) throws {
        let image = try colors(7, 5)
        for quality in [CGInterpolationQuality.default, .none, .low, .medium, .high] {
            let bitmap = try DrawnBitmap(9, 8, form)
            bitmap.context.interpolationQuality = quality
            bitmap.context.draw(image, in: CGRect(x: 1, y: 2, width: 7, height: 5))
            for y in 0..<5 {
                for x in 0..<7 {
                    #expect(bitmap[x + 1, y + 1] == Array(Self.color(x, y).prefix(form.hasAlpha ? 4 : 3)))
                }
            }
            #expect(bitmap[0, 0].allSatisfy { $0 == 0 })
        }
    }

    /// A copy through each form of image, which has the same colors in other bytes.
    @Test(arguments: DrawnBitmap.Form.allCases)
    func draw_imageOfEachByteOrder_isExact(_ form: DrawnBitmap.Form) throws {
        let first = try DrawnBitmap(7, 5, form)
        first.context.draw(try colors(7, 5), in: box(7, 5))
        let second = try DrawnBitmap(7, 5)
        second.context.draw(try #require(first.context.makeImage()), in: box(7, 5))
        #expect(second.pixels == (0..<5).flatMap { y in (0..<7).map { x in Self.color(x, y) } })
    }

    @Test func draw_translucentImage_isExactOnClearMemory() throws {
        let image = try DrawnBitmap.image(16, 16) { x, y in
            let alpha = UInt8(16 * y + x)
            return [alpha, alpha / 2, alpha / 3, alpha]
        }
        for form in [DrawnBitmap.Form.bgra, .rgba] {
            let bitmap = try DrawnBitmap(16, 16, form)
            bitmap.context.draw(image, in: box(16, 16))
            for value in 0..<256 {
                let alpha = UInt8(value)
                #expect(bitmap[value % 16, value / 16] == [alpha, alpha / 2, alpha / 3, alpha])
            }
        }
    }

    @Test func draw_straightAlpha_isPremultipliedToTheNearest() throws {
        let image = try DrawnBitmap.image(16, 16, .last) { x, y in [255, 200, 3, UInt8(16 * y + x)] }
        let bitmap = try DrawnBitmap(16, 16)
        bitmap.context.draw(image, in: box(16, 16))
        for alpha in 0..<256 {
            let expected = [255, 200, 3].map { UInt8((Double($0 * alpha) / 255).rounded()) } + [UInt8(alpha)]
            #expect(bitmap[alpha % 16, alpha / 16] == expected)
        }
    }

    @Test func draw_grayAndPackedImages_areRead() throws {
        let bitmap = try DrawnBitmap(2, 1)
        bitmap.context.draw(try DrawnBitmap.image(2, 1, .none) { x, _ in [UInt8(100 + x)] }, in: box(2, 1))
        #expect(bitmap.pixels == [[100, 100, 100, 255], [101, 101, 101, 255]])
        bitmap.context.draw(try DrawnBitmap.image(2, 1, .none) { x, _ in [UInt8(x), 20, 30] }, in: box(2, 1))
        #expect(bitmap.pixels == [[0, 20, 30, 255], [1, 20, 30, 255]])
        bitmap.context.clear(box(2, 1))
        bitmap.context.draw(try DrawnBitmap.image(2, 1, .last) { _, _ in [200, 51] }, in: box(2, 1))
        #expect(bitmap.pixels == Array(repeating: [40, 40, 40, 51], count: 2))
        let gray = try DrawnBitmap(gray: 2, 1)
        gray.context.draw(
            try DrawnBitmap.image(2, 1) { x, _ in x == 0 ? [9, 9, 9, 255] : [255, 0, 0, 255] }, in: box(2, 1))
        #expect(gray.pixels == [[9], [77]])
    }

    @Test func draw_quarterTurnsAndMirrors_areExact() throws {
        let image = try colors(7, 5)
        // The source of each pixel of the result, counted from the upper left.
        let cases: [(size: (Int, Int), transform: CGAffineTransform, source: (Int, Int) -> (Int, Int))] = [
            ((5, 7), CGAffineTransform(translationX: 5, y: 0).rotated(by: .pi / 2), { x, y in (6 - y, x) }),
            ((7, 5), CGAffineTransform(translationX: 7, y: 5).rotated(by: .pi), { x, y in (6 - x, 4 - y) }),
            ((5, 7), CGAffineTransform(translationX: 0, y: 7).rotated(by: -.pi / 2), { x, y in (y, 4 - x) }),
            ((7, 5), CGAffineTransform(translationX: 0, y: 5).scaledBy(x: 1, y: -1), { x, y in (x, 4 - y) }),
            ((7, 5), CGAffineTransform(translationX: 7, y: 0).scaledBy(x: -1, y: 1), { x, y in (6 - x, y) }),
        ]
        for form in [DrawnBitmap.Form.bgra, .xrgb] {
            for (size, transform, source) in cases {
                let bitmap = try DrawnBitmap(size.0, size.1, form)
                bitmap.context.concatenate(transform)
                bitmap.context.draw(image, in: box(7, 5))
                for y in 0..<size.1 {
                    for x in 0..<size.0 {
                        let from = source(x, y)
                        #expect(bitmap[x, y].prefix(3) == Self.color(from.0, from.1).prefix(3))
                    }
                }
            }
        }
    }

    @Test func draw_enlargedWithoutInterpolation_repeatsPixels() throws {
        let bitmap = try DrawnBitmap(21, 10)
        bitmap.context.interpolationQuality = .none
        bitmap.context.draw(try colors(7, 5), in: box(21, 10))
        for y in 0..<10 {
            for x in 0..<21 { #expect(bitmap[x, y] == Self.color(x / 3, y / 2)) }
        }
    }

    @Test(arguments: [CGInterpolationQuality.default, .low, .medium, .high])
    func draw_scaled_keepsAreasAndEdges(_ quality: CGInterpolationQuality) throws {
        // The left half is black, the right half white.
        let image = try DrawnBitmap.image(64, 64) { x, _ in x < 32 ? [0, 0, 0, 255] : [255, 255, 255, 255] }
        for size in [16, 100, 64 * 3] {
            let bitmap = try DrawnBitmap(size, size)
            bitmap.context.interpolationQuality = quality
            bitmap.context.draw(image, in: box(size, size))
            #expect(bitmap.pixels.allSatisfy { $0[3] >= 254 })
            #expect(DrawnBitmap.isNear(bitmap[0, size / 2], [0, 0, 0, 255], by: 2))
            #expect(DrawnBitmap.isNear(bitmap[size - 1, 0], [255, 255, 255, 255], by: 2))
            #expect(abs(bitmap.area(0) - Double(size * size) / 2) < Double(size * size) / 100)
        }
    }

    @Test func draw_reduced_isTheMeanOfItsPixels() throws {
        let image = try DrawnBitmap.image(64, 64) { x, y in (x + y) % 2 == 0 ? [0, 0, 0, 255] : [255, 255, 255, 255] }
        let bitmap = try DrawnBitmap(16, 16)
        bitmap.context.draw(image, in: box(16, 16))
        #expect(bitmap.pixels.allSatisfy { (120...136).contains($0[0]) && $0[3] >= 254 })
    }

    @Test func draw_rotated_coversItsArea() throws {
        let image = try DrawnBitmap.image(20, 10) { _, _ in [255, 0, 0, 255] }
        let bitmap = try DrawnBitmap(40, 40, .rgba)
        bitmap.context.translateBy(x: 20, y: 20)
        bitmap.context.rotate(by: .pi / 6)
        bitmap.context.draw(image, in: CGRect(x: -10, y: -5, width: 20, height: 10))
        #expect(abs(bitmap.area(3) - 200) < 2)
        #expect(bitmap[20, 20] == [255, 0, 0, 255] && bitmap[1, 1] == [0, 0, 0, 0])
        // Premultiplied: no component exceeds alpha.
        #expect(bitmap.pixels.allSatisfy { $0[0] == $0[3] && $0[1] == 0 })
    }

    @Test func draw_withAlphaAndClip_isMixedInside() throws {
        let image = try DrawnBitmap.image(8, 8) { _, _ in [255, 255, 255, 255] }
        let bitmap = try DrawnBitmap(8, 8)
        bitmap.context.fill(box(8, 8))
        bitmap.context.clip(to: CGRect(x: 0, y: 0, width: 4, height: 8))
        bitmap.context.setAlpha(0.5)
        bitmap.context.draw(image, in: box(8, 8))
        #expect(DrawnBitmap.isNear(bitmap[1, 1], [128, 128, 128, 255]))
        #expect(bitmap[5, 1] == [0, 0, 0, 255])
        bitmap.context.setBlendMode(.copy)
        bitmap.context.draw(image, in: box(8, 8))
        #expect(DrawnBitmap.isNear(bitmap[1, 1], [128, 128, 128, 128]))
        #expect(bitmap[5, 1] == [0, 0, 0, 255])
    }

    @Test func draw_croppedImage_isItsPart() throws {
        let part = try #require(try colors(9, 9).cropping(to: CGRect(x: 2, y: 3, width: 4, height: 5)))
        let bitmap = try DrawnBitmap(4, 5)
        bitmap.context.draw(part, in: box(4, 5))
        #expect(bitmap[0, 0] == Self.color(2, 3) && bitmap[3, 4] == Self.color(5, 7))
    }

    /// Cairo gives up a context that it asks for this transform: a quarter turn, 9701 times wider, 50 times lower.
    @Test(arguments: [DrawnBitmap.Form.bgra, .rgba])
    func draw_transformThatCairoRefuses_keepsTheContext(_ form: DrawnBitmap.Form) throws {
        // The image would be a thin line at x = 940.
        let bitmap = try DrawnBitmap(1000, 3, form)
        let context = bitmap.context
        let image = try DrawnBitmap.image(1, 1) { _, _ in [255, 255, 255, 255] }
        context.setFillColor(.white)
        context.clip(to: CGRect(x: 936, y: 0, width: 10, height: 2))
        context.saveGState()
        context.clip(to: CGRect(x: 938, y: 0, width: 4, height: 9))
        context.saveGState()
        context.clip(to: CGRect(x: 939, y: 0, width: 2, height: 9))
        func drawRefused() {
            context.saveGState()
            context.concatenate(CGAffineTransform(a: 0, b: -9701, c: 0.02, d: 0, tx: 939.98, ty: 8343))
            context.draw(image, in: box(1, 1))
            context.restoreGState()
        }
        drawRefused()
        context.fill(box(1000, 3))
        #expect(bitmap.area(3) == 4)
        drawRefused()
        context.restoreGState()
        #expect(context.boundingBoxOfClipPath == CGRect(x: 938, y: 0, width: 4, height: 2))
        context.fill(box(1000, 3))
        #expect(bitmap.area(3) == 8)
        drawRefused()
        context.restoreGState()
        context.fill(box(1000, 3))
        #expect(bitmap.area(3) == 20)
        drawRefused()
        context.resetClip()
        context.fill(box(1000, 3))
        #expect(bitmap.area(3) == 3000)
    }

    @Test func draw_unusableImagesAndRectangles_leaveThePixels() throws {
        let bitmap = try DrawnBitmap(4, 4)
        let provider = try #require(CGDataProvider(data: Data(count: 512) as CFData))
        let deep = try #require(
            CGImage(
                width: 4, height: 4, bitsPerComponent: 16, bitsPerPixel: 64, bytesPerRow: 32,
                space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGBitmapInfo(alpha: .noneSkipLast),
                provider: provider, decode: nil, shouldInterpolate: false, intent: .defaultIntent))
        bitmap.context.draw(deep, in: box(4, 4))
        let image = try DrawnBitmap.image(1, 1) { _, _ in [255, 255, 255, 255] }
        for strange in [CGFloat.nan, .infinity, -.infinity, 1e300] {
            bitmap.context.draw(image, in: CGRect(x: strange, y: 0, width: 4, height: 4))
            bitmap.context.draw(image, in: CGRect(x: 0, y: 0, width: 4, height: strange))
        }
        for rectangle in [CGRect.null, .zero, CGRect(x: 90, y: 0, width: 1, height: 1)] {
            bitmap.context.draw(image, in: rectangle)
        }
        bitmap.context.clear(CGRect(x: 0, y: 0, width: 4, height: 4))
        bitmap.context.draw(image, in: CGRect(x: 4, y: 4, width: -2, height: -2))
        #expect(bitmap.area(3) == 4 && bitmap[3, 0][3] == 255)
    }
}
