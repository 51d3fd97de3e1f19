/// The side at which the lines of a frame are aligned.
public enum CTTextAlignment: UInt8, Sendable {
    case left = 0
    case right = 1
    case center = 2
    /// Aligned on both sides, except for the last line of a paragraph.
    case justified = 3
    /// Aligned on the left, or on the right if the text is written from right to left.
    case natural = 4
}

/// The positions where a line of a frame may end. Lines are never truncated: the modes that truncate on Apple's systems
/// wrap at words.
public enum CTLineBreakMode: UInt8, Sendable {
    case byWordWrapping = 0
    case byCharWrapping = 1
    case byClipping = 2
    case byTruncatingHead = 3
    case byTruncatingTail = 4
    case byTruncatingMiddle = 5
}

/// A setting of a paragraph.
public enum CTParagraphStyleSpecifier: UInt32, Sendable {
    case alignment = 0
    /// Ignored, like all settings that `CTParagraphStyleCreate` does not list.
    case firstLineHeadIndent = 1
    case headIndent = 2
    case tailIndent = 3
    case tabStops = 4
    case defaultTabInterval = 5
    case lineBreakMode = 6
    case lineHeightMultiple = 7
    case maximumLineHeight = 8
    case minimumLineHeight = 9
    case lineSpacing = 10
    case paragraphSpacing = 11
    case paragraphSpacingBefore = 12
    case baseWritingDirection = 13
    case maximumLineSpacing = 14
    case minimumLineSpacing = 15
    case lineSpacingAdjustment = 16
    case lineBoundsOptions = 17
}

/// A setting of a paragraph, and the memory that contains its value.
public struct CTParagraphStyleSetting {
    public var spec: CTParagraphStyleSpecifier
    public var valueSize: Int
    public var value: UnsafeRawPointer

    public init(spec: CTParagraphStyleSpecifier, valueSize: Int, value: UnsafeRawPointer) {
        self.spec = spec
        self.valueSize = valueSize
        self.value = value
    }
}

/// The style of a paragraph: the alignment of its lines, where they end, their heights, and the space between them.
public final class CTParagraphStyle: Sendable {
    let alignment: CTTextAlignment
    let lineBreakMode: CTLineBreakMode
    let lineHeights: ClosedRange<Double>
    /// The space after each line.
    let spacing: Double

    /// The style of text that has no paragraph style.
    static let standard = CTParagraphStyle([])

    init(_ settings: [CTParagraphStyleSetting]) {
        var (alignment, lineBreakMode) = (CTTextAlignment.natural, CTLineBreakMode.byWordWrapping)
        var (least, most, spacing) = (0.0, 0.0, 0.0)
        for setting in settings {
            let choice = setting.valueSize == 1 ? setting.value.load(as: UInt8.self) : nil
            let number = setting.valueSize == 8 ? setting.value.loadUnaligned(as: Double.self) : nil
            let length = number.map { $0.isFinite ? min(max(0, $0), 1e6) : 0 }
            switch setting.spec {
            case .alignment: alignment = choice.flatMap { CTTextAlignment(rawValue: $0) } ?? alignment
            case .lineBreakMode: lineBreakMode = choice.flatMap { CTLineBreakMode(rawValue: $0) } ?? lineBreakMode
            case .minimumLineHeight: least = length ?? least
            case .maximumLineHeight: most = length ?? most
            case .lineSpacing, .lineSpacingAdjustment: spacing = length ?? spacing
            default: break
            }
        }
        self.alignment = alignment
        self.lineBreakMode = lineBreakMode
        lineHeights = least...max(least, most > 0 ? most : .infinity)
        self.spacing = spacing
    }
}

/// Creates a paragraph style. The settings are the alignment, the line break mode, the minimum and maximum height of
/// lines, and the space between lines. Other settings are ignored.
public func CTParagraphStyleCreate(
    _ settings: UnsafePointer<CTParagraphStyleSetting>?, _ settingCount: Int
) -> CTParagraphStyle {
    CTParagraphStyle(Array(UnsafeBufferPointer(start: settings, count: settings == nil ? 0 : max(0, settingCount))))
}
