import CYUV
import MediaTypes

/// Conversions to eight-bit layouts.
extension PixelConverter {
    func i420(_ source: PixelBuffer) -> PixelBuffer {
        switch source.format {
        case .i420: return source
        case .p010: return narrow(unpackHighBits(source))
        case .i010: return narrow(source)
        case .i210: return reduced(source, to: .i420)
        case .nv12, .i422, .yuyv, .uyvy, .bgra, .argb, .rgba, .rgb24, .gray8: break
        }
        var target = target(.i420, source)
        if source.format == .bgra { target.color = source.color.ofConvertedRGB }
        let fields = fields(of: source)
        let (columns, rows) = (Int32(source.width), Int32(source.height / fields))
        for field in 0..<fields {
            let from = Planes<UInt8>(source, field: field, of: fields)
            let to = WritablePlanes<UInt8>(target, field: field, of: fields)
            switch source.format {
            case .nv12:
                NV12ToI420(
                    from[0], from.row(0), from[1], from.row(1), to[0], to.row(0), to[1], to.row(1), to[2], to.row(2),
                    columns, rows)
            case .i422:
                I422ToI420(
                    from[0], from.row(0), from[1], from.row(1), from[2], from.row(2), to[0], to.row(0), to[1],
                    to.row(1), to[2], to.row(2), columns, rows)
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
            case .i420, .i010, .p010, .i210, .argb, .rgba, .rgb24: break
            }
        }
        return target.finish()
    }

    /// Converts to NV12, in one step if libyuv supports it.
    func nv12(_ source: PixelBuffer) -> PixelBuffer {
        switch source.format {
        case .nv12: return source
        case .p010: return narrow(source)
        case .i010: return nv12(narrow(source))
        case .i210: return nv12(i420(source))
        // With AVX2, YUY2ToNV12 has an error for widths such as 854 and 1366. If 17 to 30 columns remain after the last
        // group of 32 columns, it reads their chroma from the wrong position (libyuv r1857).
        case .yuyv where (17...30).contains(source.width % 32): return nv12(i420(source))
        case .i420, .i422, .yuyv, .uyvy, .bgra, .argb, .rgba, .rgb24, .gray8: break
        }
        var target = target(.nv12, source)
        if source.format == .bgra { target.color = source.color.ofConvertedRGB }
        let fields = fields(of: source)
        let (columns, rows) = (Int32(source.width), Int32(source.height / fields))
        for field in 0..<fields {
            let from = Planes<UInt8>(source, field: field, of: fields)
            let to = WritablePlanes<UInt8>(target, field: field, of: fields)
            switch source.format {
            case .i420:
                I420ToNV12(
                    from[0], from.row(0), from[1], from.row(1), from[2], from.row(2), to[0], to.row(0), to[1],
                    to.row(1), columns, rows)
            case .i422:
                // NV21 with Cr and Cb swapped is NV12.
                I422ToNV21(
                    from[0], from.row(0), from[2], from.row(2), from[1], from.row(1), to[0], to.row(0), to[1],
                    to.row(1), columns, rows)
            case .yuyv: YUY2ToNV12(from[0], from.row(0), to[0], to.row(0), to[1], to.row(1), columns, rows)
            case .uyvy: UYVYToNV12(from[0], from.row(0), to[0], to.row(0), to[1], to.row(1), columns, rows)
            case .bgra: ARGBToNV12(from[0], from.row(0), to[0], to.row(0), to[1], to.row(1), columns, rows)
            case .gray8:
                CopyPlane(from[0], from.row(0), to[0], to.row(0), columns, rows)
                SetPlane(to[1], to.row(1), (columns + 1) / 2 * 2, (rows + 1) / 2, 128)
            case .nv12, .p010, .i010, .i210, .argb, .rgba, .rgb24: break
            }
        }
        return target.finish()
    }

    func i422(_ source: PixelBuffer) -> PixelBuffer {
        if source.format == .i422 { return source }
        if source.format == .i210 { return reduced(source, to: .i422) }
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
        let fields = fields(of: source)
        for field in 0..<fields {
            let from = Planes<UInt8>(planar, field: field, of: fields)
            let to = WritablePlanes<UInt8>(target, field: field, of: fields)
            I420ToI422(
                from[0], from.row(0), from[1], from.row(1), from[2], from.row(2), to[0], to.row(0), to[1], to.row(1),
                to[2], to.row(2), columns, rows / Int32(fields))
        }
        return target.finish()
    }

    func packed(_ source: PixelBuffer, _ format: PixelFormat) -> PixelBuffer {
        let planar = i422(source)
        let target = target(format, planar)
        let (from, to) = (Planes<UInt8>(planar), WritablePlanes<UInt8>(target))
        let convert = format == .yuyv ? I422ToYUY2 : I422ToUYVY
        _ = convert(
            from[0], from.row(0), from[1], from.row(1), from[2], from.row(2), to[0], to.row(0), Int32(source.width),
            Int32(source.height))
        return target.finish()
    }

    func gray(_ source: PixelBuffer) -> PixelBuffer {
        let planar = source.format == .nv12 || source.format == .i422 ? source : i420(source)
        let target = target(.gray8, planar)
        let (from, to) = (Planes<UInt8>(planar), WritablePlanes<UInt8>(target))
        CopyPlane(from[0], from.row(0), to[0], to.row(0), Int32(source.width), Int32(source.height))
        return target.finish()
    }

    /// Converts 4:2:2 at ten bits to `i420`, `i422` or `i010`, which have fewer bits, fewer chroma rows, or both.
    func reduced(_ source: PixelBuffer, to format: PixelFormat) -> PixelBuffer {
        let target = target(format, source)
        let fields = fields(of: source)
        for part in 0..<(3 * fields) {
            let (field, plane) = (part / 3, part % 3)
            let from = Planes<UInt16>(source, field: field, of: fields)
            let samples = source.samples(ofPlane: plane)
            let (columns, rows) = (samples.columns, samples.rows / Int32(fields))
            let newRows = plane == 0 || format == .i422 ? rows : (rows + 1) / 2
            if format.bitDepth > 8 {
                let to = WritablePlanes<UInt16>(target, field: field, of: fields)
                cyuv_reduce_to_ten_bits(
                    from[plane], from.row(plane), columns, rows, 10, to[plane], to.row(plane), columns, newRows)
            } else {
                let to = WritablePlanes<UInt8>(target, field: field, of: fields)
                cyuv_reduce_to_eight_bits(
                    from[plane], from.row(plane), columns, rows, 10, to[plane], to.row(plane), columns, newRows)
            }
        }
        return target.finish()
    }

    /// Converts ten-bit samples to eight bits in the same planes, by dropping the two lowest bits.
    func narrow(_ source: PixelBuffer) -> PixelBuffer {
        let isPlanar = source.format == .i010
        let target = target(isPlanar ? .i420 : .nv12, source)
        let (from, to) = (Planes<UInt16>(source), WritablePlanes<UInt8>(target))
        // libyuv multiplies by the scale and discards the lowest 16 bits.
        let scale: Int32 = isPlanar ? 16384 : 256
        for plane in source.layout.planes.indices {
            let (columns, rows) = source.samples(ofPlane: plane)
            Convert16To8Plane(from[plane], from.row(plane), to[plane], to.row(plane), scale, columns, rows)
        }
        return target.finish()
    }
}
