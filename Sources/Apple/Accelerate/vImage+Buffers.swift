public import Foundation

/// An image in memory.
public struct vImage_Buffer {
    /// The address of the first pixel of the first row.
    public var data: UnsafeMutableRawPointer!
    /// The number of rows.
    public var height: vImagePixelCount
    /// The number of pixels in a row.
    public var width: vImagePixelCount
    /// The distance from one row to the next, in bytes.
    public var rowBytes: Int

    /// Creates a buffer without memory.
    public init() { self.init(data: nil, height: 0, width: 0, rowBytes: 0) }

    /// Creates a buffer that uses the caller's memory.
    public init(
        data: UnsafeMutableRawPointer!, height: vImagePixelCount, width: vImagePixelCount, rowBytes: Int
    ) {
        self.data = data
        self.height = height
        self.width = width
        self.rowBytes = rowBytes
    }
}

extension vImage_Buffer {
    /// Creates a buffer and allocates its memory, which `free()` releases.
    public init(width: Int, height: Int, bitsPerPixel: UInt32) throws {
        self.init()
        try initialize(width: width, height: height, bitsPerPixel: bitsPerPixel, flags: kvImageNoFlags)
    }

    /// Creates a buffer and allocates its memory, which `free()` releases. The fractions of width and height are
    /// dropped.
    public init(size: CGSize, bitsPerPixel: UInt32) throws {
        guard let width = Int(exactly: size.width.rounded(.down)), let height = Int(exactly: size.height.rounded(.down))
        else { throw vImage.Error.invalidParameter }
        try self.init(width: width, height: height, bitsPerPixel: bitsPerPixel)
    }

    /// The width and the height.
    public var size: CGSize { CGSize(width: Double(width), height: Double(height)) }

    /// Releases the memory, which `malloc` must have allocated.
    public func free() { releaseMemory(data) }

    /// Returns the alignment of rows and the distance from one row to the next, both in bytes. Buffers that allocate
    /// their own memory use both.
    public static func preferredAlignmentAndRowBytes(
        width: Int, height: Int, bitsPerPixel: UInt32
    ) throws -> (alignment: Int, rowBytes: Int) {
        var buffer = vImage_Buffer()
        try buffer.initialize(width: width, height: height, bitsPerPixel: bitsPerPixel, flags: kvImageNoAllocate)
        return (rowAlignment, buffer.rowBytes)
    }

    private mutating func initialize(width: Int, height: Int, bitsPerPixel: UInt32, flags: Int) throws {
        guard let columns = vImagePixelCount(exactly: width), let rows = vImagePixelCount(exactly: height)
        else { throw vImage.Error.invalidParameter }
        let error = vImageBuffer_Init(&self, rows, columns, bitsPerPixel, vImage_Flags(flags))
        if error < kvImageNoError { throw vImage.Error(vImageError: error) }
    }
}

/// The alignment of rows in bytes. `malloc` has the same alignment.
private let rowAlignment = 16

/// Calls `free` of the C library. In `vImage_Buffer`, this name means the method.
private func releaseMemory(_ memory: UnsafeMutableRawPointer?) { free(memory) }

/// Fills the fields of a buffer, and allocates its memory with `malloc`.
///
/// With `kvImageNoAllocate`, it allocates no memory and returns the preferred alignment.
@discardableResult
public func vImageBuffer_Init(
    _ buf: UnsafeMutablePointer<vImage_Buffer>, _ height: vImagePixelCount, _ width: vImagePixelCount,
    _ pixelBits: UInt32, _ flags: vImage_Flags
) -> vImage_Error {
    let allocates = flags & vImage_Flags(kvImageNoAllocate) == 0
    let error = vImageCall(flags) {
        guard let columns = Int32(exactly: width), let rows = Int32(exactly: height), pixelBits > 0 else {
            throw vImage.Error.invalidParameter
        }
        // The product does not overflow: the factors are less than 2³¹ and less than 2³².
        let bytes = (Int(columns) * Int(pixelBits) + 7) / 8
        let rowBytes = (bytes + rowAlignment - 1) / rowAlignment * rowAlignment
        let (size, isTooLarge) = rowBytes.multipliedReportingOverflow(by: Int(rows))
        guard !isTooLarge else { throw vImage.Error.memoryAllocationError }
        var data: UnsafeMutableRawPointer?
        if allocates {
            data = malloc(max(size, 1))
            guard data != nil else { throw vImage.Error.memoryAllocationError }
        }
        buf.pointee = vImage_Buffer(data: data, height: height, width: width, rowBytes: rowBytes)
    }
    return error == kvImageNoError && !allocates ? rowAlignment : error
}

/// The width and the height of a buffer.
public func vImageBuffer_GetSize(_ buf: UnsafePointer<vImage_Buffer>) -> CGSize { buf.pointee.size }

/// Copies pixels from the source to fill the target.
///
/// - Parameter pixelSize: the number of bytes per pixel.
@discardableResult
public func vImageCopyBuffer(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ pixelSize: Int, _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        // The largest pixel has four components of 32 bits.
        guard (1...16).contains(pixelSize) else { throw vImage.Error.invalidParameter }
        let (source, target) = try rowsOfCall(src, pixelSize, dest, pixelSize)
        for row in 0..<target.height {
            target.row(row).update(from: source.row(row), count: target.width * pixelSize)
        }
    }
}

/// Fills a buffer of four components with a pixel.
@discardableResult
public func vImageBufferFill_ARGB8888(
    _ dest: UnsafePointer<vImage_Buffer>, _ color: UnsafePointer<UInt8>, _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        let target = try PixelRows(dest, 4)
        let pixel = (color[0], color[1], color[2], color[3])
        eachPixel(target, target) { _, to in (to[0], to[1], to[2], to[3]) = pixel }
    }
}
