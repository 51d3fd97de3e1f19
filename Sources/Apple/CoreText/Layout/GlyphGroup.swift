import CoreGraphics

/// The color of a text: either its own color, or the fill color of the context when the text is drawn.
enum TextColor: Sendable, Equatable {
    case own(CGColor)
    case context

    /// The text's own color; nil if the context's fill color is used.
    var color: CGColor? {
        switch self {
        case .own(let color): color
        case .context: nil
        }
    }
}

/// A few adjacent glyphs that have the same font and color.
struct GlyphGroup: Sendable {
    let font: PangoFont
    /// The size of the font.
    let size: Double
    /// The PangoGlyphInfo of each glyph, which consists of five numbers.
    let infos: [Int32]
    /// The distance from the beginning of the line to the origin of the first glyph.
    let x: Double
    /// The rectangle that the glyphs cover, relative to the origin of the first glyph, with y pointing up.
    let ink: CGRect
    let color: TextColor
    /// True for glyphs that are images with their own colors, such as emoji.
    let isColored: Bool

    /// The maximum number of glyphs in a group. Groups are small because a group is omitted only if all of it is
    /// outside the clip.
    static let mostGlyphs = 32
    /// The numbers in a PangoGlyphInfo: the glyph, its width, its offset in x and y, and two flags.
    static let infoCount = 5

    /// Calls a function with a PangoGlyphString, which is valid during the call.
    func withGlyphString(_ body: (OpaquePointer) -> Void) { Self.withGlyphString(infos, body) }

    static func withGlyphString(_ infos: [Int32], _ body: (OpaquePointer) -> Void) {
        infos.withUnsafeBufferPointer { infos in
            let string = PangoGlyphString(
                count: Int32(clamping: infos.count / infoCount), infos: infos.baseAddress, clusters: nil, space: 0)
            withUnsafePointer(to: string) { body(OpaquePointer($0)) }
        }
    }

    /// The fields of Pango's struct, in the layout that a C compiler uses on a 64-bit machine.
    private struct PangoGlyphString {
        let count: Int32
        let infos: UnsafePointer<Int32>?
        let clusters: UnsafePointer<Int32>?
        let space: Int32
    }
}

/// The glyphs of a line. Coordinates are relative to the point on the baseline where the line begins.
struct GlyphLine: Sendable {
    /// The range of bytes of the text that the line contains.
    var bytes: Range<Int>
    var groups: [GlyphGroup] = []
    var glyphCount = 0
    var width = 0.0
    var ascent = 0.0
    var descent = 0.0
    var leading = 0.0
    var isRightToLeft = false

    /// The rectangle that the glyphs cover; nil if they have no outline.
    var ink: CGRect? {
        groups.map { $0.ink.offsetBy(dx: CGFloat($0.x), dy: 0) }.reduce(nil as CGRect?) { $0?.union($1) ?? $1 }
    }
}
