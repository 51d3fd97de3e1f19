import CFFmpeg
import CYUV
import MediaTypes

/// Encodes PNG files of one size, with or without transparency, with libavcodec. Called by one thread at a time.
final class StillImagePNG {
    let width: Int
    let height: Int
    let hasAlpha: Bool
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let frame: UnsafeMutablePointer<AVFrame>
    private let packet: UnsafeMutablePointer<AVPacket>

    init(width: Int, height: Int, hasAlpha: Bool) throws(MediaError) {
        _ = LibavLog.silenced
        let action = "cannot write a PNG of \(width)×\(height)"
        guard let codec = avcodec_find_encoder(AV_CODEC_ID_PNG) else {
            throw MediaError(.unsupported, action, reason: "this build of libavcodec has no encoder for it")
        }
        var (opened, frame, packet) = (avcodec_alloc_context3(codec), av_frame_alloc(), av_packet_alloc())
        do throws(MediaError) {
            guard let context = opened, let image = frame, let data = packet else {
                throw MediaError(.codecFailure, action, reason: "out of memory")
            }
            context.pointee.width = Int32(clamping: width)
            context.pointee.height = Int32(clamping: height)
            context.pointee.pix_fmt = hasAlpha ? AV_PIX_FMT_RGBA : AV_PIX_FMT_RGB24
            context.pointee.time_base = AVRational(num: 1, den: 1)
            // Each row uses the filter that suits it best. Files of camera images are then a third smaller, and not
            // slower to write, because zlib has less to do.
            context.pointee.compression_level = 4
            av_opt_set(context.pointee.priv_data, "pred", "mixed", 0)
            let result = avcodec_open2(context, codec, nil)
            guard result >= 0 else { throw MediaError(averror: result, .codecFailure, action) }
            image.pointee.format = context.pointee.pix_fmt.rawValue
            image.pointee.width = context.pointee.width
            image.pointee.height = context.pointee.height
            let made = av_frame_get_buffer(image, 0)
            guard made >= 0 else { throw MediaError(averror: made, .codecFailure, action) }
            (self.context, self.frame, self.packet) = (context, image, data)
        } catch {
            avcodec_free_context(&opened)
            av_frame_free(&frame)
            av_packet_free(&packet)
            throw error
        }
        self.width = width
        self.height = height
        self.hasAlpha = hasAlpha
    }

    deinit {
        context.free()
        frame.free()
        packet.free()
    }

    /// - Parameter image: an image in `bgra`, of this size.
    func encode(_ image: PixelBuffer) throws(MediaError) -> MediaData {
        let action = "cannot write a PNG of \(width)×\(height)"
        func require(_ result: Int32) throws(MediaError) {
            guard result >= 0 else { throw MediaError(averror: result, .codecFailure, action) }
        }
        // The encoder may still hold the memory of the previous image.
        try require(av_frame_make_writable(frame))
        let from = Planes<UInt8>(image)
        // libyuv's "RAW" is red, green, blue in memory, and its "ABGR" is red, green, blue, alpha.
        let reorder = hasAlpha ? ARGBToABGR : ARGBToRAW
        _ = reorder(
            from[0], from.row(0), frame.pointee.data.0, frame.pointee.linesize.0, Int32(width), Int32(height))
        try require(avcodec_send_frame(context, frame))
        try require(avcodec_receive_packet(context, packet))
        defer { av_packet_unref(packet) }
        return MediaData(
            copying: UnsafeRawBufferPointer(start: packet.pointee.data, count: Int(max(0, packet.pointee.size))))
    }
}
