/// The quality of scaled and rotated images.
public enum CGInterpolationQuality: Int32, Sendable {
    /// The same as `medium`.
    case `default` = 0
    /// Uses the nearest pixel.
    case none = 1
    /// Interpolates between the four nearest pixels.
    case low = 2
    /// Interpolates between more pixels, for the smoothest result.
    case high = 3
    /// Interpolates between the four nearest pixels. If the image is scaled down, uses the mean of all pixels that
    /// become one.
    case medium = 4

    var filter: Cairo.Filter {
        switch self {
        case .none: .nearest
        case .low: .bilinear
        case .default, .medium: .good
        case .high: .best
        }
    }
}

/// The form of a line's ends.
public enum CGLineCap: Int32, Sendable {
    case butt = 0
    case round = 1
    case square = 2
}

/// The form of a line's corners.
public enum CGLineJoin: Int32, Sendable {
    case miter = 0
    case round = 1
    case bevel = 2
}

/// The parts of a path that are drawn. The cases with `eo` fill by the even-odd rule.
public enum CGPathDrawingMode: Int32, Sendable {
    case fill = 0
    case eoFill = 1
    case stroke = 2
    case fillStroke = 3
    case eoFillStroke = 4
}

/// The parts of a text's glyphs that are drawn. The modes that also clip on Apple's systems draw the same here, but do
/// not change the clip.
public enum CGTextDrawingMode: Int32, Sendable {
    case fill = 0
    case stroke = 1
    case fillStroke = 2
    case invisible = 3
    case fillClip = 4
    case strokeClip = 5
    case fillStrokeClip = 6
    case clip = 7

    var fills: Bool { self == .fill || self == .fillStroke || self == .fillClip || self == .fillStrokeClip }
    var strokes: Bool { self == .stroke || self == .fillStroke || self == .strokeClip || self == .fillStrokeClip }
}
