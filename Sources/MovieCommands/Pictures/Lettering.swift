import AssetIO
import MediaCodecs
import MediaTypes

/// How words are written into pictures: smooth, or, where nothing that draws text is installed, digits in blocks.
struct Lettering {
    /// Of the font, in pixels.
    let size: Int
    private let isSmooth: Bool

    init(size: Int) {
        self.size = size
        isSmooth = (try? TextMask.smooth("0", size: size)) != nil
    }

    /// From one line to the next.
    var lineHeight: Int { isSmooth ? (size * 3 / 2 + 1) & ~1 : DigitFont.height * blockScale }

    /// Words, not numbers alone, can be written.
    var hasLetters: Bool { isSmooth }

    private var blockScale: Int { max(1, size / 8) }

    func line(_ text: String) -> TextMask {
        if isSmooth, let mask = try? TextMask.smooth(text, size: size) { return mask }
        return TextMask.blocks(text, scale: blockScale)
    }
}
