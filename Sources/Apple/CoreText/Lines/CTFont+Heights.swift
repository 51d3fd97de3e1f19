public import Foundation

/// Returns the height of a capital letter without a curve.
public func CTFontGetCapHeight(_ font: CTFont) -> CGFloat { height(of: "H", font) }
/// Returns the height of a small letter without an ascender.
public func CTFontGetXHeight(_ font: CTFont) -> CGFloat { height(of: "x", font) }

private func height(of letter: String, _ font: CTFont) -> CGFloat {
    let text = NSAttributedString(string: letter, attributes: [NSAttributedString.Key(kCTFontAttributeName): font])
    return CTLineCreateWithAttributedString(text).line.ink?.maxY ?? 0
}
