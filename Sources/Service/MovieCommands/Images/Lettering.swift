import AssetIO
import MediaCodecs
import MediaTypes

/// Smooth text for drawing into images. If no text renderer is installed, only digits made of blocks can be drawn.
struct Lettering {
    /// The font size in pixels.
    let size: Int
    private let isSmooth: Bool

    init(size: Int) {
        self.size = size
        isSmooth = (try? TextMask.smooth("0", size: size)) != nil
    }

    /// The distance from one line to the next.
    var lineHeight: Int { isSmooth ? (size * 3 / 2 + 1) & ~1 : DigitFont.height * blockScale }

    /// True if letters can be drawn, not only digits.
    var hasLetters: Bool { isSmooth }

    private var blockScale: Int { max(1, size / 8) }

    func line(_ text: String) -> TextMask {
        if isSmooth, let mask = try? TextMask.smooth(text, size: size) { return mask }
        return TextMask.blocks(text, scale: blockScale)
    }
}
