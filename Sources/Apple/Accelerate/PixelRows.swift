/// The rows of pixels of a `vImage_Buffer`. The initializers check the buffer's fields.
struct PixelRows {
    let start: UnsafeMutablePointer<UInt8>
    let width: Int
    let height: Int
    let rowBytes: Int
    let pixelBytes: Int

    /// Creates the rows of all pixels of a buffer.
    init(_ buffer: UnsafePointer<vImage_Buffer>, _ pixelBytes: Int) throws {
        // With this limit, no product below overflows.
        guard let width = Int32(exactly: buffer.pointee.width), let height = Int32(exactly: buffer.pointee.height)
        else { throw vImage.Error.invalidParameter }
        try self.init(buffer, pixelBytes, width: Int(width), height: Int(height))
    }

    /// Creates the rows of those pixels of a source that are needed to fill `target`.
    init(_ buffer: UnsafePointer<vImage_Buffer>, _ pixelBytes: Int, for target: PixelRows) throws {
        try self.init(buffer, pixelBytes, width: target.width, height: target.height)
    }

    /// Creates the first `height` rows of a buffer, with the first `width` columns of each.
    ///
    /// The other columns of the buffer are not checked, because programs often pass too large a width for a chroma
    /// plane.
    init(_ buffer: UnsafePointer<vImage_Buffer>, _ pixelBytes: Int, width: Int, height: Int) throws {
        guard let data = buffer.pointee.data else { throw vImage.Error.nullPointerArgument }
        guard buffer.pointee.width >= vImagePixelCount(width), buffer.pointee.height >= vImagePixelCount(height)
        else { throw vImage.Error.roiLargerThanInputBuffer }
        let rowBytes = buffer.pointee.rowBytes
        // The offset of one more row must not overflow either, because `overlaps` computes it.
        guard rowBytes >= width * pixelBytes, !rowBytes.multipliedReportingOverflow(by: height + 1).overflow
        else { throw vImage.Error.invalidRowBytes }
        start = data.assumingMemoryBound(to: UInt8.self)
        self.width = width
        self.height = height
        self.rowBytes = rowBytes
        self.pixelBytes = pixelBytes
    }

    /// The address of the first pixel of a row.
    func row(_ index: Int) -> UnsafeMutablePointer<UInt8> { start + index &* rowBytes }
}

extension PixelRows {
    /// Returns true if these rows and the other rows have a byte of a pixel in common.
    ///
    /// Two parts of one image may be side by side without having a pixel in common.
    func overlaps(_ other: PixelRows) -> Bool {
        guard width > 0, height > 0, other.width > 0, other.height > 0 else { return false }
        let distance = Int(bitPattern: start) &- Int(bitPattern: other.start)
        guard distance < other.byteCount, -distance < byteCount else { return false }
        guard rowBytes == other.rowBytes else { return true }
        let remainder = distance % rowBytes
        let column = remainder < 0 ? remainder + rowBytes : remainder
        let row = (distance - column) / rowBytes
        // The end of a row may overlap the start of the other's next row.
        let isInRow = column < other.width * other.pixelBytes && overlapsRows(of: other, from: row)
        return isInRow || column + width * pixelBytes > rowBytes && overlapsRows(of: other, from: row + 1)
    }

    private var byteCount: Int { (height - 1) * rowBytes + width * pixelBytes }

    private func overlapsRows(of other: PixelRows, from row: Int) -> Bool { row < other.height && row + height > 0 }

    /// Throws an error if these rows overlap the other rows.
    func requireSeparate(from other: PixelRows) throws {
        if overlaps(other) { throw vImage.Error.outOfPlaceOperationRequired }
    }

    /// Throws an error if these rows overlap the source in such a way that a loop over its pixels would read pixels
    /// that it has written.
    ///
    /// The rows may begin at the same address as the source, if neither their row distance nor their pixel size is
    /// larger. No pixel is then overwritten before it was read.
    func requireReplaceable(_ source: PixelRows) throws {
        if start == source.start, rowBytes <= source.rowBytes, pixelBytes <= source.pixelBytes { return }
        try requireSeparate(from: source)
    }
}

/// Returns the rows of the source and of the target of a call that may replace its source.
func rowsOfCall(
    _ src: UnsafePointer<vImage_Buffer>, _ sourceBytes: Int, _ dest: UnsafePointer<vImage_Buffer>, _ targetBytes: Int
) throws -> (source: PixelRows, target: PixelRows) {
    let target = try PixelRows(dest, targetBytes)
    let source = try PixelRows(src, sourceBytes, for: target)
    try target.requireReplaceable(source)
    return (source, target)
}

/// Calls `body` for each pixel in order, with its addresses in the source and in the target.
@inline(__always)
func eachPixel(
    _ source: PixelRows, _ target: PixelRows, _ body: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt8>) -> Void
) {
    for row in 0..<target.height {
        var (from, to) = (source.row(row), target.row(row))
        for _ in 0..<target.width {
            body(from, to)
            from += source.pixelBytes
            to += target.pixelBytes
        }
    }
}

/// Returns the nearest 8-bit value; 0 for NaN.
@inline(__always)
func nearestByte(_ value: Float) -> UInt8 { value > 0 ? UInt8(min(value, 255) + 0.5) : 0 }
