import CFFmpeg
import CYUV
import MediaTypes

/// An owned `AVFrame`, freed with its last reference.
final class FilterFrame {
    let pointer: UnsafeMutablePointer<AVFrame>

    /// - Throws: `ioFailure` if there is not enough memory.
    init() throws(MediaError) {
        guard let made = av_frame_alloc() else {
            throw MediaError(.ioFailure, "cannot create a frame", reason: "out of memory")
        }
        pointer = made
    }

    deinit { pointer.free() }

    func clear() { av_frame_unref(pointer) }

    /// Borrows a frame. The memory of the frame stays valid until the filter has released it.
    ///
    /// - Precondition: the frame's format has a name in libavutil (`FilterFrame.format`).
    func borrow(_ image: PixelBuffer, number: Int64) throws(MediaError) {
        try BorrowedFrame.lend(
            image, to: pointer, as: Self.format(image.format) ?? AV_PIX_FMT_NONE,
            orFail: MediaError(.ioFailure, "cannot filter a frame", reason: "out of memory"))
        pointer.pointee.pts = number
    }

    /// Copies the planes into a frame of the same format and size.
    ///
    /// - Throws: `codecFailure` if the filter returned another format or size.
    func copy(into target: borrowing MutablePixelBuffer) throws(MediaError) {
        let (layout, frame) = (target.layout, pointer.pointee)
        let least = PixelLayout(format: layout.format, width: layout.width, height: layout.height)
        let data = [frame.data.0, frame.data.1, frame.data.2]
        let lines = [frame.linesize.0, frame.linesize.1, frame.linesize.2]
        guard frame.width == layout.width, frame.height == layout.height,
            frame.format == Self.format(layout.format)?.rawValue,
            least.planes.indices.allSatisfy({ data[$0] != nil && Int(lines[$0]) >= least.planes[$0].bytesPerRow })
        else {
            throw MediaError(.codecFailure, "cannot filter a frame", reason: "the filter changed its format")
        }
        let to = WritablePlanes<UInt8>(target)
        for (index, plane) in least.planes.enumerated() {
            CopyPlane(
                data[index], lines[index], to[index], to.row(index), Int32(plane.bytesPerRow), Int32(plane.rows))
        }
    }

    /// Returns libavutil's constant for a planar luma and chroma format; nil for other formats.
    static func format(_ format: PixelFormat) -> AVPixelFormat? {
        switch format {
        case .i420: AV_PIX_FMT_YUV420P
        case .i422: AV_PIX_FMT_YUV422P
        case .i010: AV_PIX_FMT_YUV420P10LE
        case .i210: AV_PIX_FMT_YUV422P10LE
        default: nil
        }
    }

    /// Returns the name of a planar luma and chroma format for filter options; nil for other formats.
    static func name(_ format: PixelFormat) -> String? {
        Self.format(format).flatMap { av_get_pix_fmt_name($0) }.map { String(cString: $0) }
    }

    /// Returns the nearest planar luma and chroma format.
    static func planar(_ format: PixelFormat) -> PixelFormat {
        switch format {
        case .i420, .i422, .i010, .i210: format
        case .p010: .i010
        case .yuyv, .uyvy: .i422
        default: .i420
        }
    }
}
