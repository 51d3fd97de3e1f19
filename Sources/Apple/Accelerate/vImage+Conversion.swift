// Conversions between planes, images of three or four components, and floating point.

/// Combines four planes into an image of four components.
@discardableResult
public func vImageConvert_Planar8toARGB8888(
    _ srcA: UnsafePointer<vImage_Buffer>, _ srcR: UnsafePointer<vImage_Buffer>, _ srcG: UnsafePointer<vImage_Buffer>,
    _ srcB: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ flags: vImage_Flags
) -> vImage_Error { joinPlanes([srcA, srcR, srcG, srcB], dest, flags) }

/// Combines three planes into an image of three components.
@discardableResult
public func vImageConvert_Planar8toRGB888(
    _ planarRed: UnsafePointer<vImage_Buffer>, _ planarGreen: UnsafePointer<vImage_Buffer>,
    _ planarBlue: UnsafePointer<vImage_Buffer>, _ rgbDest: UnsafePointer<vImage_Buffer>, _ flags: vImage_Flags
) -> vImage_Error { joinPlanes([planarRed, planarGreen, planarBlue], rgbDest, flags) }

private func joinPlanes(
    _ planes: [UnsafePointer<vImage_Buffer>], _ dest: UnsafePointer<vImage_Buffer>, _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        let target = try PixelRows(dest, planes.count)
        let sources = try planes.map { try PixelRows($0, 1, for: target) }
        for source in sources { try target.requireSeparate(from: source) }
        for (channel, source) in sources.enumerated() {
            eachPixel(source, target) { from, to in to[channel] = from[0] }
        }
    }
}

/// Copies the components of an image to four planes, which must have the same size.
@discardableResult
public func vImageConvert_ARGB8888toPlanar8(
    _ srcARGB: UnsafePointer<vImage_Buffer>, _ destA: UnsafePointer<vImage_Buffer>,
    _ destR: UnsafePointer<vImage_Buffer>, _ destG: UnsafePointer<vImage_Buffer>,
    _ destB: UnsafePointer<vImage_Buffer>, _ flags: vImage_Flags
) -> vImage_Error { splitPlanes(srcARGB, [destA, destR, destG, destB], flags) }

/// Copies the components of an image to three planes, which must have the same size.
@discardableResult
public func vImageConvert_RGB888toPlanar8(
    _ rgbSrc: UnsafePointer<vImage_Buffer>, _ redDest: UnsafePointer<vImage_Buffer>,
    _ greenDest: UnsafePointer<vImage_Buffer>, _ blueDest: UnsafePointer<vImage_Buffer>, _ flags: vImage_Flags
) -> vImage_Error { splitPlanes(rgbSrc, [redDest, greenDest, blueDest], flags) }

private func splitPlanes(
    _ src: UnsafePointer<vImage_Buffer>, _ planes: [UnsafePointer<vImage_Buffer>], _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        let targets = try planes.map { try PixelRows($0, 1) }
        for target in targets where target.width != targets[0].width || target.height != targets[0].height {
            throw vImage.Error.bufferSizeMismatch
        }
        let source = try PixelRows(src, planes.count, for: targets[0])
        for target in targets { try target.requireSeparate(from: source) }
        for (channel, target) in targets.enumerated() {
            eachPixel(source, target) { from, to in to[0] = from[channel] }
        }
    }
}

/// Adds alpha as the first component. The alpha comes from a plane, or is one value if `aSrc` is nil.
///
/// - Parameter premultiply: true to multiply the colors by the alpha.
@discardableResult
public func vImageConvert_RGB888toARGB8888(
    _ rgbSrc: UnsafePointer<vImage_Buffer>, _ aSrc: UnsafePointer<vImage_Buffer>!, _ alpha: Pixel_8,
    _ argbDest: UnsafePointer<vImage_Buffer>, _ premultiply: Bool, _ flags: vImage_Flags
) -> vImage_Error { addAlpha(rgbSrc, aSrc, alpha, argbDest, premultiply, flags, alphaAt: 0, colorsAt: (1, 2, 3)) }

/// Adds alpha as the last component. The alpha comes from a plane, or is one value if `aSrc` is nil.
///
/// - Parameter premultiply: true to multiply the colors by the alpha.
@discardableResult
public func vImageConvert_RGB888toRGBA8888(
    _ rgbSrc: UnsafePointer<vImage_Buffer>, _ aSrc: UnsafePointer<vImage_Buffer>!, _ alpha: Pixel_8,
    _ rgbaDest: UnsafePointer<vImage_Buffer>, _ premultiply: Bool, _ flags: vImage_Flags
) -> vImage_Error { addAlpha(rgbSrc, aSrc, alpha, rgbaDest, premultiply, flags, alphaAt: 3, colorsAt: (0, 1, 2)) }

