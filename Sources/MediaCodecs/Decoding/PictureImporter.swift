import CFFmpeg
import CYUV
import MediaTypes

/// Copies decoded pictures that no `PixelLayout` describes into the nearest format that one does: 4:4:4, 4:2:2 at ten and
/// twelve bits, RGB of other orders. Transparency of luma and chroma formats is left out.
///
/// One thread at a time calls it.
final class PictureImporter {
    private let converter = PixelFormatConverter()
    private let scratch = ScratchMemory()

    var allocationCount: Int { converter.allocationCount }

    /// - Parameter wanted: what the picture will be converted to afterwards; decides what to keep.
    /// - Throws: `unsupported` for a format that is none of those.
    func picture(
        _ frame: AVFrame, color: ColorDescription, wanted: PixelFormat?
    ) throws(MediaError) -> PixelBuffer {
        let format = AVPixelFormat(rawValue: frame.format)
        guard frame.width > 0, frame.height > 0 else {
            throw MediaError(.corruptData, "cannot convert a picture", reason: "it has no size")
        }
        if let same = DecodedPicture.pixelFormat(format) { return copy(frame, same, color) }
        let isDeep = wanted == nil || wanted == .i010 || wanted == .p010
        switch format {
        case AV_PIX_FMT_YUVA420P: return copy(frame, .i420, color)
        case AV_PIX_FMT_YUVA422P: return copy(frame, .i422, color)
        case AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVA444P: return full(frame, color, wanted)
        case AV_PIX_FMT_YUV422P10LE, AV_PIX_FMT_YUVA422P10LE:
            return half(Source(frame), color, wanted, isDeep: isDeep)
        case AV_PIX_FMT_YUV444P10LE, AV_PIX_FMT_YUVA444P10LE:
            return fullOfTenBits(Source(frame), color, isDeep: isDeep)
        case AV_PIX_FMT_YUV420P12LE: return quarterOfTwelveBits(frame, color)
        case AV_PIX_FMT_YUV422P12LE, AV_PIX_FMT_YUVA422P12LE:
            return half(shifted(frame, chromaWidth: (frame.width + 1) / 2), color, wanted, isDeep: isDeep)
        case AV_PIX_FMT_YUV444P12LE, AV_PIX_FMT_YUVA444P12LE:
            return fullOfTenBits(shifted(frame, chromaWidth: frame.width), color, isDeep: isDeep)
        default: return try rgb(frame, format, color)
        }
    }

    /// Three planes of 16-bit samples, rows in samples.
    private struct Source {
        var planes: [UnsafePointer<UInt16>?]
        var rows: [Int32]
        var width: Int32
        var height: Int32

        init(_ frame: AVFrame) {
            let data = [frame.data.0, frame.data.1, frame.data.2]
            planes = data.map { $0.map { UnsafeRawPointer($0).assumingMemoryBound(to: UInt16.self) } }
            rows = [frame.linesize.0 / 2, frame.linesize.1 / 2, frame.linesize.2 / 2]
            (width, height) = (frame.width, frame.height)
        }
    }

    private func target(_ format: PixelFormat, _ width: Int32, _ height: Int32, _ color: ColorDescription)
        -> MutablePixelBuffer
    { converter.target(format, width: Int(width), height: Int(height), color: color) }

    /// Plane by plane, for memory in several pieces.
    private func copy(_ frame: AVFrame, _ format: PixelFormat, _ color: ColorDescription) -> PixelBuffer {
        let target = target(format, frame.width, frame.height, color)
        let least = PixelLayout(format: format, width: Int(frame.width), height: Int(frame.height)).planes
        let data = [frame.data.0, frame.data.1, frame.data.2]
        let lines = [frame.linesize.0, frame.linesize.1, frame.linesize.2]
        let to = WritablePlanes<UInt8>(target)
        for (index, plane) in least.enumerated() {
            CopyPlane(
                data[index], lines[index], to[index], to.row(index), Int32(plane.bytesPerRow), Int32(plane.rows))
        }
        return target.finish()
    }

    private func full(_ frame: AVFrame, _ color: ColorDescription, _ wanted: PixelFormat?) -> PixelBuffer {
        let isRGB = wanted == .bgra
        let target = target(isRGB ? .bgra : .i420, frame.width, frame.height, isRGB ? color.ofRGB : color)
        let to = WritablePlanes<UInt8>(target)
        if isRGB {
            I444ToARGBMatrix(
                frame.data.0, frame.linesize.0, frame.data.1, frame.linesize.1, frame.data.2, frame.linesize.2, to[0],
                to.row(0), color.matrixConstants(height: Int(frame.height)), frame.width, frame.height)
        } else {
            I444ToI420(
                frame.data.0, frame.linesize.0, frame.data.1, frame.linesize.1, frame.data.2, frame.linesize.2, to[0],
                to.row(0), to[1], to.row(1), to[2], to.row(2), frame.width, frame.height)
        }
        return target.finish()
    }

