// Colors and their alpha. Each result is the nearest 8-bit value. The target may be the source itself.

/// Multiplies colors by the alpha, which is the first component.
@discardableResult
public func vImagePremultiplyData_ARGB8888(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ flags: vImage_Flags
) -> vImage_Error { eachColor(src, dest, flags, alphaFirst: true, premultiplied) }

/// Multiplies colors by the alpha, which is the last component: RGBA or BGRA.
@discardableResult
public func vImagePremultiplyData_RGBA8888(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ flags: vImage_Flags
) -> vImage_Error { eachColor(src, dest, flags, alphaFirst: false, premultiplied) }

/// Divides colors by the alpha, which is the first component. Where the alpha is 0, the colors become 0.
@discardableResult
public func vImageUnpremultiplyData_ARGB8888(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ flags: vImage_Flags
) -> vImage_Error { eachColor(src, dest, flags, alphaFirst: true, unpremultiplied) }

/// Divides colors by the alpha, which is the last component: RGBA or BGRA. Where the alpha is 0, the colors become 0.
@discardableResult
public func vImageUnpremultiplyData_RGBA8888(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ flags: vImage_Flags
) -> vImage_Error { eachColor(src, dest, flags, alphaFirst: false, unpremultiplied) }

@inline(__always)
func premultiplied(_ color: UInt8, _ alpha: UInt8) -> UInt8 { UInt8((UInt32(color) * UInt32(alpha) + 127) / 255) }

@inline(__always)
private func unpremultiplied(_ color: UInt8, _ alpha: UInt8) -> UInt8 {
    // A color that exceeds its alpha would become brighter than white, so the color is limited to its alpha.
    alpha == 0 ? 0 : UInt8((UInt32(min(color, alpha)) * 255 + UInt32(alpha / 2)) / UInt32(alpha))
}

@inline(__always)
private func eachColor(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ flags: vImage_Flags, alphaFirst: Bool,
    _ body: (_ color: UInt8, _ alpha: UInt8) -> UInt8
) -> vImage_Error {
    vImageCall(flags) {
        let (source, target) = try rowsOfCall(src, 4, dest, 4)
        let (alphaIndex, colors) = alphaFirst ? (0, 1..<4) : (3, 0..<3)
        eachPixel(source, target) { from, to in
            let alpha = from[alphaIndex]
            for color in colors { to[color] = body(from[color], alpha) }
            to[alphaIndex] = alpha
        }
    }
}
