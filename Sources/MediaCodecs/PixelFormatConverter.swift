import CYUV
package import MediaTypes

/// Brings pictures from any `PixelFormat` to any other with libyuv. The size stays, and between formats of luma and chroma
/// the range does.
///
/// Pictures become RGB by the matrix that they name; RGB becomes limited-range BT.601, all that libyuv knows.
/// One thread at a time calls it. Memory comes from pools.
package final class PixelFormatConverter {
    private var pools: [PixelLayout: PixelBufferPool] = [:]
    private var widener: PixelConverter?
    private var widenedSize = (0, 0)

    package init() {}

    /// How many times memory was taken from the system: flat once the pipeline runs.
    package var allocationCount: Int {
        pools.values.reduce(widener?.allocationCount ?? 0) { $0 + $1.allocationCount }
    }

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

    /// - Returns: the picture itself when it is in that format.
    /// - Throws: `invalidSample` for rows too short for the picture.
    package func convert(_ source: PixelBuffer, to format: PixelFormat) throws(MediaError) -> PixelBuffer {
        if source.format == format { return source }
        guard source.layout.holdsWholePicture else {
            throw MediaError(
                .invalidSample, "cannot convert a \(source.format.rawValue) picture",
                reason: "its planes are too small for \(source.width)×\(source.height)")
        }
        switch format {
        case .i420: return i420(source)
        case .nv12: return nv12(source)
        case .i422: return i422(source)
        case .yuyv, .uyvy: return packed(source, format)
        case .bgra: return bgra(source)
        case .gray8: return gray(source)
        case .i010: return try i010(source)
        case .p010: return p010(try i010(source))
        }
    }

    func target(_ format: PixelFormat, _ source: PixelBuffer) -> MutablePixelBuffer {
        target(format, width: source.width, height: source.height, color: source.color)
    }

    func target(_ format: PixelFormat, width: Int, height: Int, color: ColorDescription) -> MutablePixelBuffer {
        let layout = PixelLayout(format: format, width: width, height: height, alignment: 64)
        // A track changes its size once in a blue moon; pools of former sizes are let go.
        if pools.count > 8 { pools = [:] }
        let pool = pools[layout] ?? PixelBufferPool(layout: layout)
        pools[layout] = pool
        var buffer = pool.makeBuffer()
        buffer.color = color
        return buffer
    }

    // MARK: Eight bits

    private func i420(_ source: PixelBuffer) -> PixelBuffer {
        if source.format == .p010 { return i420(unpackHighBits(source)) }
        if source.format == .i420 { return source }
        var target = target(.i420, source)
        if source.format == .bgra { target.color = source.color.ofConvertedRGB }
        let (from, to) = (Planes<UInt8>(source), WritablePlanes<UInt8>(target))
        let (columns, rows) = (Int32(source.width), Int32(source.height))
        switch source.format {
        case .nv12:
            NV12ToI420(
                from[0], from.row(0), from[1], from.row(1), to[0], to.row(0), to[1], to.row(1), to[2], to.row(2),
                columns, rows)
        case .i422:
            I422ToI420(
                from[0], from.row(0), from[1], from.row(1), from[2], from.row(2), to[0], to.row(0), to[1], to.row(1),
                to[2], to.row(2), columns, rows)
        case .yuyv:
            YUY2ToI420(
                from[0], from.row(0), to[0], to.row(0), to[1], to.row(1), to[2], to.row(2), columns, rows)
        case .uyvy:
            UYVYToI420(
                from[0], from.row(0), to[0], to.row(0), to[1], to.row(1), to[2], to.row(2), columns, rows)
        case .bgra:
            ARGBToI420(
                from[0], from.row(0), to[0], to.row(0), to[1], to.row(1), to[2], to.row(2), columns, rows)
        case .gray8:
            CopyPlane(from[0], from.row(0), to[0], to.row(0), columns, rows)
            for plane in 1...2 { SetPlane(to[plane], to.row(plane), (columns + 1) / 2, (rows + 1) / 2, 128) }
        case .i010:
            let wide = Planes<UInt16>(source)
            I010ToI420(
                wide[0], wide.row(0), wide[1], wide.row(1), wide[2], wide.row(2), to[0], to.row(0), to[1], to.row(1),
                to[2], to.row(2), columns, rows)
        case .i420, .p010: break
        }
        return target.finish()
    }

    private func nv12(_ source: PixelBuffer) -> PixelBuffer {
        let planar = i420(source)
        let target = target(.nv12, planar)
        let (from, to) = (Planes<UInt8>(planar), WritablePlanes<UInt8>(target))
        I420ToNV12(
            from[0], from.row(0), from[1], from.row(1), from[2], from.row(2), to[0], to.row(0), to[1], to.row(1),
            Int32(source.width), Int32(source.height))
        return target.finish()
    }

    private func i422(_ source: PixelBuffer) -> PixelBuffer {
        if source.format == .i422 { return source }
        let (columns, rows) = (Int32(source.width), Int32(source.height))
        if source.format == .yuyv || source.format == .uyvy {
            let target = target(.i422, source)
            let (from, to) = (Planes<UInt8>(source), WritablePlanes<UInt8>(target))
            let convert = source.format == .yuyv ? YUY2ToI422 : UYVYToI422
            _ = convert(
                from[0], from.row(0), to[0], to.row(0), to[1], to.row(1), to[2], to.row(2), columns, rows)
            return target.finish()
        }
        let planar = i420(source)
        let target = target(.i422, planar)
        let (from, to) = (Planes<UInt8>(planar), WritablePlanes<UInt8>(target))
        I420ToI422(
            from[0], from.row(0), from[1], from.row(1), from[2], from.row(2), to[0], to.row(0), to[1], to.row(1), to[2],
            to.row(2), columns, rows)
        return target.finish()
    }

    private func packed(_ source: PixelBuffer, _ format: PixelFormat) -> PixelBuffer {
        let planar = i422(source)
        let target = target(format, planar)
        let (from, to) = (Planes<UInt8>(planar), WritablePlanes<UInt8>(target))
        let convert = format == .yuyv ? I422ToYUY2 : I422ToUYVY
        _ = convert(
            from[0], from.row(0), from[1], from.row(1), from[2], from.row(2), to[0], to.row(0), Int32(source.width),
            Int32(source.height))
        return target.finish()
    }

    private func gray(_ source: PixelBuffer) -> PixelBuffer {
        let planar = source.format == .nv12 || source.format == .i422 ? source : i420(source)
        let target = target(.gray8, planar)
        let (from, to) = (Planes<UInt8>(planar), WritablePlanes<UInt8>(target))
        CopyPlane(from[0], from.row(0), to[0], to.row(0), Int32(source.width), Int32(source.height))
        return target.finish()
    }

    private func bgra(_ source: PixelBuffer) -> PixelBuffer {
        let planar = withFactorsBelowTwo(source.format == .i422 || source.format == .i010 ? source : i420(source))
        var target = target(.bgra, planar)
        target.color = source.color.ofRGB
        let to = WritablePlanes<UInt8>(target)
        let matrix = planar.color.matrixConstants(height: source.height)
        let (columns, rows) = (Int32(source.width), Int32(source.height))
        if planar.format == .i010 {
            let from = Planes<UInt16>(planar)
            I010ToARGBMatrix(
                from[0], from.row(0), from[1], from.row(1), from[2], from.row(2), to[0], to.row(0), matrix, columns,
                rows)
        } else {
            let from = Planes<UInt8>(planar)
            let convert = planar.format == .i422 ? I422ToARGBMatrix : I420ToARGBMatrix
            _ = convert(
                from[0], from.row(0), from[1], from.row(1), from[2], from.row(2), to[0], to.row(0), matrix, columns,
                rows)
        }
        return target.finish()
    }

    // MARK: Ten bits

    private func i010(_ source: PixelBuffer) throws(MediaError) -> PixelBuffer {
        switch source.format {
        case .i010: return source
        case .p010: return unpackHighBits(source)
        default:
            let converter: PixelConverter
            if let widener, widenedSize == (source.width, source.height) {
                converter = widener
            } else {
                converter = PixelConverter(width: source.width, height: source.height, bitDepth: 10)
                (widener, widenedSize) = (converter, (source.width, source.height))
            }
            return try converter.convert(source)
        }
    }

    private func unpackHighBits(_ source: PixelBuffer) -> PixelBuffer {
        let target = target(.i010, source)
        let (from, to) = (Planes<UInt16>(source), WritablePlanes<UInt16>(target))
        P010ToI010(
            from[0], from.row(0), from[1], from.row(1), to[0], to.row(0), to[1], to.row(1), to[2], to.row(2),
            Int32(source.width), Int32(source.height))
        return target.finish()
    }

    private func p010(_ source: PixelBuffer) -> PixelBuffer {
        let target = target(.p010, source)
        let (from, to) = (Planes<UInt16>(source), WritablePlanes<UInt16>(target))
        I010ToP010(
            from[0], from.row(0), from[1], from.row(1), from[2], from.row(2), to[0], to.row(0), to[1], to.row(1),
            Int32(source.width), Int32(source.height))
        return target.finish()
    }
}

extension ColorDescription {
    /// What pictures are once they have been turned into RGB (ITU-T H.273: matrix 0 is "identity").
    var ofRGB: ColorDescription {
        ColorDescription(primaries: primaries, transfer: transfer, matrix: 0, isFullRange: true)
    }

    /// libyuv's conversion to RGB. Pictures that name no matrix are of BT.709 from 720 rows on, as players take them.
    func matrixConstants(height: Int) -> OpaquePointer? {
        cyuv_matrix(matrix == 2 && height >= 720 ? 1 : Int32(matrix), isFullRange ? 1 : 0)
    }
}
