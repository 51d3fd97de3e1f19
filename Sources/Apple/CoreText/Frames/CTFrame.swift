public import CoreGraphics

/// The lines of a text in a rectangle.
public final class CTFrame {
    let lines: [CTLine]
    /// The points on the baselines where the lines begin, measured from the lower left corner of the rectangle.
    let origins: [CGPoint]
    let box: CGRect
    let characters: Range<Int>
    /// The index after the last character of the last line.
    let end: Int
    let path: CGPath

    init(_ stack: LineStack, characters: Range<Int>, path: CGPath, box: CGRect) {
        lines = stack.lines
        origins = stack.origins.map { CGPoint(x: $0.x, y: box.height - $0.y) }
        self.box = box
        self.characters = characters
        end = stack.end
        self.path = path.copy() ?? path
    }
}

/// Draws the lines of a frame in its rectangle.
///
/// The text matrix is applied to each line, but without its translation, because the frame determines the positions.
public func CTFrameDraw(_ frame: CTFrame, _ context: CGContext) {
    var transform = context.textMatrix
    for (line, origin) in zip(frame.lines, frame.origins) {
        transform.tx = frame.box.minX + origin.x
        transform.ty = frame.box.minY + origin.y
        line.draw(in: context, placedBy: transform)
    }
}

/// Returns the `CTLine`s of a frame, from the top.
public func CTFrameGetLines(_ frame: CTFrame) -> CFArray { NSArray(array: frame.lines) }

/// Copies the points on the baselines where lines begin, measured from the lower left corner of the frame's rectangle.
///
/// - Parameters:
///   - range: the lines; if the length is 0, all lines from the location on.
///   - origins: memory for one point per line.
public func CTFrameGetLineOrigins(_ frame: CTFrame, _ range: CFRange, _ origins: UnsafeMutablePointer<CGPoint>) {
    let first = min(max(0, range.location), frame.origins.count)
    let rest = frame.origins.dropFirst(first)
    for (index, origin) in (range.length > 0 ? rest.prefix(range.length) : rest).enumerated() {
        origins[index] = origin
    }
}

public func CTFrameGetPath(_ frame: CTFrame) -> CGPath { frame.path }

/// Returns the range of characters with which the frame was created.
public func CTFrameGetStringRange(_ frame: CTFrame) -> CFRange {
    CFRange(location: frame.characters.lowerBound, length: frame.characters.count)
}

/// Returns the range of characters that fit in the frame.
public func CTFrameGetVisibleStringRange(_ frame: CTFrame) -> CFRange {
    CFRange(location: frame.characters.lowerBound, length: frame.end - frame.characters.lowerBound)
}
