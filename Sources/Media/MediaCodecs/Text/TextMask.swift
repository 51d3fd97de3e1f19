package import MediaTypes

/// A line of text as coverage: the part of each pixel that its letters cover, 0 to 255, row by row.
package struct TextMask: Sendable, Hashable {
    package let width: Int
    package let height: Int
    package let coverage: [UInt8]

    /// - Precondition: `coverage` has a value for each pixel.
    package init(width: Int, height: Int, coverage: [UInt8]) {
        precondition(coverage.count == width * height)
        (self.width, self.height, self.coverage) = (width, height, coverage)
    }

    /// Draws digits, colons and points with `DigitFont`. Each pixel of the font becomes a block of `scale` × `scale`
    /// pixels. Other characters are blank.
    package static func blocks(_ text: String, scale: Int) -> TextMask {
        let characters = Array(text.utf8)
        let width = max(0, characters.count * (DigitFont.width + 1) - 1) * scale
        let height = DigitFont.height * scale
        var coverage = [UInt8](repeating: 0, count: width * height)
        for (column, character) in characters.enumerated() {
            let left = column * (DigitFont.width + 1) * scale
            for (row, bits) in DigitFont.rows(of: character).enumerated() {
                for bit in 0..<DigitFont.width where bits & (0x10 >> UInt8(bit)) != 0 {
                    for y in (row * scale)..<((row + 1) * scale) {
                        for x in 0..<scale { coverage[y * width + left + bit * scale + x] = 255 }
                    }
                }
            }
        }
        return TextMask(width: width, height: height, coverage: coverage)
    }
}

extension TextMask {
    /// Draws a line of text in an installed font. Blocks for some milliseconds.
    ///
    /// - Parameter size: the font size in pixels.
    /// - Throws: `unsupported` if the library that draws text is not installed, or if no font is installed.
    package static func smooth(_ text: String, size: Int) throws(MediaError) -> TextMask {
        try TextPainter().mask(text, size: size)
    }
}
