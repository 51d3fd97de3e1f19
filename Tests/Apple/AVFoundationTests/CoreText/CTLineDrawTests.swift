import CoreText
import Foundation
import Testing

/// Tests of lines as they are drawn.
@Suite struct CTLineDrawTests {
    private let large = CTFontCreateWithName("DejaVu Sans" as CFString, 40, nil)

    @Test(arguments: [DrawnBitmap.Form.bgra, .rgba])
    func draw_line_isInsideItsImageBounds(_ form: DrawnBitmap.Form) throws {
        let drawn = try DrawnText(160, 80, form)
        let line = DrawnText.line("Ägj|", large)
        drawn.draw(line, 20.5, 30.25)
        let bounds = CTLineGetImageBounds(line, drawn.context)
        let ink = try #require(drawn.ink)
        #expect(bounds.insetBy(dx: -1, dy: -1).contains(ink))
        // No side is off by more than a pixel and a half.
        #expect(ink.contains(bounds.insetBy(dx: 1.5, dy: 1.5)))
        #expect(drawn.context.textPosition == CGPoint(x: 20.5, y: 30.25))
    }

    @Test func draw_letter_isUprightOnTheBaseline() throws {
        let drawn = try DrawnText()
        drawn.draw(DrawnText.line("L", large), 10, 12)
        let ink = try #require(drawn.ink)
        #expect(abs(Double(ink.minY) - 12) <= 1 && ink.height > 20)
        // Rows count from the top.
        let (top, bottom) = (60 - Int(ink.maxY), 60 - Int(ink.minY))
        let middle = (top + bottom) / 2
        #expect(drawn.area(0..<120, middle..<bottom) > 1.3 * drawn.area(0..<120, top..<middle))
        let center = Int(ink.midX)
        #expect(drawn.area(0..<center, 0..<60) > 1.3 * drawn.area(center..<120, 0..<60))
    }

    @Test func draw_colors_areThoseOfTheAttributes() throws {
        let red = CGColor(red: 1, green: 0, blue: 0, alpha: 1)
        func color(_ line: CTLine) throws -> [UInt8]? {
            let drawn = try DrawnText()
            drawn.context.setFillColor(red: 0, green: 0, blue: 1, alpha: 1)
            drawn.draw(line)
            // The fill color of the context is as before.
            drawn.context.fill(CGRect(x: 0, y: 0, width: 1, height: 1))
            #expect(drawn.bitmap[0, 59] == [0, 0, 255, 255])
            return drawn.bitmap.pixels.first { $0[3] == 255 }
        }
        let name = kCTForegroundColorAttributeName as String
        #expect(try color(DrawnText.line("MM", large, [name: red])) == [255, 0, 0, 255])
        #expect(try color(CTLineCreateWithAttributedString(NSAttributedString(string: "■■"))) == [0, 0, 0, 255])
        let fromContext = [kCTForegroundColorFromContextAttributeName as String: true]
        #expect(try color(DrawnText.line("MM", large, fromContext)) == [0, 0, 255, 255])
    }

    @Test func draw_twoColors_areNextToEachOther() throws {
        let text = NSMutableAttributedString(attributedString: DrawnText.string("MM", large))
        text.addAttribute(
            NSAttributedString.Key(kCTForegroundColorAttributeName as String),
            value: CGColor(red: 1, green: 0, blue: 0, alpha: 1), range: NSRange(location: 1, length: 1))
        let line = CTLineCreateWithAttributedString(text)
        let drawn = try DrawnText()
        drawn.draw(line)
        let border = 10 + Int(DrawnText.width(line) / 2)
        for (index, pixel) in drawn.bitmap.pixels.enumerated() where pixel[3] > 0 {
            let expected = index % 120 < border ? pixel[3] : 0
            #expect(DrawnBitmap.isNear([pixel[1]], [expected]))
        }
        #expect(drawn.area(0..<border, 0..<60) > 50 && drawn.area(border..<120, 0..<60) > 50)
    }

