import CFFmpeg
import MediaTypes

/// Makes a `PixelBuffer` from a decoder's frame, without copying if a `PixelLayout` can describe the frame.
enum DecodedPicture {
    /// Returns the `PixelFormat` that describes one of libavutil's formats.
    ///
    /// - Parameter wanted: the requested format. For 4:2:2 at ten bits, the result is nil unless exactly that format is
    ///   requested.
    static func pixelFormat(_ format: AVPixelFormat, wanted: PixelFormat?) -> PixelFormat? {
        switch format {
        case AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P: .i420
        case AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUVJ422P: .i422
        case AV_PIX_FMT_NV12: .nv12
        case AV_PIX_FMT_YUYV422: .yuyv
        case AV_PIX_FMT_UYVY422: .uyvy
        case AV_PIX_FMT_BGRA: .bgra
        case AV_PIX_FMT_GRAY8: .gray8
        case AV_PIX_FMT_YUV420P10LE: .i010
        case AV_PIX_FMT_P010LE: .p010
        case AV_PIX_FMT_YUV422P10LE where wanted == .i210: .i210
        default: nil
        }
    }

    static func color(_ frame: AVFrame) -> ColorDescription {
        let format = AVPixelFormat(rawValue: frame.format)
        let isFull =
            frame.color_range == AVCOL_RANGE_JPEG || format == AV_PIX_FMT_YUVJ420P || format == AV_PIX_FMT_YUVJ422P
            || format == AV_PIX_FMT_YUVJ444P || format == AV_PIX_FMT_YUVJ411P || format == AV_PIX_FMT_YUVJ440P
        return ColorDescription(
            primaries: UInt8(clamping: frame.color_primaries.rawValue),
            transfer: UInt8(clamping: frame.color_trc.rawValue), matrix: UInt8(clamping: frame.colorspace.rawValue),
            isFullRange: isFull)
    }

    /// Returns a pixel buffer that shares the frame's memory, and keeps a reference to that memory while it lives.
    /// Returns nil if the planes are not in one piece of memory, or if no `PixelLayout` describes them.
    static func lend(
        _ frame: UnsafeMutablePointer<AVFrame>, color: ColorDescription, wanted: PixelFormat?
    ) -> PixelBuffer? {
        let fields = frame.pointee
        guard let format = pixelFormat(AVPixelFormat(rawValue: fields.format), wanted: wanted),
            let buffer = fields.buf.0, fields.buf.1 == nil, let base = buffer.pointee.data
        else { return nil }
        let (width, height) = (Int(fields.width), Int(fields.height))
        let least = PixelLayout(format: format, width: width, height: height)
        let data = [fields.data.0, fields.data.1, fields.data.2]
        let lines = [fields.linesize.0, fields.linesize.1, fields.linesize.2]
        var planes: [PixelLayout.Plane] = []
        for (index, plane) in least.planes.enumerated() {
            guard let start = data[index], lines[index] >= plane.bytesPerRow else { return nil }
            let offset = UnsafePointer(start) - UnsafePointer(base)
            planes.append(.init(offset: offset, bytesPerRow: Int(lines[index]), rows: plane.rows))
        }
        let layout = PixelLayout(format: format, width: width, height: height, planes: planes)
        let isInside = planes.allSatisfy { $0.offset >= 0 } && layout.byteCount <= Int(buffer.pointee.size)
        guard isInside, layout.holdsWholeFrame, let kept = av_frame_clone(frame) else { return nil }
        let address = UInt(bitPattern: kept)
        let bytes = UnsafeRawBufferPointer(start: base, count: Int(buffer.pointee.size))
        return PixelBuffer(
            layout: layout, color: color,
            data: MediaData(borrowing: bytes) {
                var frame = UnsafeMutablePointer<AVFrame>(bitPattern: address)
                av_frame_free(&frame)
            })
    }
}
