import CYUV
import MediaTypes

/// Converts I420 frames from one matrix and range to another (ITU-T H.273, 8.3).
///
/// The conversion is defined through RGB but is linear. Each new chroma value is a mix of the two old chroma values,
/// and luma changes slightly with chroma. Primaries and transfer functions stay unchanged. Called by one thread at a
/// time.
final class FrameColorMatcher {
    private let formats: PixelConverter
    private var table: cyuv_color_change?
    private var former: (from: Meaning, to: Meaning)?

    /// The interpretation of a frame's sample values.
    private struct Meaning: Equatable {
        var red: Double
        var blue: Double
        var isFullRange: Bool

        init(_ color: ColorDescription, height: Int) {
            (red, blue) = color.lumaWeights(height: height)
            isFullRange = color.isFullRange
        }

        var lumaScale: Double { isFullRange ? 255 : 219 }
        var chromaScale: Double { isFullRange ? 255 : 224 }
        var black: Double { isFullRange ? 0 : 16 }
    }

    /// - Parameter formats: the converter whose pools provide the memory.
    init(_ formats: PixelConverter) { self.formats = formats }

    /// - Parameter height: the height of the frames that `color` describes. The height selects the matrix if `color`
    ///   has none.
    /// - Returns: the unchanged frame if its matrix and range are already those of `color`.
    func match(_ source: PixelBuffer, height sourceHeight: Int, to color: ColorDescription, height: Int) -> PixelBuffer
    {
        let (from, to) = (Meaning(source.color, height: sourceHeight), Meaning(color, height: height))
        if from == to { return source }
        if former?.from != from || former?.to != to {
            table = Self.change(from, to)
            former = (from, to)
        }
        guard var table else { return source }
        let target = formats.target(.i420, width: source.width, height: source.height, color: color)
        let (old, new) = (Planes<UInt8>(source), WritablePlanes<UInt8>(target))
        cyuv_change_color(
            old[0], old.row(0), old[1], old.row(1), old[2], old.row(2), new[0], new.row(0), new[1], new.row(1), new[2],
            new.row(2), Int32(source.width), Int32(source.height), &table)
        return target.finish()
    }

    /// Converts red, green and blue, each 0 to 1, into eight-bit samples in `color`.
    static func samples(
        _ red: Double, _ green: Double, _ blue: Double, in color: ColorDescription, height: Int
    ) -> [UInt8] {
        let meaning = Meaning(color, height: height)
        let mixed = coordinates(red, green, blue, meaning)
        // in range: the value is limited to a byte. A plain conversion is faster in this loop over pixels.
        func sample(_ value: Double) -> UInt8 { UInt8(min(255, max(0, value.rounded()))) }
        return [
            sample(meaning.black + mixed.luma * meaning.lumaScale), sample(128 + mixed.cb * meaning.chromaScale),
            sample(128 + mixed.cr * meaning.chromaScale),
        ]
    }

    private static func coordinates(
        _ red: Double, _ green: Double, _ blue: Double, _ meaning: Meaning
    ) -> (luma: Double, cb: Double, cr: Double) {
        let luma = meaning.red * red + (1 - meaning.red - meaning.blue) * green + meaning.blue * blue
        return (luma, (blue - luma) / (2 * (1 - meaning.blue)), (red - luma) / (2 * (1 - meaning.red)))
    }

    /// Returns how much one step of each old component changes each of the three new components, in 1/8,192 of a step.
    private static func change(_ from: Meaning, _ to: Meaning) -> cyuv_color_change {
        func moved(luma: Double, cb: Double, cr: Double) -> (luma: Double, cb: Double, cr: Double) {
            let (red, blue) = (luma + 2 * (1 - from.red) * cr, luma + 2 * (1 - from.blue) * cb)
            let green = (luma - from.red * red - from.blue * blue) / (1 - from.red - from.blue)
            return coordinates(red, green, blue, to)
        }
        let byCb = moved(luma: 0, cb: 1 / from.chromaScale, cr: 0)
        let byCr = moved(luma: 0, cb: 0, cr: 1 / from.chromaScale)
        func fixed(_ value: Double) -> Int16 { Int16(clamping: Int(clamping: (value * 8192).rounded())) }
        return cyuv_color_change(
            black: Int32(from.black), new_black: Int32(to.black), luma: fixed(to.lumaScale / from.lumaScale),
            luma_by_cb: fixed(byCb.luma * to.lumaScale), luma_by_cr: fixed(byCr.luma * to.lumaScale),
            cb_by_cb: fixed(byCb.cb * to.chromaScale), cb_by_cr: fixed(byCr.cb * to.chromaScale),
            cr_by_cb: fixed(byCb.cr * to.chromaScale), cr_by_cr: fixed(byCr.cr * to.chromaScale))
    }
}

extension ColorDescription {
    /// Returns the weights of red and blue in luma for the matrix code (ITU-T H.273, table 4). If the matrix is
    /// unspecified, frames of 720 rows or more count as BT.709, as in players.
    func lumaWeights(height: Int) -> (red: Double, blue: Double) {
        switch matrix == 2 && height >= 720 ? 1 : matrix {
        case 1: (0.2126, 0.0722)
        case 4: (0.30, 0.11)
        case 7: (0.212, 0.087)
        case 9, 10: (0.2627, 0.0593)
        default: (0.299, 0.114)
        }
    }
}
