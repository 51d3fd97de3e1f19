import CFFmpeg
import MediaTypes

/// One of libavcodec's decoders: packets in, frames out. One thread at a time calls it; libavcodec runs its own beneath.
final class DecoderContext {
    let context: UnsafeMutablePointer<AVCodecContext>
    /// What the codec's threads call: it lives until they have ended.
    private let memory: FrameMemory?
    private let packet: UnsafeMutablePointer<AVPacket>
    private let timeScale: Int32
    private let name: String

    /// - Parameters:
    ///   - name: libavcodec's name of the codec, as `h264`.
    ///   - timeScale: of the times that are handed in.
    ///   - configure: sets what the codec must know before it is opened.
    /// - Throws: `unsupported` for a codec that this build cannot decode, `codecFailure` when it does not open.
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
            // libavcodec reads past the end of what it is given (AV_INPUT_BUFFER_PADDING_SIZE).
            let count = decoderConfiguration.count
            guard let memory = av_mallocz(count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
                throw MediaError(.codecFailure, "cannot decode \(name)", reason: "out of memory")
            }
            decoderConfiguration.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress!, byteCount: count) }
            context.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
            context.pointee.extradata_size = Int32(count)
        }
        // Damage is an error, not a picture that looks nearly right.
        context.pointee.err_recognition |= AV_EF_EXPLODE | AV_EF_CRCCHECK
        memory?.serve(context)
        configure(context)
        let opened = avcodec_open2(context, codec, nil)
        guard opened >= 0 else { throw MediaError(averror: opened, .codecFailure, "cannot decode \(name)") }
    }

    deinit {
        var (context, packet): (UnsafeMutablePointer<AVCodecContext>?, UnsafeMutablePointer<AVPacket>?) =
            (context, packet)
        avcodec_free_context(&context)
        av_packet_free(&packet)
    }

    /// Hands in a packet; nil says that nothing more comes. `frame` is given every frame that is ready; it belongs to the
    /// caller for the call.
    ///
    /// - Throws: `corruptData` for a packet that cannot be decoded; the decoder can go on with the next.
    func decode(
        _ coded: CodedSample?, frame: UnsafeMutablePointer<AVFrame>, output: () throws(MediaError) -> Void
    ) throws(MediaError) {
        while true {
            let sent = send(coded)
            // The error first: what a decoder of several pictures at once still holds may lean on the damaged one.
            guard sent >= 0 || sent == CFFMPEG_ERROR_EAGAIN || sent == CFFMPEG_ERROR_EOF else {
                throw failure(sent, place(of: coded?.sample))
            }
            try receive(frame, output)
            if sent != CFFMPEG_ERROR_EAGAIN { return }
        }
    }

    /// Forgets everything that was handed in, as after a seek.
    func flush() { avcodec_flush_buffers(context) }

    private func send(_ coded: CodedSample?) -> Int32 {
        guard let coded, case .data(let data) = coded.sample.content else { return avcodec_send_packet(context, nil) }
        // libavcodec takes an empty packet for the end of the stream.
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
        if sample.isKeyFrame { packet.pointee.flags |= AV_PKT_FLAG_KEY }
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

    /// A lack of memory is no damage: what is damaged may be left out.
    private func failure(_ code: Int32, _ place: String = "") -> MediaError {
        let action = "cannot decode \(name)\(place)"
        guard code == CFFMPEG_ERROR_ENOMEM || memory?.hasRefused == true || isMemoryShort else {
            return MediaError(averror: code, .corruptData, action)
        }
        let size = "\(context.pointee.coded_width)×\(context.pointee.coded_height)"
        return MediaError(
            .codecFailure, action, reason: "there is not enough memory for its pictures of \(size)",
            underlying: .averror(code), wayOut: "give it more: a machine, a container or `ulimit` bounds it")
    }

    /// Whether there is not even room for two more pictures: libavcodec's threads tell of memory that they did not get as of damage.
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
