import CYUV
package import MediaTypes

/// Converts frames from any `PixelFormat` to any other, and from full range to limited range, with libyuv. The size of
/// a frame stays the same.
///
/// Frames are converted to RGB with the matrix in their color tags. RGB is converted to limited-range BT.601, because
/// libyuv supports only that. Interlaced frames are converted field by field, because a row of chroma belongs to rows of
/// the same field. Called by one thread at a time. Memory comes from pools; a frame that
/// needs no conversion is returned unchanged.
package final class PixelConverter {
    /// The handling of the range of luma and chroma.
    package enum Range {
        case kept
        /// Converts full range to limited.
        case limited
    }

    private struct Shape: Hashable {
        var format: PixelFormat
        var width: Int
        var height: Int
    }

    private var pools: [Shape: PixelBufferPool] = [:]
    /// The latest layout that passed the check.
    private var checkedLayout: PixelLayout?
    /// True if frames consist of two fields. Ignored if the height is not a multiple of 4.
    package var isInterlaced: Bool

    /// - Parameter isInterlaced: true if frames consist of two fields.
    package init(isInterlaced: Bool = false) { self.isInterlaced = isInterlaced }

    /// The number of allocations from the system. It stays constant once the pipeline runs.
    package var allocationCount: Int { pools.values.reduce(0) { $0 + $1.allocationCount } }

    /// Returns a copy of a frame in its own memory.
    package func copy(_ source: PixelBuffer) -> PixelBuffer {
        let target = target(source.format, source)
        for index in source.layout.planes.indices {
            let (from, to) = (source.layout.planes[index], target.layout.planes[index])
            CopyPlane(
                source.plane(index).baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(from.bytesPerRow),
                target.plane(index).baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(to.bytesPerRow),
                Int32(min(from.bytesPerRow, to.bytesPerRow)), Int32(min(from.rows, to.rows)))
        }
        return target.finish()
    }

    /// - Returns: the same frame if it already has that format and range.
    /// - Throws: `invalidSample` for rows too short for the frame.
    package func convert(
        _ source: PixelBuffer, to format: PixelFormat, range: Range = .kept
    ) throws(MediaError) -> PixelBuffer {
        let isToBeLimited = range == .limited && source.color.isFullRange
        if source.format == format, !isToBeLimited { return source }
        try requireWhole(source.layout)
        let source = ordered(isToBeLimited ? limited(source, bitDepth: format.bitDepth) : source)
        switch format {
        case source.format: return source
        case .i420: return i420(source)
        case .nv12: return nv12(source)
        case .i422: return i422(source)
        case .yuyv, .uyvy: return packed(source, format)
        case .bgra: return bgra(source)
        case .argb, .rgba, .rgb24: return rgb(source, format)
        case .gray8: return gray(source)
        case .i010: return i010(source)
        case .i210: return i210(source)
        case .p010: return p010(i010(source))
        }
    }

    /// - Throws: `invalidSample` for rows too short for the frame.
    func requireWhole(_ layout: PixelLayout) throws(MediaError) {
        if layout == checkedLayout { return }
        guard layout.holdsWholeFrame else {
            throw MediaError(
                .invalidSample, "cannot convert a \(layout.format.rawValue) frame",
                reason: "its planes are too small for \(layout.width)×\(layout.height)")
        }
        checkedLayout = layout
    }

    /// Returns the number of parts of a frame that are converted one by one: 2 for an interlaced frame.
    func fields(of source: PixelBuffer) -> Int { isInterlaced && source.height.isMultiple(of: 4) ? 2 : 1 }

    func target(_ format: PixelFormat, _ source: PixelBuffer) -> MutablePixelBuffer {
        target(format, width: source.width, height: source.height, color: source.color)
    }

    func target(_ format: PixelFormat, width: Int, height: Int, color: ColorDescription) -> MutablePixelBuffer {
        let shape = Shape(format: format, width: width, height: height)
        var buffer = pool(shape).makeBuffer()
        buffer.color = color
        return buffer
    }

    private func pool(_ shape: Shape) -> PixelBufferPool {
        if let pool = pools[shape] { return pool }
        // A track changes its size very rarely. If it has changed several times, the pools of all sizes are released.
        if pools.count > 8 { pools = [:] }
        let pool = PixelBufferPool(
            layout: PixelLayout(format: shape.format, width: shape.width, height: shape.height, alignment: 64))
        pools[shape] = pool
        return pool
    }
}
