/// The luma of a stamp's letters and of their outline.
struct StampShades: Hashable {
    let light: UInt8
    let dark: UInt8

    init(isFullRange: Bool) { (light, dark) = isFullRange ? (255, 0) : (235, 16) }
}

/// One character of a stamp with its outline, ready to be drawn on 4:2:0.
///
/// A pixel belongs to the glyph completely or not at all, so that a stamp looks the same on every background. All
/// positions and sizes are even, so that every glyph covers complete chroma samples.
final class StampGlyph: Sendable {
    /// The distance from the pen position to the left edge; may be negative.
    let x: Int
    /// The distance from the top of the line to the upper edge; may be negative.
    let y: Int
    let width: Int
    let height: Int
    /// The distance from this glyph's pen position to the next glyph's.
    let advance: Int
    /// 0 for the pixels of the glyph and its outline, 255 for all others.
    let keep: [UInt8]
    /// The luma of the letter; 0 for pixels outside the letter.
    let light: [UInt8]
    /// 0 for the chroma samples that share a pixel with the glyph, 255 for all others.
    let chromaKeep: [UInt8]

    /// Creates a glyph without pixels, such as a space.
    init(advance: Int) {
        (x, y, width, height, self.advance) = (0, 0, 0, 0, StampGlyph.even(advance + 1))
        (keep, light, chromaKeep) = ([], [], [])
    }

    /// - Parameters:
    ///   - coverage: the part of each pixel that the letter covers, 0 to 255, row by row.
    ///   - width: the width of the letter. All positions and sizes in these parameters are those of the letter without
    ///     its outline.
    init(
        coverage: UnsafePointer<UInt8>, bytesPerRow: Int, width: Int, height: Int, x: Int, y: Int, advance: Int,
        outline: Int, _ shades: StampShades
    ) {
        let (left, top) = (StampGlyph.even(x - outline), StampGlyph.even(y - outline))
        let columns = StampGlyph.even(x + width + outline + 1) - left
        let rows = StampGlyph.even(y + height + outline + 1) - top
        var keep = [UInt8](repeating: 255, count: columns * rows)
        var light = [UInt8](repeating: 0, count: columns * rows)
        // The letter's first pixel.
        let first = (y - top) * columns + x - left
        // The disc contains the pixels whose squared distance is at most r² + r, which looks rounder than r².
        var disc: [Int] = []
        for dy in -outline...outline {
            for dx in -outline...outline where dx * dx + dy * dy <= outline * outline + outline {
                disc.append(dy * columns + dx)
            }
        }
        for row in 0..<height {
            for column in 0..<width where coverage[row * bytesPerRow + column] >= StampGlyph.visible {
                let pixel = first + row * columns + column
                for offset in disc { keep[pixel + offset] = 0 }
            }
        }
        let span = Int(shades.light) - Int(shades.dark)
        for row in 0..<height {
            for column in 0..<width {
                let (covered, pixel) = (Int(coverage[row * bytesPerRow + column]), first + row * columns + column)
                if covered > 0, keep[pixel] == 0 { light[pixel] = UInt8(Int(shades.dark) + covered * span / 255) }
            }
        }
        (self.x, self.y, self.width, self.height) = (left, top, columns, rows)
        self.advance = StampGlyph.even(advance + 1)
        (self.keep, self.light, chromaKeep) = (keep, light, StampGlyph.halved(keep, columns: columns, rows: rows))
    }

    /// The smallest coverage of a pixel that gets an outline.
    private static let visible: UInt8 = 64

    /// Returns the largest even number that does not exceed `value`.
    static func even(_ value: Int) -> Int { value & ~1 }

    private static func halved(_ keep: [UInt8], columns: Int, rows: Int) -> [UInt8] {
        stride(from: 0, to: rows, by: 2).flatMap { row in
            stride(from: 0, to: columns, by: 2).map { column in
                let pixel = row * columns + column
                return keep[pixel] & keep[pixel + 1] & keep[pixel + columns] & keep[pixel + columns + 1]
            }
        }
    }
}
