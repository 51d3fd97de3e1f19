import CFFmpeg
package import MediaTypes

/// Encodes HEVC, AV1, ProRes and JPEG with libavcodec.
///
/// Frames are lent to libavcodec, not copied. libavcodec releases them after reading. `encode` blocks while the encoder
/// works, and outputs packets of earlier frames if the encoder looks ahead or reorders frames. A live encoder that fell
/// behind is drained and reopened (`LiveBacklog`), and continues with a keyframe. A live encoder that cannot make
/// keyframes on request is reopened for each requested keyframe.
///
/// The effort cannot change while the encoder runs. An encoder with another effort (`LibavVideoOptions.efforts`) has
/// the same decoder configuration, and can replace this encoder at a keyframe.
package final class LibavVideoEncoder: VideoEncoder {
    package let format: VideoFormat
    package let timeScale: Int32
    package let input: EncoderInput
    package let threadCount = 0
    package let efforts: [EncoderEffort]

    private let description: FormatDescription
    private let codec: LibavVideoCodec
    private let options: LibavVideoOptions
    private var context: UnsafeMutablePointer<AVCodecContext>
    private let frame: UnsafeMutablePointer<AVFrame>
    private let packet: UnsafeMutablePointer<AVPacket>
    private let packets: MediaDataPool
    private let nominalDuration: MediaTime
    private let pixelFormat: AVPixelFormat
    /// The conversion to JPEG's matrix and range; nil for other codecs.
    private let matcher: FrameColorMatcher?
    private let sourceColor: ColorDescription
    /// The times of the frames that an intra-only encoder holds. Such an encoder gets frame numbers instead of times,
    /// so that it distributes the bit rate evenly over frames.
    private var waiting: [Int64] = []
    private var number: Int64 = 0
    private var lastTime: Int64 = .min
    private var isFinished = false
    private var stream: StreamForm
    private var backlog: LiveBacklog?
    /// True if the encoder must be reopened for a requested keyframe.
    private let reopensForKeyframes: Bool
    /// The number of frames that were sent to the open encoder. The first one becomes a keyframe.
    private var frameCount = 0
    /// Held until the encoder is drained; nil for encoders that share nothing.
    private var tables: SVTTableUse?

    /// - Parameters:
    ///   - settings: settings that `VideoEncoderRules` has checked.
    ///   - color: the color tags of the frames.
    ///   - pass: the pass of a two-pass encoding. Of these codecs, only HEVC supports two passes.
    ///   - effort: the effort, one of `efforts`.
    ///   - codec: the encoder; nil for the best one.
    /// - Throws: `unsupported`, `invalidSettings`, or `codecFailure` if there is not enough memory.
    init(
        _ settings: VideoSettings, color: ColorDescription, timeScale: Int32, isRealTime: Bool,
        pass: EncodingPass = .single, effort: EncoderEffort = .full, with codec: LibavVideoCodec? = nil
    ) throws(MediaError) {
        let codec = if let codec { codec } else { try LibavVideoCodec(settings.codec, isRealTime: isRealTime) }
        self.codec = codec
        self.timeScale = timeScale
        let depth = VideoEncoderRules.bitDepth(settings)
        let layout: PixelFormat = codec.isProRes ? .i210 : depth == 10 ? .i010 : .i420
        pixelFormat =
            codec.isProRes ? AV_PIX_FMT_YUV422P10LE : depth == 10 ? AV_PIX_FMT_YUV420P10LE : AV_PIX_FMT_YUV420P
        input = EncoderInput(bitDepth: depth, layout: layout)
        sourceColor = color
        var stored = color
        if codec.codec == .mjpeg {
            (stored.matrix, stored.isFullRange) = (JPEGDecoder.color.matrix, true)
            matcher = FrameColorMatcher(PixelConverter())
        } else {
            matcher = nil
            // ProRes cannot signal full range, so every player assumes limited range.
            if codec.isProRes { stored.isFullRange = false }
        }
        let (width, height) = (settings.width ?? 0, settings.height ?? 0)
        nominalDuration = MediaTime(
            seconds: 1 / max(settings.expectedFrameRate ?? 30, 0.001), timescale: timeScale)
        // Packets of intra-only codecs are large. Packets of other codecs are mostly small.
        packets = MediaDataPool(
            byteCount: max(4096, width * height / (codec.isProRes ? 2 : codec.isIntraOnly ? 8 : 64)), capacity: 32)

        let full = LibavVideoOptions(codec, settings, color: stored, isRealTime: isRealTime, pass: pass)
        efforts = full.efforts
        options = full.eased(to: effort)
        tables = try options.svtGroup.map { group throws(MediaError) in try SVTTableUse(group) }
        guard let context = avcodec_alloc_context3(codec.encoder), let frame = av_frame_alloc(),
            let packet = av_packet_alloc()
        else { throw MediaError(.codecFailure, "cannot encode \(codec.name)", reason: "out of memory") }
        (self.context, self.frame, self.packet) = (context, frame, packet)
        reopensForKeyframes = isRealTime && codec.ignoresLiveKeyframes
        backlog = isRealTime && !codec.isIntraOnly ? options.backlog : nil
        do throws(MediaError) {
            try options.open(context, pixelFormat: pixelFormat, timeScale: timeScale)
            stream = StreamForm(codec.codec)
            var format = VideoFormat(
                codec: codec.codec.stored, width: width, height: height, color: stored,
                pixelAspectRatio: settings.pixelAspectRatio, cleanAperture: settings.cleanAperture,
                codecTag: codec.codec.proResTag)
            format.decoderConfiguration = try stream.configuration(
                HeaderProbe.header(of: context, codec, options, pixelFormat: pixelFormat, timeScale: timeScale))
            format.masteringDisplay = settings.masteringDisplay
            format.contentLight = settings.contentLight
            if !codec.isIntraOnly { format.chromaPosition = settings.chromaPosition }
            if let isUpperFirst = settings.fieldOrder?.showsUpperFirst, codec.codec != .mjpeg {
                format.fieldOrder = isUpperFirst ? .upperFirst : .lowerFirst
            } else if codec.isProRes {
                format.fieldOrder = .progressive
            }
            self.format = format
            description = .video(format)
        } catch {
            codec.close(context)
            frame.free()
            packet.free()
            throw error
        }
    }

    deinit {
        if waitsForFrames { submitOneFrame() }
        codec.close(context)
        frame.free()
        packet.free()
    }

    /// True if a frame must be sent before the encoder is drained or closed.
    private var waitsForFrames: Bool {
        codec.encoderName == "libsvtav1" && frameCount == 0 && SVTVersion.loaded?.closesUnusedEncoders != true
    }

    /// Sends a black frame that is never shown.
    private func submitOneFrame() {
        guard frame.makeBlack(for: context), avcodec_send_frame(context, frame) >= 0,
            avcodec_send_frame(context, nil) >= 0
        else { return }
        while avcodec_receive_packet(context, packet) >= 0 { av_packet_unref(packet) }
    }

    package func canEase(from current: EncoderEffort, to effort: EncoderEffort) -> Bool { false }

    package func ease(to effort: EncoderEffort) -> Bool { false }

    package func encode(
        _ pixels: PixelBuffer, at time: MediaTime, asKeyframe isKeyframe: Bool, output: (SampleBuffer) -> Void
    ) throws(MediaError) {
        guard !isFinished else {
            throw MediaError(.invalidState, "cannot encode a frame", reason: "the encoder is finished")
        }
        let ticks = try checkedTicks(of: pixels, at: time, after: lastTime)
        let needsReopening = isKeyframe && reopensForKeyframes && frameCount > 0
        if needsReopening || backlog?.isTooLong == true { try restart(output: output) }
        lastTime = ticks
        try BorrowedFrame.lend(
            matched(pixels), to: frame, as: pixelFormat,
            orFail: MediaError(.codecFailure, "cannot encode a frame", reason: "out of memory"))
        frame.pointee.color_range = format.color.isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        frame.pointee.color_primaries = AVColorPrimaries(UInt32(format.color.primaries))
        frame.pointee.color_trc = AVColorTransferCharacteristic(UInt32(format.color.transfer))
        frame.pointee.colorspace = AVColorSpace(UInt32(format.color.matrix))
        frame.pointee.pict_type = isKeyframe ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        frame.pointee.quality = context.pointee.global_quality
        if codec.isProRes, let isUpperFirst = format.fieldOrder?.showsUpperFirst {
            cffmpeg_set_fields(frame, isUpperFirst ? 1 : 0)
        }
        if codec.isIntraOnly {
            frame.pointee.pts = number
            number += 1
            waiting.append(ticks)
        } else {
            frame.pointee.pts = ticks
        }
        defer { av_frame_unref(frame) }
        try send(frame, output: output)
    }

    package func finish(output: (SampleBuffer) -> Void) throws(MediaError) {
        guard !isFinished else { return }
        isFinished = true
        guard !waitsForFrames else { return }
        try send(nil, output: output)
        tables = nil
    }

    /// Outputs all frames that are held back, and continues with another encoder with the same options.
    func restart(output: (SampleBuffer) -> Void) throws(MediaError) {
        // If anything fails from here on, this encoder accepts no more frames.
        isFinished = true
        try send(nil, output: output)
        guard let next = avcodec_alloc_context3(codec.encoder) else {
            throw MediaError(.codecFailure, "cannot encode \(codec.name)", reason: "out of memory")
        }
        // The new encoder is opened only after the old one is freed, because two encoders at once would need twice the
        // memory.
        codec.close(context)
        context = next
        try options.open(context, pixelFormat: pixelFormat, timeScale: timeScale)
        frameCount = 0
        try check(HeaderProbe.header(of: context, codec, options, pixelFormat: pixelFormat, timeScale: timeScale))
        backlog?.restarted()
        isFinished = false
    }

    /// - Throws: `codecFailure` if a header differs from the one that the file stores.
    private func check(_ header: [UInt8]) throws(MediaError) {
        guard try stream.configuration(header) == format.decoderConfiguration else {
            throw MediaError(
                .codecFailure, "cannot continue encoding \(codec.name)",
                reason: "the encoder has other parameters than at its start")
        }
    }

    private func matched(_ pixels: PixelBuffer) -> PixelBuffer {
        guard let matcher else { return pixels }
        // The track's color tags replace those that the frame leaves unspecified.
        var color = pixels.color
        if !color.isSpecified { color.isFullRange = color.isFullRange || sourceColor.isFullRange }
        if color.matrix == 2 { color.matrix = sourceColor.matrix }
        let meant = PixelBuffer(layout: pixels.layout, color: color, data: pixels.data)
        return matcher.match(meant, height: pixels.height, to: format.color, height: pixels.height)
    }

    private func send(_ frame: UnsafeMutablePointer<AVFrame>?, output: (SampleBuffer) -> Void) throws(MediaError) {
        while true {
            let sent = avcodec_send_frame(context, frame)
            guard sent >= 0 || sent == CFFMPEG_ERROR_EAGAIN else { throw failure(sent) }
            if sent >= 0, frame != nil {
                frameCount += 1
                backlog?.frameWasSent()
            }
            try receive(output: output)
            if sent >= 0 { return }
        }
    }

    private func receive(output: (SampleBuffer) -> Void) throws(MediaError) {
        while true {
            let result = avcodec_receive_packet(context, packet)
            if result == CFFMPEG_ERROR_EAGAIN || result == CFFMPEG_ERROR_EOF { return }
            guard result >= 0 else { throw failure(result) }
            defer { av_packet_unref(packet) }
            backlog?.packetCame()
            if let header = packet.newHeader { try check([UInt8](header)) }
            let bytes = UnsafeRawBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size))
            let data = stream.stored(bytes, packets)
            let isKeyframe = codec.isIntraOnly || packet.pointee.flags & AV_PKT_FLAG_KEY != 0
            var (shown, decoded) = (packet.pointee.pts, packet.pointee.dts)
            if codec.isIntraOnly {
                guard !waiting.isEmpty else { throw failure(CFFMPEG_ERROR_INVALIDDATA) }
                shown = waiting.removeFirst()
                decoded = shown
            }
            // AV1 reorders inside its packets: each packet shows one frame, in presentation order.
            if codec.codec == .av1 || decoded == CFFMPEG_NOPTS_VALUE { decoded = shown }
            // x265 learns the distance between decode times from its third frame at the latest. Before that, it
            // computes decode times from uninitialized memory. With fewer than three frames nothing is reordered, so
            // the presentation time is right.
            if codec.encoderName == "libx265", frameCount < 3 { decoded = shown }
            output(
                SampleBuffer(
                    format: description, content: .data(data),
                    presentationTime: MediaTime(value: shown, timescale: timeScale),
                    decodeTime: MediaTime(value: decoded, timescale: timeScale), duration: nominalDuration,
                    isKeyframe: isKeyframe))
        }
    }

    private func failure(_ code: Int32) -> MediaError {
        MediaError(averror: code, .codecFailure, "cannot encode a frame as \(codec.name)")
    }
}
