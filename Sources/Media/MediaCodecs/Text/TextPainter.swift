import CFFmpeg
package import MediaTypes

/// Draws smooth text with libavfilter's drawtext filter, which uses libfreetype. The font is the one that fontconfig
/// selects for "Sans".
///
/// Called by one thread at a time.
package struct TextPainter {
    private let library: FilterLibrary

    /// - Throws: `unsupported` if libavfilter is not installed.
    package init() throws(MediaError) { library = try FilterLibrary.loaded() }

    /// Draws a line of text. The baseline is at the same height for every text of this size.
    ///
    /// - Parameter size: the font size in pixels.
    /// - Throws: `unsupported` if libavfilter has no drawtext, or no font is installed.
    package func mask(_ text: String, size: Int) throws(MediaError) -> TextMask {
        let size = min(max(size, 6), 400)
        let text = String(text.prefix(500)).map { $0.isNewline || $0.isWhitespace ? " " : String($0) }.joined()
        // No letter is much wider than it is high. Empty columns are removed at the end.
        let width = min(16_000, (text.unicodeScalars.count + 2) * size * 3 / 2 + 15) & ~15
        let (height, base) = ((size * 3 / 2 + 1) & ~1, size * 11 / 10)
        let graph = try FilterGraph(
            library, filter: "drawtext",
            options: "text=\(Self.escaped(text)):expansion=none:font=Sans:fontcolor=white:fontsize=\(size):x=0:"
                + "y=\(base)-max_glyph_a",
            format: try Self.format(), width: width, height: height)
        let frame = try FilterFrame()
        try frame.borrow(Self.black(width: width, height: height), number: 0)
        try graph.push(frame.pointer)
        frame.clear()
        guard try graph.pull(frame.pointer) else {
            throw MediaError(.codecFailure, "cannot draw text", reason: "the filter returned no frame")
        }
        let target = MutablePixelBuffer(layout: PixelLayout(format: .i420, width: width, height: height))
        try frame.copy(into: target)
        return Self.coverage(target.finish())
    }

    private static func format() throws(MediaError) -> AVPixelFormat {
        guard let format = FilterFrame.format(.i420) else {
            throw MediaError(.unsupported, "cannot draw text", reason: "the filter is missing")
        }
        return format
    }

    /// Escapes characters with a special meaning in filter options (ffmpeg-utils, "Quoting and escaping").
    private static func escaped(_ text: String) -> String {
        text.map { "\\':,;[]".contains($0) ? "\\\($0)" : String($0) }.joined()
    }

    private static let (darkest, brightest) = (16, 235)

    private static func black(width: Int, height: Int) -> PixelBuffer {
        let buffer = MutablePixelBuffer(layout: PixelLayout(format: .i420, width: width, height: height))
        for plane in 0..<3 {
            _ = buffer.plane(plane).initializeMemory(as: UInt8.self, repeating: plane == 0 ? UInt8(darkest) : 128)
        }
        return buffer.finish()
    }

    /// Returns the coverage up to the last column that a letter covers. The values are converted from limited range to
    /// 0–255.
    private static func coverage(_ image: PixelBuffer) -> TextMask {
        let (plane, rowBytes) = (image.plane(0), image.layout.planes[0].bytesPerRow)
        func value(_ x: Int, _ y: Int) -> Int {
            min(max(0, Int(plane[y * rowBytes + x]) - darkest), brightest - darkest)
        }
        let width =
            (0..<image.width).last { x in (0..<image.height).contains { value(x, $0) > 0 } }.map { $0 + 1 } ?? 0
        var coverage = [UInt8](repeating: 0, count: width * image.height)
        for y in 0..<image.height {
            for x in 0..<width { coverage[y * width + x] = UInt8(value(x, y) * 255 / (brightest - darkest)) }
        }
        return TextMask(width: width, height: image.height, coverage: coverage)
    }
}
