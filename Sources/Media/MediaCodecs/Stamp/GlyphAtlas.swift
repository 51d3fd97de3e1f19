/// The glyphs of one font size. Each glyph is drawn when it first occurs, and then kept. Called by one thread at a
/// time.
struct GlyphAtlas {
    /// The font size in pixels.
    let size: Int
    /// The width of the outline in pixels.
    let outline: Int
    /// The height of a line in pixels; even.
    let height: Int
    let shades: StampShades
    private let ascent: Int
    private let font: StampFont
    private var glyphs: [UInt32: StampGlyph] = [:]

    /// - Precondition: no other atlas of this font is used afterwards.
    init(_ font: StampFont, size: Int, _ shades: StampShades) {
        self.font = font
        self.size = size
        self.shades = shades
        outline = max(1, (size + 10) / 20)
        let (ascent, descent) = font.setSize(size)
        // The ascent is rounded down to an even number, like all heights.
        self.ascent = StampGlyph.even(ascent + 1)
        height = StampGlyph.even(self.ascent + descent + 1)
    }

    /// Returns the glyph of a character. Allocates memory only for a character that did not occur before.
    mutating func glyph(_ scalar: UInt32) -> StampGlyph {
        if let glyph = glyphs[scalar] { return glyph }
        let glyph = font.glyph(scalar, ascent: ascent, outline: outline, shades)
        glyphs[scalar] = glyph
        return glyph
    }

    /// Returns the width of a line.
    mutating func width(of scalars: [UInt32]) -> Int {
        var width = 0
        for scalar in scalars { width += glyph(scalar).advance }
        return width
    }
}
