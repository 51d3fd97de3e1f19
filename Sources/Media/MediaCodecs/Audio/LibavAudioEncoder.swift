import CFFmpeg
package import MediaTypes

/// Encodes AAC, ALAC, FLAC and Opus with libavcodec.
package final class LibavAudioEncoder: AudioEncoder {
    package let format: AudioFormat
    package let primingFrames: Int
    package private(set) var framesEncoded: Int64 = 0
    package var silencedValues: Int64 { converter.silencedValues }

    private let context: UnsafeMutablePointer<AVCodecContext>
    private let frame: UnsafeMutablePointer<AVFrame>
    private let packet: UnsafeMutablePointer<AVPacket>
    private let packets: MediaDataPool
    private let converter: AudioConverter
    private let frameSize: Int
    private let isPlanar: Bool
    private let bytesPerSample: Int
    /// The number of audio frames already in `frame`.
    private var filled = 0
    /// The anchor time, counted in audio frames at the output's rate.
    private var anchor: Int64 = 0

    init(settings: AudioSettings, input: AudioFormat, output: AudioFormat) throws(MediaError) {
        LibavLog.silenced
        let name = settings.codec.rawValue
        let encoders: [AudioCodec: String] = [.aac: "aac", .alac: "alac", .flac: "flac", .opus: "libopus"]
        guard let encoder = encoders[settings.codec], let codec = avcodec_find_encoder_by_name(encoder) else {
            throw MediaError(.unsupported, "cannot encode \(name)", reason: "this build of libavcodec has no encoder")
        }
        let channels = try CodecChannels(output)
        guard let context = avcodec_alloc_context3(codec), let frame = av_frame_alloc(), let packet = av_packet_alloc()
        else { throw MediaError(.codecFailure, "cannot encode \(name)", reason: "out of memory") }
        self.context = context
        self.frame = frame
        self.packet = packet
        let sampleFormat = Self.sampleFormat(of: codec, settings, input: input)
        context.pointee.sample_fmt = sampleFormat
        if sampleFormat == AV_SAMPLE_FMT_S32P || sampleFormat == AV_SAMPLE_FMT_S32 {
            context.pointee.bits_per_raw_sample = 24
        }
        context.pointee.sample_rate = Int32(output.sampleRate)
        context.pointee.ch_layout = channels.layout
        context.pointee.time_base = AVRational(num: 1, den: Int32(output.sampleRate))
        context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        if settings.codec == .aac || settings.codec == .opus {
            context.pointee.bit_rate = Int64(settings.bitRate ?? 64_000 * output.channelCount)
        }
        do throws(MediaError) {
            if settings.codec == .opus, let family = Self.mappingFamily(channels, output.channelCount) {
                av_opt_set_int(context.pointee.priv_data, "mapping_family", family, 0)
            }
            let opened = avcodec_open2(context, codec, nil)
            guard opened >= 0 else {
                throw MediaError(
                    averror: opened, .invalidSettings,
                    "cannot encode \(name) at \(output.sampleRate) Hz with \(output.channelCount) channels")
            }
            converter = try AudioConverter(
                input: input, output: output, channels: channels, sampleFormat: sampleFormat, clearsInvalid: true)
            frameSize = Int(context.pointee.frame_size)
            frame.pointee.nb_samples = Int32(frameSize)
            frame.pointee.format = sampleFormat.rawValue
            frame.pointee.sample_rate = Int32(output.sampleRate)
            av_channel_layout_copy(&frame.pointee.ch_layout, &context.pointee.ch_layout)
            let allocated = Self.makeBuffer(of: frame, channelCount: output.channelCount)
            guard allocated >= 0 else { throw MediaError(averror: allocated, .codecFailure, "cannot encode \(name)") }
        } catch {
            context.free()
            frame.free()
            packet.free()
            throw error
        }
        isPlanar = av_sample_fmt_is_planar(sampleFormat) != 0
        bytesPerSample = Int(av_get_bytes_per_sample(sampleFormat))
        primingFrames = Int(context.pointee.initial_padding)
        // No AAC packet is larger than this (ISO/IEC 14496-3, 4.5.3.3: 6144 bits per channel). The capacity is the
        // usual number of packets that wait for video and for the end of a fragment.
        packets = MediaDataPool(byteCount: 768 * output.channelCount, capacity: 192)
        var format = output
        format.layout = output.layout == nil && output.channelCount <= 2 ? nil : channels.stored
        format.framesPerPacket = frameSize
        if let extra = context.pointee.extradata {
            format.decoderConfiguration = Array(
                UnsafeBufferPointer(start: extra, count: Int(context.pointee.extradata_size)))
        }
        // libavcodec returns the entire `alac` atom; the file stores its payload after version and flags.
        if settings.codec == .alac {
            format.decoderConfiguration.removeFirst(min(12, format.decoderConfiguration.count))
        }
        self.format = format
    }

    deinit {
        context.free()
        frame.free()
        packet.free()
    }

    /// The sample format of the encoder. ALAC and FLAC store the bit depth from the settings. If the settings have no
    /// bit depth, these codecs store 16 bits for input of at most 16 bits, otherwise 24. AAC and Opus use floating
    /// point.
    private static func sampleFormat(
        of codec: UnsafePointer<AVCodec>, _ settings: AudioSettings, input: AudioFormat
    ) -> AVSampleFormat {
        if codec.pointee.id == AV_CODEC_ID_OPUS { return AV_SAMPLE_FMT_FLT }
        if codec.pointee.id == AV_CODEC_ID_ALAC || codec.pointee.id == AV_CODEC_ID_FLAC {
            let (short, long) =
                codec.pointee.id == AV_CODEC_ID_FLAC
                ? (AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S32) : (AV_SAMPLE_FMT_S16P, AV_SAMPLE_FMT_S32P)
            let inputDepth = input.pcm == .s8 || input.pcm == .s16 ? 16 : 24
            return settings.bitDepth ?? inputDepth == 16 ? short : long
        }
        return cffmpeg_first_sample_format(codec)
    }

    /// Returns Opus' channel mapping family (RFC 7845, 5.1.1); nil means libavcodec's default.
    private static func mappingFamily(_ channels: CodecChannels, _ channelCount: Int) -> Int64? {
        // Family 255 is for channels without loudspeakers, which are coded independently.
        if channelCount > 2, channels.named == nil { return 255 }
        // With its default, libavcodec 5.1 mixes up the last three of five channels. Family 1 avoids that. It is not
        // used for other layouts, because it filters their low-frequency channel.
        return channelCount == 5 ? 1 : nil
    }

    /// Allocates one piece of memory for all planes. With one piece for each plane, libavcodec would reference every
    /// piece for every frame.
    private static func makeBuffer(of frame: UnsafeMutablePointer<AVFrame>, channelCount: Int) -> Int32 {
        let (channels, frames) = (Int32(channelCount), frame.pointee.nb_samples)
        let format = AVSampleFormat(rawValue: frame.pointee.format)
        let size = av_samples_get_buffer_size(nil, channels, frames, format, 0)
        guard size >= 0 else { return size }
        guard let memory = av_buffer_alloc(Int(size)) else { return CFFMPEG_ERROR_ENOMEM }
        frame.pointee.buf.0 = memory
        return avcodec_fill_audio_frame(frame, channels, format, memory.pointee.data, size, 0)
    }

    package func setAnchor(_ time: MediaTime) { anchor = time.ticks(in: Int32(format.sampleRate)) }

    package func encode(_ pcm: UnsafeRawBufferPointer, output: (SampleBuffer) -> Void) throws(MediaError) {
        try converter.put(pcm)
        while try fill() { try sendFrame(output: output) }
    }

    package func finish(output: (SampleBuffer) -> Void) throws(MediaError) {
        converter.drain()
        while try fill() { try sendFrame(output: output) }
        if filled > 0 {
            frame.pointee.nb_samples = Int32(filled)
            try sendFrame(output: output)
        }
        let result = avcodec_send_frame(context, nil)
        guard result >= 0 else { throw MediaError(averror: result, .codecFailure, "cannot finish encoding audio") }
        try receivePackets(output: output)
    }

    /// Moves converted audio frames into the codec's frame. Returns true if the codec's frame is full.
    private func fill() throws(MediaError) -> Bool {
        if filled == 0 {
            frame.pointee.nb_samples = Int32(frameSize)
            let writable = av_frame_make_writable(frame)
            guard writable >= 0 else { throw MediaError(averror: writable, .codecFailure, "cannot encode audio") }
        }
        // The pointers refer to the first free audio frame of each plane.
        let stride = isPlanar ? bytesPerSample : bytesPerSample * format.channelCount
        let data = frame.pointee.extended_data!
        let planeCount = isPlanar ? format.channelCount : 1
        var came = 0
        var failure: MediaError?
        withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<UInt8>?.self, capacity: planeCount) { planes in
            planes.initialize(repeating: nil)
            for index in 0..<planeCount { planes[index] = data[index].map { $0 + filled * stride } }
            do throws(MediaError) {
                came = try converter.fetch(planes.baseAddress!, frames: frameSize - filled)
            } catch { failure = error }
        }
        if let failure { throw failure }
        filled += came
        return filled == frameSize
    }

    private func sendFrame(output: (SampleBuffer) -> Void) throws(MediaError) {
        frame.pointee.pts = anchor + framesEncoded
        framesEncoded += Int64(filled)
        filled = 0
        let result = avcodec_send_frame(context, frame)
        guard result >= 0 else { throw MediaError(averror: result, .codecFailure, "cannot encode audio") }
        try receivePackets(output: output)
    }

    private func receivePackets(output: (SampleBuffer) -> Void) throws(MediaError) {
        let scale = Int32(format.sampleRate)
        while true {
            let result = avcodec_receive_packet(context, packet)
            if result == CFFMPEG_ERROR_EAGAIN || result == CFFMPEG_ERROR_EOF { return }
            guard result >= 0 else { throw MediaError(averror: result, .codecFailure, "cannot encode audio") }
            // FLAC returns its configuration bytes again at the end, with an empty packet.
            guard packet.pointee.size > 0 else {
                av_packet_unref(packet)
                continue
            }
            let bytes = UnsafeRawBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size))
            output(
                SampleBuffer(
                    format: .audio(format), content: .data(packets.copy(bytes)),
                    presentationTime: MediaTime(value: packet.pointee.pts, timescale: scale),
                    duration: MediaTime(value: Int64(frameSize), timescale: scale), sampleCount: frameSize))
            av_packet_unref(packet)
        }
    }
}
