import CFFmpeg
import MediaTypes

/// Lends frames to libavcodec and libavfilter. The `AVFrame` points to the memory of the lent frame. That memory stays
/// valid until the library has released it.
enum BorrowedFrame {
    private final class Kept {
        let data: MediaData
        init(_ data: MediaData) { self.data = data }
    }

    /// - Parameters:
    ///   - frame: an empty frame.
    ///   - failure: the error to throw if there is not enough memory.
    static func lend(
        _ image: PixelBuffer, to frame: UnsafeMutablePointer<AVFrame>, as format: AVPixelFormat,
        orFail failure: @autoclosure () -> MediaError
    ) throws(MediaError) {
        let kept = Unmanaged.passRetained(Kept(image.data))
        let memory = UnsafeMutableRawPointer(mutating: image.data.bytes.baseAddress)
        let buffer = av_buffer_create(
            memory?.assumingMemoryBound(to: UInt8.self), image.data.count,
            { opaque, _ in if let opaque { Unmanaged<Kept>.fromOpaque(opaque).release() } }, kept.toOpaque(),
            AV_BUFFER_FLAG_READONLY)
        guard let buffer, let base = buffer.pointee.data else {
            kept.release()
            throw failure()
        }
        frame.pointee.buf.0 = buffer
        frame.pointee.format = format.rawValue
        frame.pointee.width = Int32(image.width)
        frame.pointee.height = Int32(image.height)
        let planes = image.layout.planes
        func start(_ index: Int) -> UnsafeMutablePointer<UInt8>? {
            planes.indices.contains(index) ? base + planes[index].offset : nil
        }
        func line(_ index: Int) -> Int32 { planes.indices.contains(index) ? Int32(planes[index].bytesPerRow) : 0 }
        (frame.pointee.data.0, frame.pointee.data.1, frame.pointee.data.2) = (start(0), start(1), start(2))
        (frame.pointee.linesize.0, frame.pointee.linesize.1, frame.pointee.linesize.2) = (line(0), line(1), line(2))
    }
}
