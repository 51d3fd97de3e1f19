public import Foundation
import MediaTypes

public typealias CVPixelBufferReleasePlanarBytesCallback =
    @convention(c) (
        _ context: UnsafeMutableRawPointer?, _ data: UnsafeRawPointer?, _ dataSize: Int, _ planeCount: Int,
        _ planes: UnsafeMutablePointer<UnsafeRawPointer?>?
    ) -> Void

/// Creates a pixel buffer of several planes with a copy of the caller's memory. The caller's memory is released
/// immediately.
@discardableResult
public func CVPixelBufferCreateWithPlanarBytes(
    _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType,
    _ dataPtr: UnsafeMutableRawPointer?, _ dataSize: Int, _ numberOfPlanes: Int,
    _ planeBaseAddress: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ planeWidth: UnsafeMutablePointer<Int>,
    _ planeHeight: UnsafeMutablePointer<Int>, _ planeBytesPerRow: UnsafeMutablePointer<Int>,
    _ releaseCallback: CVPixelBufferReleasePlanarBytesCallback?, _ releaseRefCon: UnsafeMutableRawPointer?,
    _ pixelBufferAttributes: CFDictionary?, _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
    var made: CVPixelBuffer?
    let status = CVPixelBufferCreate(allocator, width, height, pixelFormatType, pixelBufferAttributes, &made)
    guard status == kCVReturnSuccess, let made else { return status }
    let least = PixelLayout(format: made.layout.format, width: width, height: height)
    guard numberOfPlanes == least.planes.count else { return kCVReturnInvalidArgument }
    for (index, plane) in least.planes.enumerated() {
        guard let source = planeBaseAddress[index], let target = made.baseAddress(ofPlane: index),
            planeBytesPerRow[index] >= plane.bytesPerRow, planeHeight[index] >= plane.rows
        else { return kCVReturnInvalidArgument }
        let stride = made.layout.planes[index].bytesPerRow
        for row in 0..<plane.rows {
            (target + row * stride).copyMemory(
                from: source + row * planeBytesPerRow[index], byteCount: plane.bytesPerRow)
        }
    }
    var planes: [UnsafeRawPointer?] = (0..<numberOfPlanes).map { planeBaseAddress[$0].map { UnsafeRawPointer($0) } }
    releaseCallback?(releaseRefCon, dataPtr, dataSize, numberOfPlanes, &planes)
    pixelBufferOut.pointee = made
    return kCVReturnSuccess
}

/// Returns one dictionary of attributes that satisfies all of the dictionaries: the largest alignments, and the formats
/// that they have in common.
@discardableResult
public func CVPixelBufferCreateResolvedAttributesDictionary(
    _ allocator: CFAllocator?, _ attributes: CFArray?, _ resolvedDictionaryOut: UnsafeMutablePointer<CFDictionary?>
) -> CVReturn {
    var resolved: [String: Any] = [:]
    for one in attributes as? [[String: Any]] ?? [] {
        for (key, value) in one {
            guard let before = resolved[key] else {
                resolved[key] = value
                continue
            }
            switch key {
            case kCVPixelBufferPixelFormatTypeKey:
                let other = Set(formats(value))
                let both = formats(before).filter { other.contains($0) }
                guard !both.isEmpty else { return kCVReturnInvalidPixelBufferAttributes }
                resolved[key] = both.map { NSNumber(value: $0) }
            case kCVPixelBufferBytesPerRowAlignmentKey, kCVPixelBufferPlaneAlignmentKey:
                let most = max((before as? NSNumber)?.intValue ?? 0, (value as? NSNumber)?.intValue ?? 0)
                resolved[key] = NSNumber(value: most)
            default:
                guard NSDictionary(dictionary: [key: before]) == NSDictionary(dictionary: [key: value]) else {
                    return kCVReturnInvalidPixelBufferAttributes
                }
            }
        }
    }
    resolvedDictionaryOut.pointee = resolved as NSDictionary
    return kCVReturnSuccess
}

private func formats(_ value: Any) -> [UInt32] {
    if let one = value as? NSNumber { return [one.uint32Value] }
    return (value as? [NSNumber])?.map(\.uint32Value) ?? []
}

/// Returns true if the buffer could have been created with these attributes. Attributes unrelated to its memory are
/// ignored.
public func CVPixelBufferIsCompatibleWithAttributes(
    _ pixelBuffer: CVPixelBuffer, _ attributes: CFDictionary?
) -> Bool {
    let wanted = attributes as? [String: Any] ?? [:]
    if let width = wanted[kCVPixelBufferWidthKey] as? NSNumber, width.intValue != pixelBuffer.layout.width {
        return false
    }
    if let height = wanted[kCVPixelBufferHeightKey] as? NSNumber, height.intValue != pixelBuffer.layout.height {
        return false
    }
    if let types = wanted[kCVPixelBufferPixelFormatTypeKey], !formats(types).contains(pixelBuffer.pixelFormatType) {
        return false
    }
    guard let alignment = (wanted[kCVPixelBufferBytesPerRowAlignmentKey] as? NSNumber)?.intValue, alignment > 0 else {
        return true
    }
    return pixelBuffer.layout.planes.allSatisfy { $0.bytesPerRow % alignment == 0 }
}
