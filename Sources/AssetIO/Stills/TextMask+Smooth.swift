import MediaCodecs
package import MediaTypes

extension TextMask {
    /// A line of text in a font that is installed. Blocks for some milliseconds.
    ///
    /// - Parameter size: of the font, in pixels.
    /// - Throws: `unsupported` where no library that draws text, or no font, is installed.
    package static func smooth(_ text: String, size: Int) throws(MediaError) -> TextMask {
        try TextPainter().mask(text, size: size)
    }
}
