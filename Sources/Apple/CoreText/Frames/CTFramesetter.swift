public import CoreGraphics

/// Breaks a text into lines.
public final class CTFramesetter {
    let text: NSAttributedString

    init(_ text: NSAttributedString) { self.text = text }

    /// Returns the characters of a range. If its length is 0, returns all characters from its location on.
    func characters(_ range: CFRange) -> Range<Int> {
        let first = min(max(0, range.location), text.length)
        let rest = text.length - first
        return first..<first + (range.length > 0 ? min(range.length, rest) : rest)
    }
}

/// Creates a framesetter with a copy of a text.
public func CTFramesetterCreateWithAttributedString(_ text: CFAttributedString) -> CTFramesetter {
    CTFramesetter(NSAttributedString(attributedString: text))
}

/// Returns the size that a part of a text needs.
///
/// - Parameters:
///   - stringRange: the part; if its length is 0, all characters from its location on.
///   - frameAttributes: ignored.
///   - constraints: the maximum width and height; 0 and very large numbers mean no limit.
///   - fitRange: on return, the range of characters that fit.
public func CTFramesetterSuggestFrameSizeWithConstraints(
    _ framesetter: CTFramesetter, _ stringRange: CFRange, _ frameAttributes: CFDictionary?, _ constraints: CGSize,
    _ fitRange: UnsafeMutablePointer<CFRange>?
) -> CGSize {
    func limit(_ length: CGFloat) -> Double? {
        length > 0 && Double(length) < Typesetter.widest ? Double(length) : nil
    }
    let characters = framesetter.characters(stringRange)
    let stack = LineStack(
        framesetter.text, characters, width: limit(constraints.width), height: limit(constraints.height))
    fitRange?.pointee = CFRange(location: characters.lowerBound, length: stack.end - characters.lowerBound)
    return CGSize(width: stack.width, height: stack.height)
}

/// Creates a frame with as many lines of a part of a text as fit in a rectangle, from the top.
///
/// - Parameters:
///   - stringRange: the part; if its length is 0, all characters from its location on.
///   - path: a rectangle. For another path, the smallest rectangle around it is used.
///   - frameAttributes: ignored.
public func CTFramesetterCreateFrame(
    _ framesetter: CTFramesetter, _ stringRange: CFRange, _ path: CGPath, _ frameAttributes: CFDictionary?
) -> CTFrame {
    let box = path.boundingBox
    let characters = framesetter.characters(stringRange)
    let isUsable = !box.isNull && box.width.isFinite && box.height.isFinite
    let stack = LineStack(
        framesetter.text, isUsable ? characters : characters.lowerBound..<characters.lowerBound,
        width: Double(isUsable ? box.width : 0), height: Double(isUsable ? box.height : 0))
    return CTFrame(stack, characters: characters, path: path, box: isUsable ? box : .zero)
}
