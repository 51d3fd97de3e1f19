public import CoreGraphics

/// A line of text: glyphs in the order in which they are seen.
///
/// Any thread may use a line. Without Pango or without a font, its sizes are 0, and nothing is drawn.
public final class CTLine: Sendable {
    let line: GlyphLine
    /// The characters of the text, as UTF-16 counts them.
    let characters: Range<Int>

    init(_ line: GlyphLine, characters: Range<Int>) {
        self.line = line
        self.characters = characters
    }

    /// Draws the line.
    ///
    /// - Parameter transform: from the line's coordinates, its beginning on the baseline, to those of the program.
    func draw(in context: CGContext, placedBy transform: CGAffineTransform) {
        guard let engine = TextEngine.shared else { return }
        for group in line.groups {
            let placed = CGAffineTransform(translationX: CGFloat(group.x), y: 0).concatenating(transform)
            if group.isColored {
                context.drawColoredGlyphs(within: group.ink, placedBy: placed, color: group.color.color) {
                    engine.show(group, on: $0, $1)
                }
            } else {
                context.drawGlyphs(within: group.ink, placedBy: placed, color: group.color.color) {
                    engine.outlines(of: group)
                }
            }
        }
    }
}

/// Parts that the bounds of a line contain.
public struct CTLineBoundsOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Leaves out the space between lines.
    public static let excludeTypographicLeading = CTLineBoundsOptions(rawValue: 1 << 0)
    public static let excludeTypographicShifts = CTLineBoundsOptions(rawValue: 1 << 1)
    public static let useHangingPunctuation = CTLineBoundsOptions(rawValue: 1 << 2)
    /// Uses the outlines of the glyphs in place of their widths and the heights of their fonts.
    public static let useGlyphPathBounds = CTLineBoundsOptions(rawValue: 1 << 3)
    public static let useOpticalBounds = CTLineBoundsOptions(rawValue: 1 << 4)
    public static let includeLanguageExtents = CTLineBoundsOptions(rawValue: 1 << 5)
}

/// Creates a line of a whole text. Line breaks in it have no effect.
public func CTLineCreateWithAttributedString(_ text: CFAttributedString) -> CTLine {
    let characters = 0..<text.length
    let empty = GlyphLine(bytes: 0..<0)
    guard let engine = TextEngine.shared else { return CTLine(empty, characters: characters) }
    let styled = StyledText(text, characters, breaksLines: false)
    let lines = Typesetter(styled, engine).lines(0..<styled.bytes.count, width: nil)
    return CTLine(lines.first ?? empty, characters: characters)
}

/// Draws a line with its beginning at the context's text position, on the baseline.
///
/// The text matrix, the transform, the clip, the blend mode and the opacity of the context apply.
public func CTLineDraw(_ line: CTLine, _ context: CGContext) { line.draw(in: context, placedBy: context.textMatrix) }

/// Returns the width of a line.
///
/// - Parameters:
///   - ascent: the distance from the baseline to the top.
///   - descent: the distance from the baseline to the bottom, as a positive number.
///   - leading: the space below.
@discardableResult
public func CTLineGetTypographicBounds(
    _ line: CTLine, _ ascent: UnsafeMutablePointer<CGFloat>?, _ descent: UnsafeMutablePointer<CGFloat>?,
    _ leading: UnsafeMutablePointer<CGFloat>?
) -> Double {
    ascent?.pointee = CGFloat(line.line.ascent)
    descent?.pointee = CGFloat(line.line.descent)
    leading?.pointee = CGFloat(line.line.leading)
    return line.line.width
}

/// Returns the rectangle of a line, from its beginning on the baseline.
///
/// - Parameter options: `excludeTypographicLeading` and `useGlyphPathBounds` have an effect.
public func CTLineGetBoundsWithOptions(_ line: CTLine, _ options: CTLineBoundsOptions) -> CGRect {
    if options.contains(.useGlyphPathBounds) { return line.line.ink ?? .zero }
    let leading = options.contains(.excludeTypographicLeading) ? 0 : line.line.leading
    let below = line.line.descent + leading
    return CGRect(x: 0, y: -below, width: line.line.width, height: line.line.ascent + below)
}

/// Returns the rectangle that a line covers when it is drawn; for a line without outlines it has no size.
///
/// - Parameter context: the context whose text matrix and text position apply; nil for (0, 0).
public func CTLineGetImageBounds(_ line: CTLine, _ context: CGContext?) -> CGRect {
    let ink = line.line.ink ?? .zero
    return context.map { ink.applying($0.textMatrix) } ?? ink
}

public func CTLineGetGlyphCount(_ line: CTLine) -> CFIndex { line.line.glyphCount }

/// Returns the characters of a line, among those of its text.
public func CTLineGetStringRange(_ line: CTLine) -> CFRange {
    CFRange(location: line.characters.lowerBound, length: line.characters.count)
}

/// Returns the distance by which a line is moved to the right to be flush in a width.
///
/// - Parameter flushFactor: 0 for flush left, 0.5 for centered, 1 for flush right.
public func CTLineGetPenOffsetForFlush(_ line: CTLine, _ flushFactor: CGFloat, _ flushWidth: Double) -> Double {
    max(0, flushWidth - line.line.width) * min(max(0, Double(flushFactor)), 1)
}