    /// 4:2:2 at ten bits.
    private func half(
        _ from: Source, _ color: ColorDescription, _ wanted: PixelFormat?, isDeep: Bool
    ) -> PixelBuffer {
        if isDeep {
            let target = target(.i010, from.width, from.height, color)
            let to = WritablePlanes<UInt16>(target)
            I210ToI010(
                from.planes[0], from.rows[0], from.planes[1], from.rows[1], from.planes[2], from.rows[2], to[0],
                to.row(0), to[1], to.row(1), to[2], to.row(2), from.width, from.height)
            return target.finish()
        }
        let keepsRows = wanted == .i422 || wanted == .yuyv || wanted == .uyvy || wanted == .bgra
        let target = target(keepsRows ? .i422 : .i420, from.width, from.height, color)
        let to = WritablePlanes<UInt8>(target)
        let convert = keepsRows ? I210ToI422 : I210ToI420
        _ = convert(
            from.planes[0], from.rows[0], from.planes[1], from.rows[1], from.planes[2], from.rows[2], to[0], to.row(0),
            to[1], to.row(1), to[2], to.row(2), from.width, from.height)
        return target.finish()
    }

    /// 4:4:4 at ten bits.
    private func fullOfTenBits(_ from: Source, _ color: ColorDescription, isDeep: Bool) -> PixelBuffer {
        let target = target(isDeep ? .i010 : .i420, from.width, from.height, color)
        if isDeep {
            let to = WritablePlanes<UInt16>(target)
            I410ToI010(
                from.planes[0], from.rows[0], from.planes[1], from.rows[1], from.planes[2], from.rows[2], to[0],
                to.row(0), to[1], to.row(1), to[2], to.row(2), from.width, from.height)
        } else {
            let to = WritablePlanes<UInt8>(target)
            I410ToI420(
                from.planes[0], from.rows[0], from.planes[1], from.rows[1], from.planes[2], from.rows[2], to[0],
                to.row(0), to[1], to.row(1), to[2], to.row(2), from.width, from.height)
        }
        return target.finish()
    }

    /// 4:2:0 at twelve bits, to ten.
    private func quarterOfTwelveBits(_ frame: AVFrame, _ color: ColorDescription) -> PixelBuffer {
        let from = Source(frame)
        let target = target(.i010, frame.width, frame.height, color)
        let to = WritablePlanes<UInt16>(target)
        for plane in 0..<3 {
            let (columns, rows) =
                plane == 0 ? (frame.width, frame.height) : ((frame.width + 1) / 2, (frame.height + 1) / 2)
            cyuv_shift_down(from.planes[plane], from.rows[plane], to[plane], to.row(plane), columns, rows, 2)
        }
        return target.finish()
    }

    /// Twelve bits to ten, chroma with as many rows as luma.
    private func shifted(_ frame: AVFrame, chromaWidth: Int32) -> Source {
        var source = Source(frame)
        let widths = [frame.width, chromaWidth, chromaWidth]
        let memory = scratch.bytes(widths.reduce(0) { $0 + Int($1) } * 2 * Int(frame.height))
        var offset = 0
        for plane in 0..<3 {
            let place = memory.baseAddress.map { ($0 + offset).assumingMemoryBound(to: UInt16.self) }
            cyuv_shift_down(
                source.planes[plane], source.rows[plane], place, widths[plane], widths[plane], frame.height, 2)
            source.planes[plane] = place.map { UnsafePointer($0) }
            source.rows[plane] = widths[plane]
            offset += Int(widths[plane]) * 2 * Int(frame.height)
        }
        return source
    }

    private func rgb(
        _ frame: AVFrame, _ format: AVPixelFormat, _ color: ColorDescription
    ) throws(MediaError) -> PixelBuffer {
        // libyuv names the bytes of a word from its highest, libavutil from the first in memory.
        let convert: (UnsafePointer<UInt8>?, Int32, UnsafeMutablePointer<UInt8>?, Int32, Int32, Int32) -> Int32
        switch format {
        case AV_PIX_FMT_RGB24: convert = RAWToARGB
        case AV_PIX_FMT_BGR24: convert = RGB24ToARGB
        case AV_PIX_FMT_RGBA, AV_PIX_FMT_RGB0: convert = ABGRToARGB
        case AV_PIX_FMT_ARGB, AV_PIX_FMT_0RGB: convert = BGRAToARGB
        case AV_PIX_FMT_BGR0: convert = ARGBCopy
        default:
            let name = av_get_pix_fmt_name(format).map { String(cString: $0) } ?? "unknown"
            throw MediaError(
                .unsupported, "cannot convert a picture", reason: "pixels of “\(name)” are none of this build's",
                wayOut: "read the stored samples instead")
        }
        let target = target(.bgra, frame.width, frame.height, color.ofRGB)
        let to = WritablePlanes<UInt8>(target)
        _ = convert(frame.data.0, frame.linesize.0, to[0], to.row(0), frame.width, frame.height)
        return target.finish()
    }
}
