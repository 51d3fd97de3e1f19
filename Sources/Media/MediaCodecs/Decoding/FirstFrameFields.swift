import CFFmpeg
package import MediaTypes

/// Finds the order of fields that only the frames of a video state.
package enum FirstFrameFields {
    /// The codecs of old tapes, capture cards and camcorders. libavformat knows the field order of other codecs from
    /// their headers.
    package static let codecs: Set<String> = ["dvvideo", "mpeg4", "mjpeg", "vc1", "wmv3", "utvideo"]

    /// Decodes the first packet of a track, which must be a keyframe.
    ///
    /// - Returns: nil if the frame is progressive, or cannot be decoded.
    package static func order(of packet: UnsafeRawBufferPointer, _ format: VideoFormat, _ hints: DecoderHints)
        -> FieldOrder?
    {
        guard let frame = av_frame_alloc() else { return nil }
        defer { frame.free() }
        var order: FieldOrder?
        do throws(MediaError) {
            let decoder = try DecoderContext(
                codec: hints.codecName, decoderConfiguration: format.decoderConfiguration, timeScale: 1000
            ) { context in
                context.pointee.width = Int32(clamping: format.width)
                context.pointee.height = Int32(clamping: format.height)
                context.pointee.codec_tag = hints.codecTag
                context.pointee.thread_count = 1
            }
            let sample = SampleBuffer(
                format: .video(format), content: .data(MediaData(copying: packet)), presentationTime: .zero,
                isKeyframe: true)
            // A decoder may hold the frame until the end.
            for coded in [CodedSample(sample), nil] {
                try decoder.decode(coded, frame: frame) { () throws(MediaError) in
                    defer { av_frame_unref(frame) }
                    guard order == nil, cffmpeg_has_fields(frame) != 0 else { return }
                    order = cffmpeg_is_upper_first(frame) != 0 ? .upperFirst : .lowerFirst
                }
            }
        } catch {
            return order
        }
        return order
    }
}
