import CFFmpeg
package import MediaTypes

/// Decodes audio with libavcodec into linear PCM of the requested form. The result is trimmed exactly to the audio
/// frame.
///
/// Called by one thread at a time.
package final class AudioDecoder {
    /// The output format.
    package let format: AudioFormat
    /// The range to which the output is limited: from the first audio frame at or after the start to the last audio
    /// frame before the end.
    package var range = TimeRange(start: .zero, end: .positiveInfinity)

    private let decoder: DecoderContext
    private let frame: UnsafeMutablePointer<AVFrame>
    private let unpacker: FrameUnpacker
    private let form: PackedPCM
    /// The resampler's input format. The resampler is nil if the rate does not change.
    private let inner: AudioFormat
    private var resampler: AudioConverter?
    private var position: AudioPosition
    private var outPosition: Int64?
    /// The sum of the small steps of the input's position, during which resampling continues.
    private var stepped: Int64 = 0
    private var framesToSkip = 0
    private var framesToDrop: [Int64: Int] = [:]
    private let isVorbis: Bool
    private let timeScale: Int32
    private var pool: MediaDataPool?
    private let scratch = ScratchMemory()
    /// Splits packets with several frames; nil for codecs whose decoder accepts such packets.
    private let frames: AMRFrames?

    /// - Parameter timeScale: the time scale of the input's times.
    /// - Throws: `unsupported` for a codec that this build cannot decode, `invalidSettings` for an unsupported output
    ///   form.
    package init(
        format source: AudioFormat, hints: DecoderHints, timeScale: Int32, output: PCMOutput
    ) throws(MediaError) {
        format = output.format(for: source)
        guard (1...768_000).contains(format.sampleRate), (1...64).contains(format.channelCount) else {
            throw MediaError(
                .invalidSettings,
                "cannot decode \(source.codec) to \(format.channelCount) channels at "
                    + "\(format.sampleRate) Hz", reason: "the limits are 1 to 64 channels and 768,000 Hz")
        }
        form = PackedPCM(output.pcm, isBigEndian: output.isBigEndian)
        self.timeScale = timeScale
        isVorbis = hints.codecName == "vorbis"
        frames = AMRFrames.of(codec: hints.codecName)
        position = AudioPosition(
            sampleRate: source.sampleRate, timeScale: timeScale, framesPerPacket: source.framesPerPacket,
            initialPadding: hints.initialPadding)
        var inner = format
        inner.sampleRate = source.sampleRate
        if format.sampleRate != source.sampleRate { (inner.pcm, inner.isBigEndian) = (.float32, false) }
        self.inner = inner
        unpacker = FrameUnpacker(
            source: source, target: inner, sampleRate: source.sampleRate,
            sampleFormat: format.sampleRate == source.sampleRate ? form.libavFormat : AV_SAMPLE_FMT_FLT)
        guard let frame = av_frame_alloc() else {
            throw MediaError(.codecFailure, "cannot decode \(source.codec)", reason: "out of memory")
        }
        self.frame = frame
        do throws(MediaError) {
            decoder = try DecoderContext(
                codec: hints.codecName, decoderConfiguration: Self.setUp(source), timeScale: timeScale
            ) { context in
                context.pointee.sample_rate = Int32(clamping: source.sampleRate)
                av_channel_layout_uninit(&context.pointee.ch_layout)
                context.pointee.ch_layout = source.libavLayout
                context.pointee.codec_tag = hints.codecTag
                context.pointee.block_align = Int32(clamping: hints.blockAlign)
                context.pointee.bits_per_coded_sample = Int32(clamping: hints.bitsPerCodedSample)
                context.pointee.bit_rate = hints.bitRate
                // This class trims the audio itself, exactly to the audio frame, and in the same way for every
                // container.
                context.pointee.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL
            }
        } catch {
            frame.free()
            throw error
        }
    }

    deinit { frame.free() }

    /// Returns the configuration for libavcodec. libavcodec's ALAC decoder needs the entire `alac` atom, but
    /// `decoderConfiguration` is only the part after version and flags.
    private static func setUp(_ format: AudioFormat) -> [UInt8] {
        guard format.codec == .alac, format.decoderConfiguration.count == 24 else { return format.decoderConfiguration }
        return [0, 0, 0, 36] + Array("alac".utf8) + [0, 0, 0, 0] + format.decoderConfiguration
    }

    /// - Throws: `corruptData` if the packet is damaged.
    package func decode(_ coded: CodedSample, output: (SampleBuffer) -> Void) throws(MediaError) {
        if coded.skippedFrames > 0 { framesToSkip = coded.skippedFrames }
        if coded.droppedFrames > 0 {
            framesToDrop[coded.sample.presentationTime.ticks(in: timeScale)] = coded.droppedFrames
        }
        guard let frames else { return try run(coded, output) }
        for frame in frames.split(coded) { try run(frame, output) }
    }

    /// Outputs the audio that the decoder and the resampler still contain. Call `flush` before the next packet.
    package func finish(output: (SampleBuffer) -> Void) throws(MediaError) {
        try run(nil, output)
        try endResampling(output)
    }

    /// Discards all input, as after a seek.
    package func flush() {
        decoder.flush()
        position.reset()
        (resampler, outPosition, stepped, framesToSkip, framesToDrop) = (nil, nil, 0, 0, [:])
    }

    private func run(_ coded: CodedSample?, _ output: (SampleBuffer) -> Void) throws(MediaError) {
        let isDiscarded = coded?.isDiscarded ?? false
        try decoder.decode(coded, frame: frame) { () throws(MediaError) in
            defer { av_frame_unref(frame) }
            try take(isDiscarded: isDiscarded, output)
        }
    }

    private func take(isDiscarded: Bool, _ output: (SampleBuffer) -> Void) throws(MediaError) {
        let ticks = frame.pointee.best_effort_timestamp
        position.meet(ticks == CFFMPEG_NOPTS_VALUE ? nil : MediaTime(value: ticks, timescale: timeScale))
        let samples = try unpacker.unpack(frame)
        let count = samples.count / max(1, unpacker.bytesPerFrame)
        var kept = 0..<count
        let skipped = min(count, framesToSkip)
        if skipped > 0 {
            kept = skipped..<count
            framesToSkip -= skipped
            if framesToSkip == 0, !kept.isEmpty {
                position.advance(skipped)
                position.settle()
                position.advance(-skipped)
            }
        }
        kept = max(kept.lowerBound, min(count, unusableFrames()))..<kept.upperBound
        if let dropped = framesToDrop.removeValue(forKey: ticks) {
            kept = kept.lowerBound..<max(kept.lowerBound, kept.upperBound - dropped)
        }
        defer { position.advance(count) }
        guard !isDiscarded, let start = position.next else { return }
        // The range in audio frames: an audio frame is in the range if its time is.
        let first = range.start.isNumeric ? range.start.ticks(in: position.sampleRate, rounding: .up) : 0
        let last = range.end.isNumeric ? range.end.ticks(in: position.sampleRate, rounding: .up) : .max
        let lower = max(Int64(kept.lowerBound), first.subtractingReportingOverflow(start).partialValue)
        let upper = min(
            Int64(kept.upperBound), last == .max ? .max : last.subtractingReportingOverflow(start).partialValue)
        guard lower < upper else { return }
        let bytes = UnsafeRawBufferPointer(
            rebasing: samples[(Int(lower) * unpacker.bytesPerFrame)..<(Int(upper) * unpacker.bytesPerFrame)])
        try emit(bytes, at: start + lower, output)
    }

    /// Returns the number of audio frames that the decoder marks as unusable, at the start of its output.
    ///
    /// The first block of Vorbis overlaps with no other block and contains no audio (Vorbis I, 4.3.8). For this block,
    /// libavcodec 5.1 returns no frame, and libavcodec 7.1 returns a marked frame. The marks of other codecs are
    /// ignored, because they repeat information of the packet or the format.
    private func unusableFrames() -> Int {
        guard isVorbis, let mark = av_frame_get_side_data(frame, AV_FRAME_DATA_SKIP_SAMPLES),
            mark.pointee.size >= 4, let data = mark.pointee.data
        else { return 0 }
        return Int(UInt32(littleEndian: UnsafeRawPointer(data).loadUnaligned(as: UInt32.self)))
    }

    private func emit(
        _ samples: UnsafeRawBufferPointer, at place: Int64, _ output: (SampleBuffer) -> Void
    ) throws(MediaError) {
        guard inner.sampleRate != format.sampleRate else { return pack(samples, at: place, output) }
        let expected = MediaTime(value: place, timescale: Int32(clamping: inner.sampleRate))
            .ticks(in: Int32(clamping: format.sampleRate))
        // A gap in the audio remains a gap in the result. The resampler continues after a small step of the times, such
        // as the drift of a clock, because its filter would be audible at a seam.
        if resampler != nil, let inEnd, inEnd != place {
            let step = place.subtractingReportingOverflow(inEnd).partialValue
            if step.magnitude <= UInt64(max(0, inner.sampleRate) / 200) {
                stepped &+= step
            } else {
                try endResampling(output)
            }
        }
        if resampler == nil {
            resampler = try AudioConverter(
                input: inner, output: format, sampleFormat: form.libavFormat)
            outPosition = expected
        }
        try resampler?.put(samples)
        inEnd = place + Int64(samples.count / unpacker.bytesPerFrame)
        try fetch(output)
    }

    /// The position after the last audio frame that was passed to the resampler; nil if there is no resampler.
    private var inEnd: Int64?

    private func endResampling(_ output: (SampleBuffer) -> Void) throws(MediaError) {
        resampler?.drain()
        try fetch(output)
        (resampler, outPosition, inEnd, stepped) = (nil, nil, nil, 0)
    }

    private func fetch(_ output: (SampleBuffer) -> Void) throws(MediaError) {
        guard let resampler else { return }
        let frameBytes = form.unpackedByteCount * format.channelCount
        let piece = scratch.bytes(4096 * frameBytes)
        while true {
            var plane = piece.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let count = try resampler.fetch(&plane, frames: 4096)
            guard count > 0 else { return }
            let moved = MediaTime(value: stepped, timescale: Int32(clamping: inner.sampleRate))
                .ticks(in: Int32(clamping: format.sampleRate))
            pack(
                UnsafeRawBufferPointer(rebasing: piece[..<(count * frameBytes)]), at: (outPosition ?? 0) &+ moved,
                output)
            outPosition = (outPosition ?? 0) + Int64(count)
        }
    }

    private func pack(_ samples: UnsafeRawBufferPointer, at place: Int64, _ output: (SampleBuffer) -> Void) {
        let count = samples.count / form.unpackedByteCount * form.format.byteCount
        if pool.map({ $0.byteCount < count }) ?? true { pool = MediaDataPool(byteCount: max(count, 16 << 10)) }
        let data = pool?.makeData { target in
            form.pack(samples, into: UnsafeMutableRawBufferPointer(rebasing: target[..<count]))
            return count
        }
        guard let data else { return }
        output(
            SampleBuffer(
                pcm: data, format: format,
                presentationTime: MediaTime(value: place, timescale: Int32(clamping: format.sampleRate))))
    }
}

/// The requested form of decoded audio, as linear PCM. If a property is nil, the output has the source's value.
package struct PCMOutput: Sendable, Hashable {
    package var pcm: PCMSampleFormat
    package var isBigEndian: Bool
    package var sampleRate: Int?
    package var channelCount: Int?
    package var layout: ChannelLayout?

    package init(
        pcm: PCMSampleFormat, isBigEndian: Bool = false, sampleRate: Int? = nil, channelCount: Int? = nil,
        layout: ChannelLayout? = nil
    ) {
        self.pcm = pcm
        self.isBigEndian = isBigEndian
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.layout = layout
    }

    /// Returns the output format for audio of a source format.
    package func format(for source: AudioFormat) -> AudioFormat {
        let channels = channelCount ?? layout?.channelCount ?? source.channelCount
        return AudioFormat(
            pcm: pcm, sampleRate: sampleRate ?? source.sampleRate, channelCount: channels,
            layout: layout ?? (channels == source.channelCount ? source.layout : nil), isBigEndian: isBigEndian)
    }
}