    @Test func draw_scaledContext_doublesTheSize() throws {
        let line = DrawnText.line("Rg8")
        let (single, double) = (try DrawnText(), try DrawnText(240, 120))
        single.draw(line)
        double.context.scaleBy(x: 2, y: 2)
        double.draw(line)
        let (small, big) = (try #require(single.ink), try #require(double.ink))
        #expect(abs(Double(big.width - 2 * small.width)) <= 3 && abs(Double(big.height - 2 * small.height)) <= 3)
        let (area, bigArea) = (single.bitmap.area(3), double.bitmap.area(3))
        #expect(abs(bigArea - 4 * area) < 0.03 * bigArea)
    }

    @Test func draw_rotatedContext_isRotated() throws {
        let line = DrawnText.line("Length")
        let (level, upward) = (try DrawnText(120, 120), try DrawnText(120, 120))
        level.draw(line, 10, 20)
        upward.context.translateBy(x: 120, y: 0)
        upward.context.rotate(by: .pi / 2)
        upward.draw(line, 10, 20)
        let (ink, turned) = (try #require(level.ink), try #require(upward.ink))
        // (x, y) is at (120 − y, x).
        #expect(abs(Double(turned.minY - ink.minX)) <= 1 && abs(Double(turned.maxX - (120 - ink.minY))) <= 1)
        #expect(abs(Double(turned.height - ink.width)) <= 1 && abs(Double(turned.width - ink.height)) <= 1)
        #expect(abs(level.bitmap.area(3) - upward.bitmap.area(3)) < 3)
    }

    @Test func textMatrix_flippedContext_isUpright() throws {
        let line = DrawnText.line("Lf")
        let (plain, flipped) = (try DrawnText(), try DrawnText())
        plain.draw(line, 10, 20)
        flipped.context.translateBy(x: 0, y: 60)
        flipped.context.scaleBy(x: 1, y: -1)
        flipped.context.textMatrix = CGAffineTransform(scaleX: 1, y: -1)
        flipped.draw(line, 10, 40)
        #expect(flipped.context.textMatrix == CGAffineTransform(a: 1, b: 0, c: 0, d: -1, tx: 10, ty: 40))
        for (one, other) in zip(plain.bitmap.pixels, flipped.bitmap.pixels) {
            #expect(DrawnBitmap.isNear(one, other, by: 3))
        }
        // The matrix is no part of the graphics state.
        flipped.context.saveGState()
        flipped.context.textMatrix = .identity
        flipped.context.restoreGState()
        #expect(flipped.context.textMatrix.isIdentity)
    }

    @Test func draw_clipAndAlpha_apply() throws {
        let drawn = try DrawnText()
        drawn.context.clip(to: CGRect(x: 0, y: 0, width: 25, height: 60))
        drawn.context.setAlpha(0.5)
        drawn.draw(DrawnText.line("MMM", large))
        #expect(drawn.area(25..<120, 0..<60) == 0 && drawn.area(0..<25, 0..<60) > 20)
        #expect(drawn.bitmap.pixels.allSatisfy { $0[3] <= 128 })
    }

    /// In this form, Cairo draws in a copy, and the unused byte of each pixel that is written becomes 255.
    @Test func draw_smallText_writesOnlyItsPixels() throws {
        let drawn = try DrawnText(100, 100, .rgbx)
        let data = try #require(drawn.context.data)
        memset(data, 0, 100 * drawn.context.bytesPerRow)
        let line = DrawnText.line("i.")
        drawn.draw(line, 40, 50)
        let near = CTLineGetImageBounds(line, drawn.context).insetBy(dx: -3, dy: -3)
        var written = 0
        for y in 0..<100 {
            for x in 0..<100 {
                let byte = data.load(fromByteOffset: y * drawn.context.bytesPerRow + x * 4 + 3, as: UInt8.self)
                guard byte != 0 else { continue }
                written += 1
                #expect(near.contains(CGPoint(x: Double(x) + 0.5, y: 99.5 - Double(y))))
            }
        }
        #expect(written > 0)
    }

    @Test func setTextDrawingMode_eachMode_drawsItsPart() throws {
        func area(_ mode: CGTextDrawingMode) throws -> Double {
            let drawn = try DrawnText()
            drawn.context.setTextDrawingMode(mode)
            drawn.context.setLineWidth(1)
            drawn.context.setStrokeColor(.white)
            drawn.draw(DrawnText.line("MO", large))
            return drawn.bitmap.area(3)
        }
        let (filled, stroked) = (try area(.fill), try area(.stroke))
        let both = try area(.fillStroke)
        #expect(filled > 0 && stroked > 0 && both > filled && both > stroked && both < filled + stroked)
        #expect(try area(.invisible) == 0)
        #expect(try area(.clip) == 0)
        #expect(try area(.fillClip) == filled)
    }

    @Test func draw_text_keepsTheCurrentPath() throws {
        let drawn = try DrawnText()
        drawn.context.setFillColor(.white)
        drawn.context.addRect(CGRect(x: 100, y: 0, width: 10, height: 10))
        drawn.draw(DrawnText.line("."), 10, 40)
        let dot = drawn.bitmap.area(3)
        drawn.context.fillPath()
        #expect(abs(drawn.bitmap.area(3) - dot - 100) < 0.01)
    }

    @Test func draw_grayContext_isGray() throws {
        let bitmap = try DrawnBitmap(gray: 60, 40)
        bitmap.context.textPosition = CGPoint(x: 5, y: 8)
        CTLineDraw(DrawnText.line("M", large), bitmap.context)
        #expect(bitmap.pixels.contains([255]) && bitmap.area(0) > 20)
    }

    @Test func draw_strangeTransforms_drawsNothing() throws {
        let line = DrawnText.line("text")
        for number in [CGFloat.nan, .infinity, -.infinity, 1e300, 0] {
            let drawn = try DrawnText()
            drawn.context.saveGState()
            drawn.context.scaleBy(x: number, y: number)
            drawn.draw(line)
            drawn.context.restoreGState()
            if number != 0 { drawn.draw(line, number, number) }
            #expect(drawn.bitmap.area(3) == 0)
            // The context is still of use.
            drawn.draw(line)
            #expect(drawn.bitmap.area(3) > 20)
        }
    }

    @Test func draw_manyThreads_givesTheSamePixels() async throws {
        let shared = DrawnText.line("Threads", large)
        let areas = try await withThrowingTaskGroup(of: Double.self, returning: [Double].self) { group in
            for index in 0..<16 {
                group.addTask {
                    let drawn = try DrawnText(200, 60)
                    for _ in 0..<20 {
                        drawn.context.clear(CGRect(x: 0, y: 0, width: 200, height: 60))
                        drawn.draw(index % 2 == 0 ? shared : DrawnText.line("Threads", large))
                    }
                    return drawn.bitmap.area(3)
                }
            }
            var areas: [Double] = []
            for try await area in group { areas.append(area) }
            return areas
        }
        #expect(areas.count == 16 && areas.allSatisfy { $0 == areas[0] && $0 > 50 })
    }
}
