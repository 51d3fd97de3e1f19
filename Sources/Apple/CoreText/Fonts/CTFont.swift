public import CoreGraphics

/// A font at a given size. It is the installed font that fontconfig considers closest to the requested name.
///
/// Glyphs that the font lacks come from other fonts. Apple's fonts are rarely installed on Linux, so metrics differ
/// from those on Apple's systems. Always query them. Without Pango, or without any font, all metrics are 0.
public final class CTFont: Sendable, Hashable {
    let name: FontName
    let size: Double
    let metrics: FontMetrics

    /// - Parameter size: the size in points; if it is not positive, 12 is used.
    init(_ name: FontName, points size: Double) {
        let size = size > 0 && size.isFinite ? min(max(size, Self.smallest), Self.largest) : 12
        self.name = name
        self.size = size
        metrics = TextEngine.shared?.metrics(of: name, size: size) ?? FontMetrics(family: name.family)
    }

    public convenience init(_ name: CFString, size: CGFloat) { self.init(FontName(name), points: Double(size)) }

    public convenience init(_ uiType: CTFontUIFontType, size: CGFloat) {
        self.init(uiType.name, points: size > 0 ? Double(size) : uiType.size)
    }

    /// The font of text that has no font attribute.
    static let standard = CTFont(FontName("Helvetica"), points: 12)

    /// The limits of a font's size. Pango's numbers are multiples of 1/1024, and have 32 bits.
    private static let smallest = 1.0 / 64
    private static let largest = 10_000.0

    public static func == (a: CTFont, b: CTFont) -> Bool { a.name == b.name && a.size == b.size }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(size)
    }
}

/// Creates a font by its PostScript name, full name or family.
///
/// - Parameters:
///   - size: the size in points; 0 means 12.
///   - matrix: ignored. Transform the context instead.
public func CTFontCreateWithName(
    _ name: CFString, _ size: CGFloat, _ matrix: UnsafePointer<CGAffineTransform>?
) -> CTFont {
    CTFont(name, size: size)
}

/// Creates the font for a part of a user interface.
///
/// - Parameters:
///   - size: the size in points; 0 means the size of Apple's font.
///   - language: ignored, because fonts for the characters are chosen when a text is drawn.
public func CTFontCreateUIFontForLanguage(
    _ uiType: CTFontUIFontType, _ size: CGFloat, _ language: CFString?
) -> CTFont? {
    uiType == .none ? nil : CTFont(uiType, size: size)
}

/// Creates a font with the same families, but with other traits.
///
/// - Parameters:
///   - size: the size in points; 0 means the font's size.
///   - matrix: ignored.
///   - traits: values for the traits in `mask`; only bold, italic, condensed and monospaced have an effect.
public func CTFontCreateCopyWithSymbolicTraits(
    _ font: CTFont, _ size: CGFloat, _ matrix: UnsafePointer<CGAffineTransform>?, _ traits: CTFontSymbolicTraits,
    _ mask: CTFontSymbolicTraits
) -> CTFont? {
    var name = font.name
    if mask.contains(.traitBold) { name.weight = traits.contains(.traitBold) ? 700 : 400 }
    if mask.contains(.traitItalic) { name.isItalic = traits.contains(.traitItalic) }
    if mask.contains(.traitCondensed) { name.isCondensed = traits.contains(.traitCondensed) }
    if mask.contains(.traitMonoSpace), traits.contains(.traitMonoSpace) { name.families = [FontName.monospace] }
    return CTFont(name, points: size > 0 ? Double(size) : font.size)
}

public func CTFontGetSize(_ font: CTFont) -> CGFloat { CGFloat(font.size) }
/// Returns the distance from the baseline to the top of the highest letters.
public func CTFontGetAscent(_ font: CTFont) -> CGFloat { CGFloat(font.metrics.ascent) }
/// Returns the distance from the baseline to the lowest point of letters, as a positive number.
public func CTFontGetDescent(_ font: CTFont) -> CGFloat { CGFloat(font.metrics.descent) }
/// Returns the space between the descent of a line and the ascent of the next one.
public func CTFontGetLeading(_ font: CTFont) -> CGFloat { CGFloat(font.metrics.leading) }
/// Returns a rectangle that is large enough for any glyph at the origin. Its height is the ascent plus the descent, and
/// its width is the largest advance.
public func CTFontGetBoundingBox(_ font: CTFont) -> CGRect {
    CGRect(
        x: 0, y: -font.metrics.descent, width: font.metrics.widest,
        height: font.metrics.ascent + font.metrics.descent)
}

/// Returns the family of the installed font, such as “DejaVu Sans” for “Helvetica”.
public func CTFontCopyFamilyName(_ font: CTFont) -> CFString { font.metrics.family }

/// Returns the family and the style of the installed font.
public func CTFontCopyFullName(_ font: CTFont) -> CFString {
    guard let face = font.metrics.face, !["Regular", "Book", "Roman", "Normal"].contains(face) else {
        return font.metrics.family
    }
    return "\(font.metrics.family) \(face)"
}

/// Returns the traits with which the font was created.
public func CTFontGetSymbolicTraits(_ font: CTFont) -> CTFontSymbolicTraits {
    var traits: CTFontSymbolicTraits = []
    if font.name.weight >= 600 { traits.insert(.traitBold) }
    if font.name.isItalic { traits.insert(.traitItalic) }
    if font.name.isCondensed { traits.insert(.traitCondensed) }
    if font.name.families.last == FontName.monospace { traits.insert(.traitMonoSpace) }
    return traits
}
