import CYUV
package import MediaTypes

extension PixelConverter {
    private typealias Reordering =
        (UnsafePointer<UInt8>?, Int32, UnsafeMutablePointer<UInt8>?, Int32, Int32, Int32) -> Int32

    /// Returns libyuv's conversion from another RGB format to the byte order of `bgra`; nil for all other formats.
    /// libyuv converts only this byte order to formats other than RGB. Names in libyuv list the bytes of a word from
    /// the highest to the lowest.
    private static func reordering(from format: PixelFormat) -> Reordering? {
        switch format {
        case .argb: BGRAToARGB
        case .rgba: ABGRToARGB
        case .rgb24: RAWToARGB
        default: nil
        }
    }

    /// Returns libyuv's conversion from the byte order of `bgra` to another RGB format; nil for all other formats.
    private static func reordering(to format: PixelFormat) -> Reordering? {
        switch format {
        case .argb: ARGBToBGRA
        case .rgba: ARGBToABGR
        case .rgb24: ARGBToRAW
        default: nil
        }
    }

    /// Converts RGB to the byte order of `bgra`. Frames without alpha become opaque. Other formats stay unchanged.
    func ordered(_ source: PixelBuffer) -> PixelBuffer {
        guard let reorder = Self.reordering(from: source.format) else { return source }
        return reordered(source, to: .bgra, reorder)
    }

    /// Converts to RGB with a byte order other than that of `bgra`.
    func rgb(_ source: PixelBuffer, _ format: PixelFormat) -> PixelBuffer {
        let ordered = bgra(source)
        guard let reorder = Self.reordering(to: format) else { return ordered }
        return reordered(ordered, to: format, reorder)
    }

    private func reordered(_ source: PixelBuffer, to format: PixelFormat, _ reorder: Reordering) -> PixelBuffer {
        let target = target(format, source)
        let (from, to) = (Planes<UInt8>(source), WritablePlanes<UInt8>(target))
        _ = reorder(from[0], from.row(0), to[0], to.row(0), Int32(source.width), Int32(source.height))
        return target.finish()
    }

    func bgra(_ source: PixelBuffer) -> PixelBuffer {
        if source.format == .bgra { return source }
        let isTaken = source.format == .i422 || source.format.hasTenLowBits
        let planar = withFactorsBelowTwo(isTaken ? source : i420(source))
        var target = target(.bgra, planar)
        target.color = source.color.ofRGB
        let matrix = planar.color.matrixConstants(height: source.height)
        let fields = fields(of: source)
        let (columns, rows) = (Int32(source.width), Int32(source.height / fields))
        for field in 0..<fields {
            let to = WritablePlanes<UInt8>(target, field: field, of: fields)
            if planar.format.hasTenLowBits {
                let from = Planes<UInt16>(planar, field: field, of: fields)
                let convert = planar.format == .i210 ? I210ToARGBMatrix : I010ToARGBMatrix
                _ = convert(
                    from[0], from.row(0), from[1], from.row(1), from[2], from.row(2), to[0], to.row(0), matrix, columns,
                    rows)
            } else {
                let from = Planes<UInt8>(planar, field: field, of: fields)
                let convert = planar.format == .i422 ? I422ToARGBMatrix : I420ToARGBMatrix
                _ = convert(
                    from[0], from.row(0), from[1], from.row(1), from[2], from.row(2), to[0], to.row(0), matrix, columns,
                    rows)
            }
        }
        return target.finish()
    }
}

extension ColorDescription {
    /// The color tags of a frame after conversion to RGB (ITU-T H.273: matrix 0 is "identity").
    var ofRGB: ColorDescription {
        ColorDescription(primaries: primaries, transfer: transfer, matrix: 0, isFullRange: true)
    }

    /// The color tags of RGB frames after libyuv's conversion to luma and chroma. libyuv converts only to limited-range
    /// BT.601.
    package var ofConvertedRGB: ColorDescription {
        ColorDescription(primaries: primaries, transfer: transfer, matrix: 6, isFullRange: false)
    }

    /// Returns libyuv's conversion to RGB. If the matrix is unspecified, frames of 720 rows or more count as BT.709, as
    /// in players.
    func matrixConstants(height: Int) -> OpaquePointer? {
        cyuv_matrix(matrix == 2 && height >= 720 ? 1 : Int32(matrix), isFullRange ? 1 : 0)
    }
}
