import CFFmpeg
package import MediaTypes

/// Decodes video with libavcodec, on several threads, into the requested pixel format.
///
/// Called by one thread at a time. Frames are returned in presentation order.
package final class VideoDecoder {
    private let decoder: DecoderContext
    private let memory = FrameMemory()
    private let importer = FrameImporter()
    private let converter: PixelConverter
    private let frame: UnsafeMutablePointer<AVFrame>
    private let wanted: PixelFormat?
    private let usefulBitDepth: Int?
    private let sharesMemory: Bool
    private let timeScale: Int32
    private let color: ColorDescription
    /// True if all frames are interlaced, whether they state it or not.
    private let hasFields: Bool
    private let delay: Int
    private let name: String
    private let metadataLog: FrameMetadataLog?
    /// Durations of the packets inside the decoder, keyed by presentation time.
    private var durations: [Int64: Int64] = [:]
    private var lastTime: Int64?
    private var lastDuration: Int64?
    /// True if the container has only decode times. libavcodec's times are then too late, by the duration of the frames
    /// that the decoder holds back.
    private var lacksTimes = false
    /// True if several frames are decoded at once. An error may then be reported a few packets late.
    package let decodesAhead: Bool
    /// The time of the frame that the last error was about, if the decoder returned that frame and marked it as
    /// damaged; otherwise nil.
    package private(set) var damagedTime: MediaTime?

    /// - Parameters:
    ///   - timeScale: the time scale of the frames' times.
    ///   - pixelFormat: the requested format; nil for the format nearest to the stored format.
    ///   - usefulBitDepth: the maximum bit depth to keep in frames that must be converted because no `PixelLayout`
    ///     describes them; nil means the stored bit depth. Ignored if a `pixelFormat` is requested.
    ///   - sharesMemory: true to lend the decoder's own frames if they are in the requested format.
    ///   - decodesAhead: true to decode several frames at once if the codec can. This is faster, but errors are
    ///     reported late.
    ///   - metadataLog: receives the metadata that decoded frames do not keep.
    ///   - isLenient: true to continue after violations of the codec's rules. A frame then counts as damaged only if
    ///     the decoder marks it.
    /// - Throws: `unsupported` for a codec that this build cannot decode.
    package init(
        format: VideoFormat, hints: DecoderHints, timeScale: Int32, pixelFormat: PixelFormat?,
        usefulBitDepth: Int? = nil,
        sharesMemory: Bool, threadCount: Int = 0, decodesAhead: Bool = true, isLenient: Bool = false,
        metadataLog: FrameMetadataLog? = nil
    ) throws(MediaError) {
        guard let frame = av_frame_alloc() else {
            throw MediaError(.codecFailure, "cannot decode \(format.codec)", reason: "out of memory")
        }
        self.frame = frame
        self.metadataLog = metadataLog
        self.timeScale = timeScale
        self.usefulBitDepth = usefulBitDepth
        self.sharesMemory = sharesMemory
        wanted = pixelFormat
        color = format.color
        delay = min(16, hints.videoDelay)
        let isAhead =
            decodesAhead && threadCount != 1 && Self.frameThreaded.contains(hints.codecName)
            && Double(format.width) * Double(format.height) <= Self.largestAhead
        self.decodesAhead = isAhead
        name = format.codec.rawValue
        converter = PixelConverter()
        hasFields = format.fieldOrder?.showsUpperFirst != nil
        do throws(MediaError) {
            decoder = try DecoderContext(
                codec: hints.codecName, decoderConfiguration: format.decoderConfiguration, timeScale: timeScale,
                memory: memory
            ) { context in
                context.pointee.width = Int32(clamping: format.width)
                context.pointee.height = Int32(clamping: format.height)
                if isLenient { context.pointee.err_recognition &= ~AV_EF_EXPLODE }
                context.pointee.codec_tag = hints.codecTag
                context.pointee.bits_per_coded_sample = Int32(clamping: hints.bitsPerCodedSample)
                // The value comes from the container's reader. A decoder that has to find it itself returns frames too
                // early.
                context.pointee.has_b_frames = Int32(clamping: min(16, max(0, hints.videoDelay)))
                context.pointee.thread_count = Int32(clamping: threadCount)
                context.pointee.thread_type = isAhead ? FF_THREAD_FRAME | FF_THREAD_SLICE : FF_THREAD_SLICE
            }
        } catch {
            frame.free()
            throw error
        }
    }

    /// Codecs that may decode several frames at once, on threads of libavcodec. The codecs of the MPEG-4 part 2 family
    /// must not. When they are configured to fail on damage, their decoders return an error together with a frame, and
    /// libavcodec 5.1 then aborts the process (decode.c, `av_assert0(frame->buf[0])`).
    private static let frameThreaded: Set<String> = ["h264", "hevc", "vp8", "vp9", "prores"]

    /// The maximum frame size in pixels for decoding ahead. Each larger frame needs a hundred megabytes or more.
    private static let largestAhead = 4096.0 * 4096

    deinit { frame.free() }

    /// The number of frame allocations from the system. It stays constant once the decoder runs.
    package var allocationCount: Int { memory.allocationCount + importer.allocationCount + converter.allocationCount }

    /// - Throws: `corruptData` for damage, `unsupported` for a pixel format that cannot be converted.
    package func decode(_ coded: CodedSample, output: (SampleBuffer) -> Void) throws(MediaError) {
        if coded.hasPresentationTime, let duration = coded.sample.duration {
            if durations.count > 512 { durations = [:] }
            durations[coded.sample.presentationTime.ticks(in: timeScale)] = duration.ticks(in: timeScale)
        }
        if !coded.hasPresentationTime { lacksTimes = true }
        damagedTime = nil
        try run(coded, output)
    }

    /// Outputs the frames that the decoder still contains. Call `flush` before the next packet.
    package func finish(output: (SampleBuffer) -> Void) throws(MediaError) {
        damagedTime = nil
        try run(nil, output)
    }

    /// Discards all input, as after a seek.
    package func flush() {
        decoder.flush()
        durations = [:]
        (lastTime, lastDuration) = (nil, nil)
    }

    private func run(_ coded: CodedSample?, _ output: (SampleBuffer) -> Void) throws(MediaError) {
        let fallback = coded?.sample.duration?.ticks(in: timeScale)
        try decoder.decode(coded, frame: frame) { () throws(MediaError) in
            output(try decodedFrame(fallbackDuration: fallback))
        }
    }

    private func decodedFrame(fallbackDuration: Int64?) throws(MediaError) -> SampleBuffer {
        defer { av_frame_unref(frame) }
        var ticks = frame.pointee.best_effort_timestamp
        let duration = durations.removeValue(forKey: ticks) ?? fallbackDuration ?? lastDuration
        lastDuration = duration
        if ticks == CFFMPEG_NOPTS_VALUE {
            // An elementary stream has no times at all, so each frame begins where the previous one ends.
            ticks = lastTime.map { $0 &+ (duration ?? 1) } ?? 0
        } else if lacksTimes {
            ticks = ticks &- Int64(delay) &* (duration ?? 0)
        }
        // In containers without presentation times, the time that libavcodec guesses may be earlier than the previous
        // one.
        if let lastTime, ticks <= lastTime { ticks = lastTime &+ max(1, duration ?? 1) }
        lastTime = ticks
        let time = MediaTime(value: ticks, timescale: timeScale)
        if frame.pointee.decode_error_flags != 0 || frame.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0 {
            damagedTime = time
            throw MediaError(
                .corruptData, "cannot decode \(name) at \(time.words)", reason: "the frame is damaged")
        }
        metadataLog?.add(FrameMetadata(frame))
        return SampleBuffer(
            pixels: try pixels(), presentationTime: time,
            duration: duration.map { MediaTime(value: $0, timescale: timeScale) })
    }

    private func pixels() throws(MediaError) -> PixelBuffer {
        var color = DecodedPicture.color(frame.pointee)
        // The container's color tags replace those that the codec leaves unspecified.
        if color.primaries == 2 { color.primaries = self.color.primaries }
        if color.transfer == 2 { color.transfer = self.color.transfer }
        if color.matrix == 2 { color.matrix = self.color.matrix }
        if frame.pointee.color_range == AVCOL_RANGE_UNSPECIFIED, self.color.isFullRange { color.isFullRange = true }
        let isInterlaced = hasFields || cffmpeg_has_fields(frame) != 0
        (converter.isInterlaced, importer.isInterlaced) = (isInterlaced, isInterlaced)
        if let lent = DecodedPicture.lend(frame, color: color, wanted: wanted) {
            guard let wanted, wanted != lent.format else { return sharesMemory ? lent : converter.copy(lent) }
            return try converter.convert(lent, to: wanted)
        }
        let imported = try importer.decodedFrame(
            frame.pointee, color: color, wanted: wanted, usefulBitDepth: usefulBitDepth)
        guard let wanted, wanted != imported.format else { return imported }
        return try converter.convert(imported, to: wanted)
    }
}
