import CYUV
package import MediaTypes

/// Brings pictures from any `PixelFormat` to any other, and from full range to limited, with libyuv. The size stays.
///
/// Pictures become RGB by the matrix that they name; RGB becomes limited-range BT.601, all that libyuv knows.
/// One thread at a time calls it. Memory comes from pools; a picture that is as it shall be is passed on untouched.
package final class PixelConverter {
    /// What becomes of the range of luma and chroma.
    package enum Range {
        case kept
        /// Full range becomes limited.
        case limited
    }

    private struct Shape: Hashable {
        var format: PixelFormat
        var width: Int
        var height: Int
    }

    private var pools: [Shape: PixelBufferPool] = [:]
    /// The latest layout that was found to hold a whole picture.
    private var checkedLayout: PixelLayout?

    package init() {}

    /// How many times memory was taken from the system: flat once the pipeline runs.
    package var allocationCount: Int { pools.values.reduce(0) { $0 + $1.allocationCount } }

    /// The same picture in memory of its own.
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

    /// - Returns: the picture itself when it is in that format and range.
    /// - Throws: `invalidSample` for rows too short for the picture.
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

    /// - Throws: `invalidSample` for rows too short for the picture.
    func requireWhole(_ layout: PixelLayout) throws(MediaError) {
        if layout == checkedLayout { return }
        guard layout.holdsWholePicture else {
            throw MediaError(
                .invalidSample, "cannot convert a \(layout.format.rawValue) picture",
                reason: "its planes are too small for \(layout.width)×\(layout.height)")
        }
        checkedLayout = layout
    }

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
        // A track changes its size once in a blue moon; pools of former sizes are let go.
        if pools.count > 8 { pools = [:] }
        let pool = PixelBufferPool(
            layout: PixelLayout(format: shape.format, width: shape.width, height: shape.height, alignment: 64))
        pools[shape] = pool
        return pool
    }
}
