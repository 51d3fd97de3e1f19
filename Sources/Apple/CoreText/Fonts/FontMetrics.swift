import CoreGraphics

/// The sizes and the names of a font that fontconfig has chosen. All sizes are 0 without Pango or without a font.
struct FontMetrics: Sendable {
    var ascent = 0.0
    var descent = 0.0
    var leading = 0.0
    /// The largest advance of a glyph.
    var widest = 0.0
    var family: String
    var face: String?
}

extension TextEngine {
    /// Returns the metrics of the installed font that is nearest to a name; nil if there is no font.
    func metrics(of name: FontName, size: Double) -> FontMetrics? {
        locked {
            guard let font = load(name, size: size), let metrics = calls.metrics(font.object, nil) else { return nil }
            // Without this, the compiler might release the font while its Pango object is still in use.
            defer { withExtendedLifetime(font) { calls.releaseMetrics(metrics) } }
            var result = FontMetrics(family: name.family)
            result.ascent = Double(calls.ascent(metrics)) / PangoCalls.scale
            result.descent = Double(calls.descent(metrics)) / PangoCalls.scale
            let height = Double(calls.height(metrics)) / PangoCalls.scale
            result.leading = max(0, height - result.ascent - result.descent)
            if let scaled = calls.scaledFont(font.object) {
                // The numbers are the ascent, the descent, the height, and the largest horizontal and vertical advance.
                var numbers = [0.0, 0, 0, 0, 0]
                numbers.withUnsafeMutableBufferPointer { calls.fontExtents(scaled, $0.baseAddress) }
                result.widest = numbers[3]
            }
            if let description = calls.describe(font.object) {
                if let family = calls.family(description) { result.family = String(cString: family) }
                calls.freeDescription(description)
            }
            if let face = calls.face(font.object), let name = calls.faceName(face) {
                result.face = String(cString: name)
            }
            return result
        }
    }
}
