// Functions that reorder or replace the channels of pixels. The target may be the source itself.

/// Reorders the components of pixels: component n of the target is component `permuteMap[n]` of the source.
@discardableResult
public func vImagePermuteChannels_ARGB8888(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ permuteMap: UnsafePointer<UInt8>,
    _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        let map = try fourChannels(permuteMap)
        let (source, target) = try rowsOfCall(src, 4, dest, 4)
        eachPixel(source, target) { from, to in
            (to[0], to[1], to[2], to[3]) = (from[map.0], from[map.1], from[map.2], from[map.3])
        }
    }
}

/// Reorders the components of pixels that have three: component n of the target is component `permuteMap[n]` of the
/// source.
@discardableResult
public func vImagePermuteChannels_RGB888(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ permuteMap: UnsafePointer<UInt8>,
    _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        let map = (Int(permuteMap[0]), Int(permuteMap[1]), Int(permuteMap[2]))
        guard max(map.0, map.1, map.2) < 3 else { throw vImage.Error.invalidParameter }
        let (source, target) = try rowsOfCall(src, 3, dest, 3)
        eachPixel(source, target) { from, to in
            (to[0], to[1], to[2]) = (from[map.0], from[map.1], from[map.2])
        }
    }
}

/// Returns the indices of the source's components that become the four components of the target.
func fourChannels(_ map: UnsafePointer<UInt8>) throws -> (Int, Int, Int, Int) {
    let channels = (Int(map[0]), Int(map[1]), Int(map[2]), Int(map[3]))
    guard max(channels.0, channels.1, channels.2, channels.3) < 4 else { throw vImage.Error.invalidParameter }
    return channels
}

/// Copies an image, and replaces components by the values of a plane.
///
/// - Parameter copyMask: the components to replace, as bits: 8 is the first component, and 4, 2 and 1 are the second to
///   fourth.
@discardableResult
public func vImageOverwriteChannels_ARGB8888(
    _ newSrc: UnsafePointer<vImage_Buffer>, _ origSrc: UnsafePointer<vImage_Buffer>,
    _ dest: UnsafePointer<vImage_Buffer>, _ copyMask: UInt8, _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        let mask = try channelMask(copyMask)
        let (source, target) = try rowsOfCall(origSrc, 4, dest, 4)
        let plane = try PixelRows(newSrc, 1, for: target)
        try target.requireSeparate(from: plane)
        for row in 0..<target.height {
            let (new, from, to) = (plane.row(row), source.row(row), target.row(row))
            for column in 0..<target.width {
                replace(mask, of: from + 4 * column, with: new[column], in: to + 4 * column)
            }
        }
    }
}

/// Copies an image, and replaces some components by one value.
///
/// - Parameter copyMask: the components to replace, as bits: 8 is the first component, and 4, 2 and 1 are the second to
///   fourth.
@discardableResult
public func vImageOverwriteChannelsWithScalar_ARGB8888(
    _ scalar: Pixel_8, _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ copyMask: UInt8,
    _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        let mask = try channelMask(copyMask)
        let (source, target) = try rowsOfCall(src, 4, dest, 4)
        eachPixel(source, target) { from, to in replace(mask, of: from, with: scalar, in: to) }
    }
}

/// Fills a plane with a value.
@discardableResult
public func vImageOverwriteChannelsWithScalar_Planar8(
    _ scalar: Pixel_8, _ dest: UnsafePointer<vImage_Buffer>, _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        let target = try PixelRows(dest, 1)
        for row in 0..<target.height { target.row(row).update(repeating: scalar, count: target.width) }
    }
}

/// Copies a component of each pixel to a plane.
///
/// - Parameter channelIndex: the component, from 0 to 3.
@discardableResult
public func vImageExtractChannel_ARGB8888(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ channelIndex: Int,
    _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        guard (0..<4).contains(channelIndex) else { throw vImage.Error.invalidParameter }
        let (source, target) = try rowsOfCall(src, 4, dest, 1)
        eachPixel(source, target) { from, to in to[0] = from[channelIndex] }
    }
}

private func channelMask(_ copyMask: UInt8) throws -> UInt8 {
    guard copyMask < 16 else { throw vImage.Error.invalidParameter }
    return copyMask
}

@inline(__always)
private func replace(
    _ mask: UInt8, of from: UnsafeMutablePointer<UInt8>, with value: UInt8, in to: UnsafeMutablePointer<UInt8>
) {
    for channel in 0..<4 { to[channel] = mask & (8 >> UInt8(channel)) != 0 ? value : from[channel] }
}
