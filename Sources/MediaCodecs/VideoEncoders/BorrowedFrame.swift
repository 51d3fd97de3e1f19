import CFFmpeg
import MediaTypes

/// Pictures lent to libavcodec: an `AVFrame` that points at their memory, which lives until libavcodec has let go of it.
enum BorrowedFrame {
    private final class Kept {
        let data: MediaData
        init(_ data: MediaData) { self.data = data }
    }

    /// - Parameter frame: holds nothing yet.
    /// - Throws: `codecFailure` without memory.
    static func lend(
        _ picture: PixelBuffer, to frame: UnsafeMutablePointer<AVFrame>, as format: AVPixelFormat
    ) throws(MediaError) {
        let kept = Unmanaged.passRetained(Kept(picture.data))
        let memory = UnsafeMutableRawPointer(mutating: picture.data.bytes.baseAddress)
        let buffer = av_buffer_create(
            memory?.assumingMemoryBound(to: UInt8.self), picture.data.count,
            { opaque, _ in if let opaque { Unmanaged<Kept>.fromOpaque(opaque).release() } }, kept.toOpaque(),
            AV_BUFFER_FLAG_READONLY)
        guard let buffer, let base = buffer.pointee.data else {
            kept.release()
            throw MediaError(.codecFailure, "cannot encode a picture", reason: "out of memory")
        }
        frame.pointee.buf.0 = buffer
        frame.pointee.format = format.rawValue
        frame.pointee.width = Int32(picture.width)
        frame.pointee.height = Int32(picture.height)
        let planes = picture.layout.planes
        (frame.pointee.data.0, frame.pointee.data.1, frame.pointee.data.2) = (
            base + planes[0].offset, base + planes[1].offset, base + planes[2].offset
        )
        (frame.pointee.linesize.0, frame.pointee.linesize.1, frame.pointee.linesize.2) = (
            Int32(planes[0].bytesPerRow), Int32(planes[1].bytesPerRow), Int32(planes[2].bytesPerRow)
        )
    }
}
