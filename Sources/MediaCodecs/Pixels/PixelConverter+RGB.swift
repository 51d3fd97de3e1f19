import CYUV
package import MediaTypes

extension PixelConverter {
    func bgra(_ source: PixelBuffer) -> PixelBuffer {
        let isTaken = source.format == .i422 || source.format.hasTenLowBits
        let planar = withFactorsBelowTwo(isTaken ? source : i420(source))
        var target = target(.bgra, planar)
        target.color = source.color.ofRGB
        let to = WritablePlanes<UInt8>(target)
        let matrix = planar.color.matrixConstants(height: source.height)
        let (columns, rows) = (Int32(source.width), Int32(source.height))
        if planar.format.hasTenLowBits {
            let from = Planes<UInt16>(planar)
            let convert = planar.format == .i210 ? I210ToARGBMatrix : I010ToARGBMatrix
            _ = convert(
                from[0], from.row(0), from[1], from.row(1), from[2], from.row(2), to[0], to.row(0), matrix, columns,
                rows)
        } else {
            let from = Planes<UInt8>(planar)
            let convert = planar.format == .i422 ? I422ToARGBMatrix : I420ToARGBMatrix
            _ = convert(
                from[0], from.row(0), from[1], from.row(1), from[2], from.row(2), to[0], to.row(0), matrix, columns,
                rows)
        }
        return target.finish()
    }
}

extension ColorDescription {
    /// What pictures are once they have been turned into RGB (ITU-T H.273: matrix 0 is "identity").
    var ofRGB: ColorDescription {
        ColorDescription(primaries: primaries, transfer: transfer, matrix: 0, isFullRange: true)
    }

    /// What RGB pictures are once libyuv has turned them into luma and chroma: its one matrix is BT.601's, limited.
    package var ofConvertedRGB: ColorDescription {
        ColorDescription(primaries: primaries, transfer: transfer, matrix: 6, isFullRange: false)
    }

    /// libyuv's conversion to RGB. Pictures that name no matrix are of BT.709 from 720 rows on, as players take them.
    func matrixConstants(height: Int) -> OpaquePointer? {
        cyuv_matrix(matrix == 2 && height >= 720 ? 1 : Int32(matrix), isFullRange ? 1 : 0)
    }
}
