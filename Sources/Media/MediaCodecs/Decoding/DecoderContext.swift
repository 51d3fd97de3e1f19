import CFFmpeg
import MediaTypes

/// A libavcodec decoder: packets in, frames out. Called by one thread at a time; libavcodec uses its own threads
/// internally.
final class DecoderContext {
    let context: UnsafeMutablePointer<AVCodecContext>
    /// The frame allocator that the codec's threads call. It must outlive these threads.
    private let memory: FrameMemory?
    private let packet: UnsafeMutablePointer<AVPacket>
    private let timeScale: Int32
    private let name: String

    /// - Parameters:
    ///   - name: libavcodec's name of the codec, such as `h264`.
    ///   - timeScale: the time scale of the input's times.
    ///   - configure: sets the fields of the context that the codec needs before it is opened.
    /// - Throws: `unsupported` for a codec that this build cannot decode, `codecFailure` if it does not open.
    init(
        codec name: String, decoderConfiguration: [UInt8], timeScale: Int32, memory: FrameMemory? = nil,
        configure: (UnsafeMutablePointer<AVCodecContext>) -> Void
    ) throws(MediaError) {
        _ = LibavLog.silenced
        guard let descriptor = avcodec_descriptor_get_by_name(name),
            let codec = avcodec_find_decoder(descriptor.pointee.id)
        else {
            throw MediaError(
                .unsupported, "cannot decode \(name)", reason: "this build has no decoder for it")
        }
        guard let context = avcodec_alloc_context3(codec), let packet = av_packet_alloc() else {
            throw MediaError(.codecFailure, "cannot decode \(name)", reason: "out of memory")
        }
        self.context = context
        self.memory = memory
        self.packet = packet
        self.timeScale = timeScale
        self.name = name
        context.pointee.pkt_timebase = AVRational(num: 1, den: timeScale)
        if !decoderConfiguration.isEmpty {
            // libavcodec reads past the end of its input (AV_INPUT_BUFFER_PADDING_SIZE).
            let count = decoderConfiguration.count
            guard let memory = av_mallocz(count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
                throw MediaError(.codecFailure, "cannot decode \(name)", reason: "out of memory")
            }
            decoderConfiguration.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress!, byteCount: count) }
            context.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
            context.pointee.extradata_size = Int32(count)
        }
        // Damage must be an error, not a frame that looks almost right.
        context.pointee.err_recognition |= AV_EF_EXPLODE | AV_EF_CRCCHECK
        memory?.serve(context)
        configure(context)
        let opened = avcodec_open2(context, codec, nil)
        guard opened >= 0 else { throw MediaError(averror: opened, .codecFailure, "cannot decode \(name)") }
    }

    deinit {
        context.free()
        packet.free()
    }

    /// Decodes a packet; nil ends the stream. Calls `output` for every frame that is ready. During that call, the frame
    /// is in `frame`, and the caller may use it.
    ///
    /// - Throws: `corruptData` for a packet that cannot be decoded. The decoder can continue with the next packet.
    func decode(
        _ coded: CodedSample?, frame: UnsafeMutablePointer<AVFrame>, output: () throws(MediaError) -> Void
    ) throws(MediaError) {
        while true {
            let sent = send(coded)
            // The error is thrown before more frames are returned, because a frame-threaded decoder may contain frames
            // that depend on the damaged frame.
            guard sent >= 0 || sent == CFFMPEG_ERROR_EAGAIN || sent == CFFMPEG_ERROR_EOF else {
                throw failure(sent, place(of: coded?.sample))
            }
            try receive(frame, output)
            if sent != CFFMPEG_ERROR_EAGAIN { return }
        }
    }

    /// Discards all input, as after a seek.
    func flush() { avcodec_flush_buffers(context) }

    private func send(_ coded: CodedSample?) -> Int32 {
        guard let coded, case .data(let data) = coded.sample.content else { return avcodec_send_packet(context, nil) }
        // libavcodec treats an empty packet as the end of the stream.
        if data.count == 0 { return 0 }
        let sample = coded.sample
        av_packet_unref(packet)
        guard av_new_packet(packet, Int32(clamping: data.count)) >= 0 else { return CFFMPEG_ERROR_ENOMEM }
        data.bytes.copyBytes(to: UnsafeMutableRawBufferPointer(start: packet.pointee.data, count: data.count))
        packet.pointee.pts =
            coded.hasPresentationTime ? sample.presentationTime.ticks(in: timeScale) : CFFMPEG_NOPTS_VALUE
        packet.pointee.dts =
            coded.hasDecodeTime
            ? (sample.decodeTime ?? sample.presentationTime).ticks(in: timeScale) : CFFMPEG_NOPTS_VALUE
        packet.pointee.duration = sample.duration?.ticks(in: timeScale) ?? 0
        if sample.isKeyframe { packet.pointee.flags |= AV_PKT_FLAG_KEY }
        if coded.isDiscarded { packet.pointee.flags |= AV_PKT_FLAG_DISCARD }
        return avcodec_send_packet(context, packet)
    }

    private func receive(
        _ frame: UnsafeMutablePointer<AVFrame>, _ output: () throws(MediaError) -> Void
    ) throws(MediaError) {
        while true {
            let result = avcodec_receive_frame(context, frame)
            if result == CFFMPEG_ERROR_EAGAIN || result == CFFMPEG_ERROR_EOF { return }
            guard result >= 0 else { throw failure(result) }
            try output()
        }
    }

    /// Creates the error for a code. A lack of memory must not be reported as damage, because callers may skip damaged
    /// frames.
    private func failure(_ code: Int32, _ place: String = "") -> MediaError {
        let action = "cannot decode \(name)\(place)"
        guard code == CFFMPEG_ERROR_ENOMEM || memory?.hasRefused == true || isMemoryShort else {
            return MediaError(averror: code, .corruptData, action)
        }
        let size = "\(context.pointee.coded_width)×\(context.pointee.coded_height)"
        return MediaError(
            .codecFailure, action, reason: "not enough memory for its frames of \(size)",
            underlying: .averror(code), wayOut: "raise the memory limit of the machine, the container or `ulimit`")
    }

    /// True if there is not even enough memory for two more frames. This check is needed because libavcodec's threads
    /// report a failed allocation as damage.
    private var isMemoryShort: Bool {
        let pixels = Int(context.pointee.coded_width) * Int(context.pointee.coded_height)
        guard pixels > 0, let probe = malloc(3 * pixels) else { return pixels > 0 }
        free(probe)
        return false
    }

    private func place(of sample: SampleBuffer?) -> String {
        sample.map { " at \($0.presentationTime.words)" } ?? ""
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func copyBytes(to target: UnsafeMutableRawBufferPointer) {
        if count > 0 { target.copyMemory(from: self) }
    }
}
