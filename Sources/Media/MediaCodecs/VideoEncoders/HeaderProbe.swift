import CFFmpeg
import MediaTypes

/// Reads the header of an encoder that returns it only with its first packet, as libavcodec's libaom does.
enum HeaderProbe {
    /// Returns an open encoder's header. If it has none yet, one black frame is encoded with another encoder with the
    /// same options. Blocks for as long as that takes.
    ///
    /// - Returns: the header; empty if there is none.
    /// - Throws: `codecFailure` if there is not enough memory, or the encoder fails.
    static func header(
        of open: UnsafeMutablePointer<AVCodecContext>, _ codec: LibavVideoCodec, _ options: LibavVideoOptions,
        pixelFormat: AVPixelFormat, timeScale: Int32
    ) throws(MediaError) -> [UInt8] {
        let known = UnsafeRawBufferPointer(start: open.pointee.extradata, count: Int(open.pointee.extradata_size))
        guard known.isEmpty, codec.codec == .av1 else { return [UInt8](known) }
        guard let context = avcodec_alloc_context3(codec.encoder), let frame = av_frame_alloc(),
            let packet = av_packet_alloc()
        else { throw outOfMemory(codec) }
        defer {
            codec.close(context)
            frame.free()
            packet.free()
        }
        try options.open(context, pixelFormat: pixelFormat, timeScale: timeScale)
        guard frame.makeBlack(for: context) else { throw outOfMemory(codec) }
        for sent in [frame, nil] {
            let result = avcodec_send_frame(context, sent)
            guard result >= 0 else {
                throw MediaError(averror: result, .codecFailure, "cannot open the \(codec.codec) encoder")
            }
        }
        var header: [UInt8] = []
        while avcodec_receive_packet(context, packet) >= 0 {
            if let found = packet.newHeader { header = [UInt8](found) }
            av_packet_unref(packet)
        }
        return header
    }

    private static func outOfMemory(_ codec: LibavVideoCodec) -> MediaError {
        MediaError(.codecFailure, "cannot open the \(codec.codec) encoder", reason: "out of memory")
    }
}

extension UnsafeMutablePointer<AVPacket> {
    /// The header that came with this packet; nil if none came. Valid until the packet is released.
    var newHeader: UnsafeRawBufferPointer? {
        var size = 0
        guard let data = av_packet_get_side_data(self, AV_PKT_DATA_NEW_EXTRADATA, &size), size > 0 else { return nil }
        return UnsafeRawBufferPointer(start: data, count: size)
    }
}
