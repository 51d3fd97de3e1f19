import CFFmpeg

extension UnsafeMutablePointer<AVFrame> {
    /// Makes this a black frame for an open encoder, with the time 0.
    ///
    /// - Returns: false if there is not enough memory.
    func makeBlack(for context: UnsafeMutablePointer<AVCodecContext>) -> Bool {
        pointee.format = context.pointee.pix_fmt.rawValue
        (pointee.width, pointee.height) = (context.pointee.width, context.pointee.height)
        guard av_frame_get_buffer(self, 0) >= 0 else { return false }
        for buffer in [pointee.buf.0, pointee.buf.1, pointee.buf.2] {
            guard let memory = buffer?.pointee else { continue }
            memory.data?.update(repeating: 0, count: Int(memory.size))
        }
        pointee.pts = 0
        return true
    }
}
