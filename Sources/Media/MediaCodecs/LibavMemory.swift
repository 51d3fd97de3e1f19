import CFFmpeg

// libavcodec's functions that free an object also clear the caller's pointer, so they need a variable.

extension UnsafeMutablePointer<AVFrame> {
    /// Frees the frame, and its references to memory.
    func free() {
        var freed: UnsafeMutablePointer<AVFrame>? = self
        av_frame_free(&freed)
    }
}

extension UnsafeMutablePointer<AVPacket> {
    /// Frees the packet, and its reference to memory.
    func free() {
        var freed: UnsafeMutablePointer<AVPacket>? = self
        av_packet_free(&freed)
    }
}

extension UnsafeMutablePointer<AVCodecContext> {
    /// Closes and frees the codec.
    func free() {
        var freed: UnsafeMutablePointer<AVCodecContext>? = self
        avcodec_free_context(&freed)
    }
}
