import CoreText
import Foundation

/// A bitmap of a test on which texts are drawn.
struct DrawnText {
    let bitmap: DrawnBitmap
    var context: CGContext { bitmap.context }

    static let font = CTFontCreateWithName("DejaVu Sans" as CFString, 20, nil)

    init(_ width: Int = 120, _ height: Int = 60, _ form: DrawnBitmap.Form = .bgra) throws {
        bitmap = try DrawnBitmap(width, height, form)
    }

    /// A white text.
    static func string(
        _ text: String, _ font: CTFont = DrawnText.font, _ more: [String: Any] = [:]
    ) -> NSAttributedString {
        var attributes: [NSAttributedString.Key: Any] = [
            NSAttributedString.Key(kCTFontAttributeName as String): font,
            NSAttributedString.Key(kCTForegroundColorAttributeName as String): CGColor.white,
        ]
        for (name, value) in more { attributes[NSAttributedString.Key(name)] = value }
        return NSAttributedString(string: text, attributes: attributes)
    }

    static func line(_ text: String, _ font: CTFont = DrawnText.font, _ more: [String: Any] = [:]) -> CTLine {
        CTLineCreateWithAttributedString(string(text, font, more))
    }

    static func width(_ line: CTLine) -> Double { CTLineGetTypographicBounds(line, nil, nil, nil) }

    func draw(_ line: CTLine, _ x: CGFloat = 10, _ y: CGFloat = 20) {
        context.textPosition = CGPoint(x: x, y: y)
        CTLineDraw(line, context)
    }

    /// The rectangle of the pixels that are not transparent, counted from the lower left corner; nil without any.
    var ink: CGRect? {
        var found: CGRect?
        for y in 0..<context.height {
            for x in 0..<context.width where bitmap[x, y][3] > 0 {
                let pixel = CGRect(x: x, y: context.height - 1 - y, width: 1, height: 1)
                found = found?.union(pixel) ?? pixel
            }
        }
        return found
    }

    /// The drawn area in a part of the bitmap, counted from the upper left corner.
    func area(_ columns: Range<Int>, _ rows: Range<Int>) -> Double {
        rows.reduce(0.0) { sum, y in columns.reduce(sum) { $0 + Double(bitmap[$1, y][3]) / 255 } }
    }
}
