// Conversion of 4:2:0 Y'CbCr to RGB. Each chroma sample is used for its four pixels, without interpolation.

/// A prepared conversion to RGB. `vImageConvert_YpCbCrToARGB_GenerateConversion` creates it.
public struct vImage_YpCbCrToARGB: Sendable {
    /// The conversion; nil until it is generated.
    fileprivate var conversion: FromYpCbCr?

    public init() {}
}

/// The factors of the conversion for 8-bit values.
private struct FromYpCbCr: Sendable {
    let matrix: vImage_YpCbCrToARGBMatrix
    let lumaOfBlack: Float
    let chromaOfGray: Float

    init(_ matrix: vImage_YpCbCrToARGBMatrix, _ range: vImage_YpCbCrPixelRange) throws {
        let (luma, chroma) = try range.distances()
        let (lumaScale, chromaScale) = (255 / luma, 255 / (2 * chroma))
        self.matrix = vImage_YpCbCrToARGBMatrix(
            Yp: matrix.Yp * lumaScale, Cr_R: matrix.Cr_R * chromaScale, Cr_G: matrix.Cr_G * chromaScale,
            Cb_G: matrix.Cb_G * chromaScale, Cb_B: matrix.Cb_B * chromaScale)
        lumaOfBlack = Float(range.Yp_bias)
        chromaOfGray = Float(range.CbCr_bias)
    }

    @inline(__always)
    func pixel(_ yp: UInt8, _ cb: UInt8, _ cr: UInt8, alpha: UInt8) -> SIMD4<UInt8> {
        let luma = matrix.Yp * (Float(yp) - lumaOfBlack)
        let (blue, red) = (Float(cb) - chromaOfGray, Float(cr) - chromaOfGray)
        return SIMD4(
            alpha, nearestByte(luma + matrix.Cr_R * red), nearestByte(luma + matrix.Cb_G * blue + matrix.Cr_G * red),
            nearestByte(luma + matrix.Cb_B * blue))
    }
}

/// Prepares a conversion to RGB.
///
/// As on Apple's systems, luma and chroma outside the limits of the range (`YpMin` to `CbCrMax`) are converted too.
@discardableResult
public func vImageConvert_YpCbCrToARGB_GenerateConversion(
    _ matrix: UnsafePointer<vImage_YpCbCrToARGBMatrix>, _ pixelRange: UnsafePointer<vImage_YpCbCrPixelRange>,
    _ outInfo: UnsafeMutablePointer<vImage_YpCbCrToARGB>, _ inYpCbCrType: vImageYpCbCrType,
    _ outARGBType: vImageARGBType, _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        try requireConversion(inYpCbCrType, outARGBType)
        outInfo.pointee.conversion = try FromYpCbCr(matrix.pointee, pixelRange.pointee)
    }
}

/// Converts two planes (the pixel formats 420v and 420f) to RGB.
///
/// - Parameter permuteMap: a number for each component of the target: 0 for alpha, 1 for red, 2 for green, 3 for blue.
///   The map 3, 2, 1, 0 creates BGRA. Nil creates ARGB.
@discardableResult
public func vImageConvert_420Yp8_CbCr8ToARGB8888(
    _ srcYp: UnsafePointer<vImage_Buffer>, _ srcCbCr: UnsafePointer<vImage_Buffer>,
    _ dest: UnsafePointer<vImage_Buffer>, _ info: UnsafePointer<vImage_YpCbCrToARGB>,
    _ permuteMap: UnsafePointer<UInt8>!, _ alpha: UInt8, _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        let target = try PixelRows(dest, 4)
        let chroma = try chromaRows(srcCbCr, 2, for: target)
        try convert(srcYp, target, info, permuteMap, alpha, chroma, chroma, secondAt: 1)
    }
}

/// Converts three planes (the pixel formats y420 and f420) to RGB.
///
/// - Parameter permuteMap: a number for each component of the target: 0 for alpha, 1 for red, 2 for green, 3 for blue.
///   The map 3, 2, 1, 0 creates BGRA. Nil creates ARGB.
@discardableResult
public func vImageConvert_420Yp8_Cb8_Cr8ToARGB8888(
    _ srcYp: UnsafePointer<vImage_Buffer>, _ srcCb: UnsafePointer<vImage_Buffer>,
    _ srcCr: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>,
    _ info: UnsafePointer<vImage_YpCbCrToARGB>, _ permuteMap: UnsafePointer<UInt8>!, _ alpha: UInt8,
    _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        let target = try PixelRows(dest, 4)
        let (blue, red) = (try chromaRows(srcCb, 1, for: target), try chromaRows(srcCr, 1, for: target))
        try convert(srcYp, target, info, permuteMap, alpha, blue, red, secondAt: 0)
    }
}

/// Returns the rows of an image's chroma, which has one sample for each two columns and two rows.
func chromaRows(_ buffer: UnsafePointer<vImage_Buffer>, _ pixelBytes: Int, for image: PixelRows) throws -> PixelRows {
    try PixelRows(buffer, pixelBytes, width: (image.width + 1) / 2, height: (image.height + 1) / 2)
}

/// Converts samples to RGB.
///
/// - Parameter secondAt: the offset of Cr in bytes in each sample of `red`. It is 1 if Cb and Cr are interleaved,
///   otherwise 0.
private func convert(
    _ srcYp: UnsafePointer<vImage_Buffer>, _ target: PixelRows, _ info: UnsafePointer<vImage_YpCbCrToARGB>,
    _ permuteMap: UnsafePointer<UInt8>?, _ alpha: UInt8, _ blue: PixelRows, _ red: PixelRows, secondAt: Int
) throws {
    guard let conversion = info.pointee.conversion else { throw vImage.Error.invalidParameter }
    let map = try permuteMap.map(fourChannels) ?? (0, 1, 2, 3)
    let luma = try PixelRows(srcYp, 1, for: target)
    for source in [luma, blue, red] { try target.requireSeparate(from: source) }
    for row in 0..<target.height {
        let (yp, cb, cr) = (luma.row(row), blue.row(row / 2), red.row(row / 2) + secondAt)
        var to = target.row(row)
        for column in 0..<target.width {
            let sample = column / 2 * blue.pixelBytes
            let pixel = conversion.pixel(yp[column], cb[sample], cr[sample], alpha: alpha)
            (to[0], to[1], to[2], to[3]) = (pixel[map.0], pixel[map.1], pixel[map.2], pixel[map.3])
            to += 4
        }
    }
}
