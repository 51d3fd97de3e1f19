public import Foundation
import MediaTypes

/// Reusable memory for frames of one size and format. Any thread may take a pixel buffer.
public final class CVPixelBufferPool: Sendable {
    let pool: PixelBufferPool
    let minimumBufferCount: Int
    // Immutable, and returned only as copies.
    nonisolated(unsafe) let attributes: [String: Any]

    init(_ pool: PixelBufferPool, attributes: [String: Any], minimumBufferCount: Int = 0) {
        self.pool = pool
        self.attributes = attributes
        self.minimumBufferCount = minimumBufferCount
    }

    /// Returns a pixel buffer whose memory is not cleared.
    func makeBuffer() -> CVPixelBuffer {
        CVPixelBuffer(pool.makeBuffer().finish(), creationAttributes: attributes)
    }
}

public struct CVPixelBufferPoolFlushFlags: OptionSet, Sendable {
    public let rawValue: CVOptionFlags
    public init(rawValue: CVOptionFlags) { self.rawValue = rawValue }
    public static let excessBuffers = CVPixelBufferPoolFlushFlags(rawValue: 1)
}

/// - Parameter pixelBufferAttributes: the attributes; format, width and height are required.
@discardableResult
public func CVPixelBufferPoolCreate(
    _ allocator: CFAllocator?, _ poolAttributes: CFDictionary?, _ pixelBufferAttributes: CFDictionary?,
    _ poolOut: UnsafeMutablePointer<CVPixelBufferPool?>
) -> CVReturn {
    let attributes = pixelBufferAttributes as? [String: Any] ?? [:]
    guard let width = (attributes["Width"] as? NSNumber)?.intValue,
        let height = (attributes["Height"] as? NSNumber)?.intValue, CVPixelBuffer.sizes.contains(width),
        CVPixelBuffer.sizes.contains(height)
    else { return kCVReturnInvalidPixelBufferAttributes }
    guard let type = (attributes["PixelFormatType"] as? NSNumber)?.uint32Value, let format = PixelFormat(type) else {
        return kCVReturnInvalidPixelFormat
    }
    let layout = PixelLayout(
        format: format, width: width, height: height, alignment: CVPixelBuffer.rowAlignment(attributes))
    let minimum = ((poolAttributes as? [String: Any])?["MinimumBufferCount"] as? NSNumber)?.intValue ?? 0
    let capacity = max(8, min(minimum, 64))
    poolOut.pointee = CVPixelBufferPool(
        PixelBufferPool(
            layout: layout, color: .undescribed(type, format), capacity: capacity),
        attributes: attributes, minimumBufferCount: minimum)
    return kCVReturnSuccess
}

@discardableResult
public func CVPixelBufferPoolCreatePixelBuffer(
    _ allocator: CFAllocator?, _ pool: CVPixelBufferPool, _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
    pixelBufferOut.pointee = pool.makeBuffer()
    return kCVReturnSuccess
}

/// Creates a pixel buffer. The allocation threshold is ignored. The number of buffers in use limits the memory.
@discardableResult
public func CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(
    _ allocator: CFAllocator?, _ pool: CVPixelBufferPool, _ auxAttributes: CFDictionary?,
    _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
    CVPixelBufferPoolCreatePixelBuffer(allocator, pool, pixelBufferOut)
}

public func CVPixelBufferPoolGetAttributes(_ pool: CVPixelBufferPool) -> CFDictionary? {
    ["MinimumBufferCount": NSNumber(value: pool.minimumBufferCount)] as NSDictionary
}
public func CVPixelBufferPoolGetPixelBufferAttributes(_ pool: CVPixelBufferPool) -> CFDictionary? {
    pool.attributes as NSDictionary
}
public func CVPixelBufferPoolFlush(_ pool: CVPixelBufferPool, _ options: CVPixelBufferPoolFlushFlags) {}
public func CVPixelBufferPoolGetTypeID() -> CFTypeID { 5 }
