// Reflections, and rotations by multiples of 90°.

/// Turns an image of four components upside down. The target may be the source itself.
@discardableResult
public func vImageVerticalReflect_ARGB8888(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ flags: vImage_Flags
) -> vImage_Error { reflectRows(src, dest, 4, flags) }

/// Turns a plane upside down. The target may be the source itself.
@discardableResult
public func vImageVerticalReflect_Planar8(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ flags: vImage_Flags
) -> vImage_Error { reflectRows(src, dest, 1, flags) }

/// Mirrors an image of four components left to right. The target may be the source itself.
@discardableResult
public func vImageHorizontalReflect_ARGB8888(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ flags: vImage_Flags
) -> vImage_Error { reflectColumns(src, dest, 4, flags) }

/// Mirrors a plane left to right. The target may be the source itself.
@discardableResult
public func vImageHorizontalReflect_Planar8(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ flags: vImage_Flags
) -> vImage_Error { reflectColumns(src, dest, 1, flags) }

/// Returns the rows of two images of the same size, which are in separate memory or in the same memory.
private func rowsOfReflection(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ pixelBytes: Int
) throws -> (source: PixelRows, target: PixelRows) {
    let (source, target) = (try PixelRows(src, pixelBytes), try PixelRows(dest, pixelBytes))
    guard source.width == target.width, source.height == target.height else { throw vImage.Error.bufferSizeMismatch }
    if source.start != target.start || source.rowBytes != target.rowBytes { try target.requireSeparate(from: source) }
    return (source, target)
}

private func reflectRows(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ pixelBytes: Int, _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        let (source, target) = try rowsOfReflection(src, dest, pixelBytes)
        let last = source.height - 1
        // Two rows are copied at a time. If the images share their memory, each row replaces the other.
        for row in 0..<(source.height + 1) / 2 {
            let (top, bottom) = (source.row(row), source.row(last - row))
            let (newTop, newBottom) = (target.row(row), target.row(last - row))
            for byte in 0..<source.width * pixelBytes { (newTop[byte], newBottom[byte]) = (bottom[byte], top[byte]) }
        }
    }
}

private func reflectColumns(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ pixelBytes: Int, _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        let (source, target) = try rowsOfReflection(src, dest, pixelBytes)
        let last = (source.width - 1) * pixelBytes
        for row in 0..<source.height {
            let (from, to) = (source.row(row), target.row(row))
            for column in 0..<(source.width + 1) / 2 {
                let (left, right) = (column * pixelBytes, last - column * pixelBytes)
                for byte in 0..<pixelBytes {
                    (to[left + byte], to[right + byte]) = (from[right + byte], from[left + byte])
                }
            }
        }
    }
}

public let kRotate0DegreesClockwise: Int = 0
public let kRotate90DegreesClockwise: Int = 3
public let kRotate180DegreesClockwise: Int = 2
public let kRotate270DegreesClockwise: Int = 1
public let kRotate0DegreesCounterClockwise: Int = 0
public let kRotate90DegreesCounterClockwise: Int = 1
public let kRotate180DegreesCounterClockwise: Int = 2
public let kRotate270DegreesCounterClockwise: Int = 3

/// Rotates an image of four components around its center, which becomes the center of the target.
///
/// Pixels outside the source get `backColor`. With `kvImageEdgeExtend`, they get the color of the nearest pixel
/// instead.
@discardableResult
public func vImageRotate90_ARGB8888(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ rotationConstant: UInt8,
    _ backColor: UnsafePointer<UInt8>, _ flags: vImage_Flags
) -> vImage_Error { rotate(src, dest, 4, rotationConstant, backColor, flags) }

/// Rotates a plane around its center, which becomes the center of the target.
///
/// Pixels outside the source get `backColor`. With `kvImageEdgeExtend`, they get the color of the nearest pixel
/// instead.
@discardableResult
public func vImageRotate90_Planar8(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ rotationConstant: UInt8,
    _ backColor: Pixel_8, _ flags: vImage_Flags
) -> vImage_Error { withUnsafePointer(to: backColor) { rotate(src, dest, 1, rotationConstant, $0, flags) } }

private func rotate(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ pixelBytes: Int, _ quarters: UInt8,
    _ backColor: UnsafePointer<UInt8>, _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        guard quarters < 4 else { throw vImage.Error.invalidParameter }
        let (source, target) = (try PixelRows(src, pixelBytes), try PixelRows(dest, pixelBytes))
        try target.requireSeparate(from: source)
        let extends = flags & vImage_Flags(kvImageEdgeExtend) != 0 && source.width > 0 && source.height > 0
        let isUpright = quarters % 2 == 0
        let (width, height) = isUpright ? (source.width, source.height) : (source.height, source.width)
        // The distance from the edges of the target to the edges of the rotated source, rounded down to whole pixels.
        let (left, top) = ((target.width - width) >> 1, (target.height - height) >> 1)
        for row in 0..<target.height {
            var to = target.row(row)
            for column in 0..<target.width {
                // The position in the rotated source, from which the position in the source is computed.
                let (x, y) = (column - left, row - top)
                var place = (x: x, y: y)
                switch quarters {
                case 1: place = (source.width - 1 - y, x)
                case 2: place = (source.width - 1 - x, source.height - 1 - y)
                case 3: place = (y, source.height - 1 - x)
                default: break
                }
                if extends {
                    place.x = min(max(place.x, 0), source.width - 1)
                    place.y = min(max(place.y, 0), source.height - 1)
                }
                let isInside = place.x >= 0 && place.x < source.width && place.y >= 0 && place.y < source.height
                let from = isInside ? UnsafePointer(source.row(place.y) + place.x * pixelBytes) : backColor
                to.update(from: from, count: pixelBytes)
                to += pixelBytes
            }
        }
    }
}
