import CFFmpeg
import CYUV
import MediaTypes

/// Copies decoded frames that no `PixelLayout` describes into the nearest format that a `PixelLayout` describes. Common
/// formats (4:4:4, ten and twelve bits, RGB in other orders) need one pass. All other formats are copied sample by
/// sample. Transparency of luma and chroma formats is dropped. The fields of an interlaced frame are converted one by
/// one, so that their chroma is not mixed.
///
/// Called by one thread at a time.
final class FrameImporter {
    private let converter = PixelConverter()
    private let samples = FrameSampleCopier()
    /// True if frames consist of two fields.
    var isInterlaced = false

    var allocationCount: Int { converter.allocationCount }

    /// - Parameters:
    ///   - wanted: the format to which the frame will be converted afterwards. It determines how much bit depth and
    ///     chroma is kept.
    ///   - usefulBitDepth: the maximum bit depth to keep if `wanted` is nil; nil means no maximum.
    /// - Throws: `corruptData` for a frame without a size; `unsupported` for a format that `SampledFrame` cannot read.
    func decodedFrame(
        _ frame: AVFrame, color: ColorDescription, wanted: PixelFormat?, usefulBitDepth: Int? = nil
    ) throws(MediaError) -> PixelBuffer {
        let format = AVPixelFormat(rawValue: frame.format)
        guard frame.width > 0, frame.height > 0 else {
            throw MediaError(.corruptData, "cannot convert a frame", reason: "it has no size")
        }
        if let same = DecodedPicture.pixelFormat(format, wanted: wanted) { return copy(frame, same, color) }
        let isDeep = wanted.map { $0.bitDepth > 8 } ?? (usefulBitDepth.map { $0 > 8 } ?? true)
        let keepsRows =
            wanted == .i422 || wanted == .yuyv || wanted == .uyvy || wanted == .i210 || wanted?.isRGB == true
        switch format {
        case AV_PIX_FMT_YUVA420P: return copy(frame, .i420, color)
        case AV_PIX_FMT_YUVA422P: return copy(frame, .i422, color)
        case AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVA444P: return full(frame, color, wanted)
        case AV_PIX_FMT_YUV422P10LE, AV_PIX_FMT_YUVA422P10LE:
            return deep(frame, bits: 10, color, keepsRows: keepsRows, isDeep: isDeep)
        case AV_PIX_FMT_YUV422P12LE, AV_PIX_FMT_YUVA422P12LE:
            return deep(frame, bits: 12, color, keepsRows: keepsRows, isDeep: isDeep)
        case AV_PIX_FMT_YUV444P10LE, AV_PIX_FMT_YUVA444P10LE:
            return deep(frame, bits: 10, color, keepsRows: wanted == .i210, isDeep: isDeep)
        case AV_PIX_FMT_YUV444P12LE, AV_PIX_FMT_YUVA444P12LE:
            return deep(frame, bits: 12, color, keepsRows: wanted == .i210, isDeep: isDeep)
        case AV_PIX_FMT_YUV420P12LE: return deep(frame, bits: 12, color, isDeep: isDeep)
        default:
            if let decodedFrame = rgb(frame, format, color) { return decodedFrame }
            return try sampleBySample(frame, format, color, wanted, isDeep: isDeep)
        }
    }

    /// Returns the number of parts of a frame that are converted one by one: 2 for an interlaced frame.
    private func fields(of frame: AVFrame) -> Int {
        var (columnShift, rowShift): (Int32, Int32) = (0, 0)
        av_pix_fmt_get_chroma_sub_sample(AVPixelFormat(rawValue: frame.format), &columnShift, &rowShift)
        return isInterlaced && rowShift < 2 && frame.height.isMultiple(of: 4) ? 2 : 1
    }

    private func target(_ format: PixelFormat, _ width: Int32, _ height: Int32, _ color: ColorDescription)
        -> MutablePixelBuffer
    { converter.target(format, width: Int(width), height: Int(height), color: color) }

