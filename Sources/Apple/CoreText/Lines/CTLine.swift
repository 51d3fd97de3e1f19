public import CoreGraphics

/// A line of text. It contains glyphs in visual order.
///
/// Safe to use from any thread. Without Pango, or without a font, its sizes are 0, and it draws nothing.
public final class CTLine: Sendable {
    let line: GlyphLine
    /// The range of the text's characters in the line, as UTF-16 counts them.
    let characters: Range<Int>

    init(_ line: GlyphLine, characters: Range<Int>) {
        self.line = line
        self.characters = characters
    }

    /// Draws the line.
    ///
    /// - Parameter transform: the transform from the line's coordinates to the program's. The line's origin is its
    ///   beginning on the baseline.
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

/// The parts that the bounds of a line include.
public struct CTLineBoundsOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Excludes the space between lines.
    public static let excludeTypographicLeading = CTLineBoundsOptions(rawValue: 1 << 0)
    public static let excludeTypographicShifts = CTLineBoundsOptions(rawValue: 1 << 1)
    public static let useHangingPunctuation = CTLineBoundsOptions(rawValue: 1 << 2)
    /// Uses the outlines of the glyphs instead of their widths and the heights of their fonts.
    public static let useGlyphPathBounds = CTLineBoundsOptions(rawValue: 1 << 3)
    public static let useOpticalBounds = CTLineBoundsOptions(rawValue: 1 << 4)
    public static let includeLanguageExtents = CTLineBoundsOptions(rawValue: 1 << 5)
}

/// Creates one line from an entire text. Line breaks in the text have no effect.
public func CTLineCreateWithAttributedString(_ text: CFAttributedString) -> CTLine {
    let characters = 0..<text.length
    let empty = GlyphLine(bytes: 0..<0)
    guard let engine = TextEngine.shared else { return CTLine(empty, characters: characters) }
    let styled = StyledText(text, characters, breaksLines: false)
    let lines = Typesetter(styled, engine).lines(0..<styled.bytes.count, width: nil)
    return CTLine(lines.first ?? empty, characters: characters)
}

/// Draws a line. It begins at the context's text position, which is on the baseline.
///
/// The text matrix, the transform, the clip, the blend mode and the opacity of the context apply.
public func CTLineDraw(_ line: CTLine, _ context: CGContext) { line.draw(in: context, placedBy: context.textMatrix) }

/// Returns the width of a line.
///
/// - Parameters:
///   - ascent: the distance from the baseline to the top.
///   - descent: the distance from the baseline to the bottom, as a positive number.
///   - leading: the space below the line.
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

/// Returns the rectangle of a line, relative to its beginning on the baseline.
///
/// - Parameter options: `excludeTypographicLeading` and `useGlyphPathBounds` have an effect.
public func CTLineGetBoundsWithOptions(_ line: CTLine, _ options: CTLineBoundsOptions) -> CGRect {
    if options.contains(.useGlyphPathBounds) { return line.line.ink ?? .zero }
    let leading = options.contains(.excludeTypographicLeading) ? 0 : line.line.leading
    let below = line.line.descent + leading
    return CGRect(x: 0, y: -below, width: line.line.width, height: line.line.ascent + below)
}

/// Returns the rectangle that a line covers when it is drawn; the rectangle is empty if the line has no outlines.
///
/// - Parameter context: the context whose text matrix and text position apply; nil for (0, 0).
public func CTLineGetImageBounds(_ line: CTLine, _ context: CGContext?) -> CGRect {
    let ink = line.line.ink ?? .zero
    return context.map { ink.applying($0.textMatrix) } ?? ink
}

public func CTLineGetGlyphCount(_ line: CTLine) -> CFIndex { line.line.glyphCount }

/// Returns the range of the text's characters that a line contains.
public func CTLineGetStringRange(_ line: CTLine) -> CFRange {
    CFRange(location: line.characters.lowerBound, length: line.characters.count)
}

/// Returns the distance by which a line must be moved to the right to be aligned within a width.
///
/// - Parameter flushFactor: 0 for flush left, 0.5 for centered, 1 for flush right.
public func CTLineGetPenOffsetForFlush(_ line: CTLine, _ flushFactor: CGFloat, _ flushWidth: Double) -> Double {
    max(0, flushWidth - line.line.width) * min(max(0, Double(flushFactor)), 1)
}
