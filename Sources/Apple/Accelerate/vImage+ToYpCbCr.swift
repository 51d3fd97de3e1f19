// Conversion of RGB to 4:2:0 Y'CbCr. Each chroma sample is the mean of its four pixels. At an odd edge, it is the mean
// of the pixels that exist.

/// A prepared conversion from RGB. `vImageConvert_ARGBToYpCbCr_GenerateConversion` creates it.
public struct vImage_ARGBToYpCbCr: Sendable {
    /// The conversion; nil until it is generated.
    fileprivate var conversion: ToYpCbCr?

    public init() {}
}

/// The factors of the conversion for 8-bit values.
private struct ToYpCbCr: Sendable {
    let matrix: vImage_ARGBToYpCbCrMatrix
    let lumaOfBlack: Float
    let chromaOfGray: Float
    let luma: (least: Float, most: Float)
    let chroma: (least: Float, most: Float)

    init(_ matrix: vImage_ARGBToYpCbCrMatrix, _ range: vImage_YpCbCrPixelRange) throws {
        let (luma, chroma) = try range.distances()
        let (lumaScale, chromaScale) = (luma / 255, 2 * chroma / 255)
        self.matrix = vImage_ARGBToYpCbCrMatrix(
            R_Yp: matrix.R_Yp * lumaScale, G_Yp: matrix.G_Yp * lumaScale, B_Yp: matrix.B_Yp * lumaScale,
            R_Cb: matrix.R_Cb * chromaScale, G_Cb: matrix.G_Cb * chromaScale,
            B_Cb_R_Cr: matrix.B_Cb_R_Cr * chromaScale, G_Cr: matrix.G_Cr * chromaScale,
            B_Cr: matrix.B_Cr * chromaScale)
        lumaOfBlack = Float(range.Yp_bias)
        chromaOfGray = Float(range.CbCr_bias)
        self.luma = (Float(range.YpMin), Float(range.YpMax))
        self.chroma = (Float(range.CbCrMin), Float(range.CbCrMax))
    }

    @inline(__always)
    func yp(_ red: Float, _ green: Float, _ blue: Float) -> UInt8 {
        bounded(lumaOfBlack + matrix.R_Yp * red + matrix.G_Yp * green + matrix.B_Yp * blue, luma)
    }

    @inline(__always)
    func cb(_ red: Float, _ green: Float, _ blue: Float) -> UInt8 {
        bounded(chromaOfGray + matrix.R_Cb * red + matrix.G_Cb * green + matrix.B_Cb_R_Cr * blue, chroma)
    }

    @inline(__always)
    func cr(_ red: Float, _ green: Float, _ blue: Float) -> UInt8 {
        bounded(chromaOfGray + matrix.B_Cb_R_Cr * red + matrix.G_Cr * green + matrix.B_Cr * blue, chroma)
    }

    @inline(__always)
    private func bounded(_ value: Float, _ bounds: (least: Float, most: Float)) -> UInt8 {
        nearestByte(value > bounds.least ? min(value, bounds.most) : bounds.least)
    }
}

/// Prepares a conversion from RGB.
@discardableResult
public func vImageConvert_ARGBToYpCbCr_GenerateConversion(
    _ matrix: UnsafePointer<vImage_ARGBToYpCbCrMatrix>, _ pixelRange: UnsafePointer<vImage_YpCbCrPixelRange>,
    _ outInfo: UnsafeMutablePointer<vImage_ARGBToYpCbCr>, _ inARGBType: vImageARGBType,
    _ outYpCbCrType: vImageYpCbCrType, _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        try requireConversion(outYpCbCrType, inARGBType)
        outInfo.pointee.conversion = try ToYpCbCr(matrix.pointee, pixelRange.pointee)
    }
}

/// Converts RGB to two planes (the pixel formats 420v and 420f). The image has the size of the luma plane.
///
/// - Parameter permuteMap: the indices of alpha, red, green and blue in the source: 3, 2, 1, 0 for BGRA. Nil means
///   ARGB.
@discardableResult
public func vImageConvert_ARGB8888To420Yp8_CbCr8(
    _ src: UnsafePointer<vImage_Buffer>, _ destYp: UnsafePointer<vImage_Buffer>,
    _ destCbCr: UnsafePointer<vImage_Buffer>, _ info: UnsafePointer<vImage_ARGBToYpCbCr>,
    _ permuteMap: UnsafePointer<UInt8>!, _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        let luma = try PixelRows(destYp, 1)
        let chroma = try chromaRows(destCbCr, 2, for: luma)
        try convert(src, luma, chroma, chroma, secondAt: 1, info, permuteMap)
    }
}

/// Converts RGB to three planes (the pixel formats y420 and f420). The image has the size of the luma plane.
///
/// - Parameter permuteMap: the indices of alpha, red, green and blue in the source: 3, 2, 1, 0 for BGRA. Nil means
///   ARGB.
@discardableResult
public func vImageConvert_ARGB8888To420Yp8_Cb8_Cr8(
    _ src: UnsafePointer<vImage_Buffer>, _ destYp: UnsafePointer<vImage_Buffer>,
    _ destCb: UnsafePointer<vImage_Buffer>, _ destCr: UnsafePointer<vImage_Buffer>,
    _ info: UnsafePointer<vImage_ARGBToYpCbCr>, _ permuteMap: UnsafePointer<UInt8>!, _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        let luma = try PixelRows(destYp, 1)
        let (blue, red) = (try chromaRows(destCb, 1, for: luma), try chromaRows(destCr, 1, for: luma))
        try convert(src, luma, blue, red, secondAt: 0, info, permuteMap)
    }
}

/// Converts RGB to luma and chroma samples.
///
/// - Parameter secondAt: the offset of Cr in bytes in each sample of `red`. It is 1 if Cb and Cr are interleaved,
///   otherwise 0.
private func convert(
    _ src: UnsafePointer<vImage_Buffer>, _ luma: PixelRows, _ blue: PixelRows, _ red: PixelRows, secondAt: Int,
    _ info: UnsafePointer<vImage_ARGBToYpCbCr>, _ permuteMap: UnsafePointer<UInt8>?
) throws {
    guard let conversion = info.pointee.conversion else { throw vImage.Error.invalidParameter }
    let map = try permuteMap.map(fourChannels) ?? (0, 1, 2, 3)
    let source = try PixelRows(src, 4, for: luma)
    for target in [luma, blue, red] { try target.requireSeparate(from: source) }
    for row in 0..<luma.height {
        var (from, yp) = (source.row(row), luma.row(row))
        for _ in 0..<luma.width {
            yp[0] = conversion.yp(Float(from[map.1]), Float(from[map.2]), Float(from[map.3]))
            from += 4
            yp += 1
        }
    }
    for row in 0..<blue.height {
        let rows = 2 * row..<min(2 * row + 2, luma.height)
        var (cb, cr) = (blue.row(row), red.row(row) + secondAt)
        for column in 0..<blue.width {
            let columns = 2 * column..<min(2 * column + 2, luma.width)
            var sum = SIMD3<Float>(repeating: 0)
            for row in rows {
                for column in columns {
                    let from = source.row(row) + 4 * column
                    sum += SIMD3(Float(from[map.1]), Float(from[map.2]), Float(from[map.3]))
                }
            }
            let mean = sum / Float(rows.count * columns.count)
            cb[0] = conversion.cb(mean.x, mean.y, mean.z)
            cr[0] = conversion.cr(mean.x, mean.y, mean.z)
            cb += blue.pixelBytes
            cr += red.pixelBytes
        }
    }
}