/// Reverses the order of the colors, and adds alpha as the last component. The alpha comes from a plane, or is one
/// value if `aSrc` is nil.
///
/// - Parameter premultiply: true to multiply the colors by the alpha.
@discardableResult
public func vImageConvert_RGB888toBGRA8888(
    _ rgbSrc: UnsafePointer<vImage_Buffer>, _ aSrc: UnsafePointer<vImage_Buffer>!, _ alpha: Pixel_8,
    _ bgraDest: UnsafePointer<vImage_Buffer>, _ premultiply: Bool, _ flags: vImage_Flags
) -> vImage_Error { addAlpha(rgbSrc, aSrc, alpha, bgraDest, premultiply, flags, alphaAt: 3, colorsAt: (2, 1, 0)) }

@inline(__always)
private func addAlpha(
    _ src: UnsafePointer<vImage_Buffer>, _ alphaSource: UnsafePointer<vImage_Buffer>?, _ alpha: UInt8,
    _ dest: UnsafePointer<vImage_Buffer>, _ premultiplies: Bool, _ flags: vImage_Flags, alphaAt: Int,
    colorsAt: (Int, Int, Int)
) -> vImage_Error {
    vImageCall(flags) {
        let target = try PixelRows(dest, 4)
        let source = try PixelRows(src, 3, for: target)
        try target.requireSeparate(from: source)
        let plane = try alphaSource.map { try PixelRows($0, 1, for: target) }
        if let plane { try target.requireSeparate(from: plane) }
        for row in 0..<target.height {
            var (from, to) = (source.row(row), target.row(row))
            let alphas = plane?.row(row)
            for column in 0..<target.width {
                let opacity = alphas?[column] ?? alpha
                to[colorsAt.0] = premultiplies ? premultiplied(from[0], opacity) : from[0]
                to[colorsAt.1] = premultiplies ? premultiplied(from[1], opacity) : from[1]
                to[colorsAt.2] = premultiplies ? premultiplied(from[2], opacity) : from[2]
                to[alphaAt] = opacity
                from += 3
                to += 4
            }
        }
    }
}

/// Drops the first component. The target may be the source itself.
@discardableResult
public func vImageConvert_ARGB8888toRGB888(
    _ argbSrc: UnsafePointer<vImage_Buffer>, _ rgbDest: UnsafePointer<vImage_Buffer>, _ flags: vImage_Flags
) -> vImage_Error { takeColors(argbSrc, rgbDest, flags, (1, 2, 3)) }

/// Drops the last component. The target may be the source itself.
@discardableResult
public func vImageConvert_RGBA8888toRGB888(
    _ rgbaSrc: UnsafePointer<vImage_Buffer>, _ rgbDest: UnsafePointer<vImage_Buffer>, _ flags: vImage_Flags
) -> vImage_Error { takeColors(rgbaSrc, rgbDest, flags, (0, 1, 2)) }

/// Drops the last component and reverses the order of the others. The target may be the source itself.
@discardableResult
public func vImageConvert_BGRA8888toRGB888(
    _ bgraSrc: UnsafePointer<vImage_Buffer>, _ rgbDest: UnsafePointer<vImage_Buffer>, _ flags: vImage_Flags
) -> vImage_Error { takeColors(bgraSrc, rgbDest, flags, (2, 1, 0)) }

@inline(__always)
private func takeColors(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ flags: vImage_Flags,
    _ colors: (Int, Int, Int)
) -> vImage_Error {
    vImageCall(flags) {
        let (source, target) = try rowsOfCall(src, 4, dest, 3)
        eachPixel(source, target) { from, to in
            (to[0], to[1], to[2]) = (from[colors.0], from[colors.1], from[colors.2])
        }
    }
}

/// Converts 8-bit values to floating point: 0 becomes `minFloat`, and 255 becomes `maxFloat`.
@discardableResult
public func vImageConvert_Planar8toPlanarF(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ maxFloat: Pixel_F,
    _ minFloat: Pixel_F, _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        let (source, target) = try rowsOfCall(src, 1, dest, 4)
        eachPixel(source, target) { from, to in
            let value = (maxFloat - minFloat) * Float(from[0]) / 255 + minFloat
            // The caller's memory may not be aligned for floating point.
            UnsafeMutableRawPointer(to).storeBytes(of: value, as: Float.self)
        }
    }
}

/// Converts floating point to the nearest 8-bit value. `minFloat` and less become 0, and `maxFloat` and more become
/// 255. The target may be the source itself.
@discardableResult
public func vImageConvert_PlanarFtoPlanar8(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ maxFloat: Pixel_F,
    _ minFloat: Pixel_F, _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        let (source, target) = try rowsOfCall(src, 4, dest, 1)
        eachPixel(source, target) { from, to in
            let value = UnsafeMutableRawPointer(from).loadUnaligned(as: Float.self)
            to[0] = nearestByte(255 * (value - minFloat) / (maxFloat - minFloat))
        }
    }
}
