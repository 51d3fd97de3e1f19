import CYUV
import MediaTypes

/// Conversions to ten-bit layouts.
extension PixelConverter {
    func i010(_ source: PixelBuffer) -> PixelBuffer {
        switch source.format {
        case .i010: source
        case .p010: unpackHighBits(source)
        case .i210: reduced(source, to: .i010)
        case .nv12, .i420, .i422, .yuyv, .uyvy, .bgra, .argb, .rgba, .rgb24, .gray8: widen(i420(source))
        }
    }

    func i210(_ source: PixelBuffer) -> PixelBuffer {
        switch source.format {
        case .i210: return source
        case .i422, .yuyv, .uyvy: return widen(i422(source))
        default: break
        }
        let planar = i010(source)
        let target = target(.i210, planar)
        let fields = fields(of: source)
        let (width, height) = (Int32(source.width), Int32(source.height / fields))
        for field in 0..<fields {
            let from = Planes<UInt16>(planar, field: field, of: fields)
            let to = WritablePlanes<UInt16>(target, field: field, of: fields)
            CopyPlane_16(from[0], from.row(0), to[0], to.row(0), width, height)
            for plane in 1...2 {
                ScalePlane_12(
                    from[plane], from.row(plane), (width + 1) / 2, (height + 1) / 2, to[plane], to.row(plane),
                    (width + 1) / 2, height, kFilterBilinear)
            }
        }
        return target.finish()
    }

    func p010(_ source: PixelBuffer) -> PixelBuffer {
        let target = target(.p010, source)
        let (from, to) = (Planes<UInt16>(source), WritablePlanes<UInt16>(target))
        I010ToP010(
            from[0], from.row(0), from[1], from.row(1), from[2], from.row(2), to[0], to.row(0), to[1], to.row(1),
            Int32(source.width), Int32(source.height))
        return target.finish()
    }

    /// Converts P010 to I010.
    func unpackHighBits(_ source: PixelBuffer) -> PixelBuffer {
        let target = target(.i010, source)
        let (from, to) = (Planes<UInt16>(source), WritablePlanes<UInt16>(target))
        P010ToI010(
            from[0], from.row(0), from[1], from.row(1), to[0], to.row(0), to[1], to.row(1), to[2], to.row(2),
            Int32(source.width), Int32(source.height))
        return target.finish()
    }

    /// Converts I420 to I010, and I422 to I210. Values are multiplied by four (ITU-T H.273, 8.3). Only full-range luma
    /// is scaled so that 255 becomes 1023.
    private func widen(_ source: PixelBuffer) -> PixelBuffer {
        let target = target(source.format == .i422 ? .i210 : .i010, source)
        let (from, to) = (Planes<UInt8>(source), WritablePlanes<UInt16>(target))
        for plane in 0..<3 {
            let (columns, rows) = source.samples(ofPlane: plane)
            // libyuv computes value · 257 · scale >> 16. A scale of 1021 results in four times the value for all values
            // from 0 to 255. A scale of 1024 maps 255 to 1023.
            let scale: Int32 = plane == 0 && source.color.isFullRange ? 1024 : 1021
            Convert8To16Plane(from[plane], from.row(plane), to[plane], to.row(plane), scale, columns, rows)
        }
        return target.finish()
    }

    /// Limits values in I010 or I210 to ten bits.
    func cutToTenBits(_ source: PixelBuffer) -> PixelBuffer {
        let target = target(source.format, source)
        let (from, to) = (Planes<UInt16>(source), WritablePlanes<UInt16>(target))
        for plane in 0..<3 {
            let (columns, rows) = source.samples(ofPlane: plane)
            cyuv_limit_to_ten_bits(from[plane], from.row(plane), to[plane], to.row(plane), columns, rows)
        }
        return target.finish()
    }
}