    /// Copies a frame plane by plane. Used if its planes are in several pieces of memory.
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
        let isRGB = wanted?.isRGB == true
        let target = target(isRGB ? .bgra : .i420, frame.width, frame.height, isRGB ? color.ofRGB : color)
        if isRGB {
            let to = WritablePlanes<UInt8>(target)
            I444ToARGBMatrix(
                frame.data.0, frame.linesize.0, frame.data.1, frame.linesize.1, frame.data.2, frame.linesize.2, to[0],
                to.row(0), color.matrixConstants(height: Int(frame.height)), frame.width, frame.height)
            return target.finish()
        }
        let fields = fields(of: frame)
        for field in 0..<fields {
            let (part, to) = (frame.field(field, of: fields), WritablePlanes<UInt8>(target, field: field, of: fields))
            I444ToI420(
                part.data.0, part.linesize.0, part.data.1, part.linesize.1, part.data.2, part.linesize.2, to[0],
                to.row(0), to[1], to.row(1), to[2], to.row(2), part.width, part.height)
        }
        return target.finish()
    }

    /// Converts luma and chroma of ten or twelve bits in one pass. The result is 4:2:0, or 4:2:2 if `keepsRows` is
    /// true.
    private func deep(
        _ frame: AVFrame, bits: Int32, _ color: ColorDescription, keepsRows: Bool = false, isDeep: Bool
    ) -> PixelBuffer {
        let format: PixelFormat = isDeep ? (keepsRows ? .i210 : .i010) : keepsRows ? .i422 : .i420
        let target = target(format, frame.width, frame.height, color)
        let fields = fields(of: frame)
        for field in 0..<fields {
            let part = frame.field(field, of: fields)
            if isDeep {
                let to = WritablePlanes<UInt16>(target, field: field, of: fields)
                forEachPlane(of: part, keepsRows: keepsRows) { plane, from, stride, size, newSize in
                    cyuv_reduce_to_ten_bits(
                        from, stride, size.columns, size.rows, bits, to[plane], to.row(plane), newSize.columns,
                        newSize.rows)
                }
            } else {
                let to = WritablePlanes<UInt8>(target, field: field, of: fields)
                forEachPlane(of: part, keepsRows: keepsRows) { plane, from, stride, size, newSize in
                    cyuv_reduce_to_eight_bits(
                        from, stride, size.columns, size.rows, bits, to[plane], to.row(plane), newSize.columns,
                        newSize.rows)
                }
            }
        }
        return target.finish()
    }

    private typealias PlaneSize = (columns: Int32, rows: Int32)

    /// Calls a function for each plane of a frame or a field, with the plane's samples, the length of its rows, its size
    /// and its size in the result.
    private func forEachPlane(
        of frame: AVFrame, keepsRows: Bool,
        _ convert: (Int, UnsafePointer<UInt16>?, Int32, PlaneSize, PlaneSize) -> Void
    ) {
        let (width, height) = (frame.width, frame.height)
        let data = [frame.data.0, frame.data.1, frame.data.2]
        let lines = [frame.linesize.0 / 2, frame.linesize.1 / 2, frame.linesize.2 / 2]
        var (columnShift, rowShift): (Int32, Int32) = (0, 0)
        av_pix_fmt_get_chroma_sub_sample(AVPixelFormat(rawValue: frame.format), &columnShift, &rowShift)
        for plane in 0..<3 {
            let from = data[plane].map { UnsafeRawPointer($0).assumingMemoryBound(to: UInt16.self) }
            guard plane > 0 else {
                convert(plane, from, lines[plane], (width, height), (width, height))
                continue
            }
            convert(
                plane, from, lines[plane], (-(-width >> columnShift), -(-height >> rowShift)),
                ((width + 1) / 2, keepsRows ? height : (height + 1) / 2))
        }
    }

    private func rgb(
        _ frame: AVFrame, _ format: AVPixelFormat, _ color: ColorDescription
    ) -> PixelBuffer? {
        // libyuv names the bytes of a word from the highest byte on, libavutil from the first byte in memory on.
        let convert: (UnsafePointer<UInt8>?, Int32, UnsafeMutablePointer<UInt8>?, Int32, Int32, Int32) -> Int32
        switch format {
        case AV_PIX_FMT_RGB24: convert = RAWToARGB
        case AV_PIX_FMT_BGR24: convert = RGB24ToARGB
        case AV_PIX_FMT_RGBA, AV_PIX_FMT_RGB0: convert = ABGRToARGB
        case AV_PIX_FMT_ARGB, AV_PIX_FMT_0RGB: convert = BGRAToARGB
        case AV_PIX_FMT_BGR0: convert = ARGBCopy
        default: return nil
        }
        let target = target(.bgra, frame.width, frame.height, color.ofRGB)
        let to = WritablePlanes<UInt8>(target)
        _ = convert(frame.data.0, frame.linesize.0, to[0], to.row(0), frame.width, frame.height)
        return target.finish()
    }

    /// Copies any other format that libavutil can describe.
    private func sampleBySample(
        _ frame: AVFrame, _ format: AVPixelFormat, _ color: ColorDescription, _ wanted: PixelFormat?, isDeep: Bool
    ) throws(MediaError) -> PixelBuffer {
        guard let decodedFrame = SampledFrame(frame, format) else {
            let name = av_get_pix_fmt_name(format).map { String(cString: $0) } ?? "unknown"
            throw MediaError(
                .unsupported, "cannot convert a frame", reason: "unsupported pixel format “\(name)”",
                wayOut: "read the stored samples instead")
        }
        if decodedFrame.isRGB {
            let target = target(.bgra, frame.width, frame.height, color.ofRGB)
            samples.copyRGB(decodedFrame, WritablePlanes<UInt8>(target))
            return target.finish()
        }
        let isDeep = decodedFrame.isDeep && isDeep
        let layout: PixelFormat = isDeep ? .i010 : decodedFrame.isGray ? .gray8 : .i420
        let target = target(layout, frame.width, frame.height, color)
        let fields = fields(of: frame)
        for field in 0..<fields {
            guard let part = SampledFrame(frame.field(field, of: fields), format) else { continue }
            if isDeep {
                samples.copyTenBits(part, WritablePlanes<UInt16>(target, field: field, of: fields))
            } else {
                samples.copyEightBits(part, WritablePlanes<UInt8>(target, field: field, of: fields))
            }
        }
        return target.finish()
    }
}

extension AVFrame {
    /// Returns a field's rows as a frame in the same memory.
    ///
    /// - Parameters:
    ///   - index: the field, from 0 on.
    ///   - count: 2 for one of two fields, 1 for the complete frame.
    fileprivate func field(_ index: Int, of count: Int) -> AVFrame {
        guard count > 1 else { return self }
        var field = self
        field.data.0 = data.0.map { $0 + index * Int(linesize.0) }
        field.data.1 = data.1.map { $0 + index * Int(linesize.1) }
        field.data.2 = data.2.map { $0 + index * Int(linesize.2) }
        field.data.3 = data.3.map { $0 + index * Int(linesize.3) }
        let step = Int32(clamping: count)
        field.linesize.0 *= step
        field.linesize.1 *= step
        field.linesize.2 *= step
        field.linesize.3 *= step
        field.height /= step
        return field
    }
}
