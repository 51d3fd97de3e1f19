import CLinux
import CX264
import FileSystem
import Glibc
package import MediaTypes

/// Encodes frames to H.264 by calling libx264 directly.
///
/// Called by one thread at a time; x264 uses its own threads internally. `encode` blocks while a frame is encoded. It
/// outputs packets of earlier frames, because x264 holds some frames back for its look-ahead.
///
/// In the first of two passes, the packets are useless, and the caller drops them. The statistics are complete when
/// `finish` has returned. The second pass needs the same frames with the same times and settings.
package final class H264Encoder {
    /// The format of the packets, with the decoder configuration.
    package let format: VideoFormat
    /// The format description of every packet.
    private let description: FormatDescription
    /// Ticks per second of all times in the packets.
    package let timeScale: Int32
    /// The number of bits per sample in the frames that `encode` accepts: 8 or 10.
    package let bitDepth: Int
    /// The maximum number of frames that x264 may hold back.
    package let maximumDelayedFrames: Int
    /// The number of encoding threads; 0 if x264 chooses it.
    package let threadCount: Int
    /// The effort steps of this encoder, starting with the requested one.
    package let efforts: [EncoderEffort]
    /// x264's parameters at full effort.
    private let opened: x264_param_t
    private let pass: EncodingPass
    private let nominalDuration: MediaTime
    private let complaint: UnsafeMutablePointer<cx264_complaint>?
    /// The encoder; nil after it is finished.
    private var encoder: OpaquePointer?
    private var lastTime: Int64 = .min
    private let packets: MediaDataPool

    /// The maximum time that a live encoder holds frames back, in seconds. A crash loses at most this time plus the
    /// duration of a fragment and of its sync (docs/design/decisions/file.md).
    static let liveDelay = 0.45

    /// - Parameters:
    ///   - settings: the encoder's settings; `width` and `height` must be set.
    ///   - color: the color tags of the frames.
    ///   - isRealTime: true to limit the number of frames that are held back, according to the expected frame rate.
    ///   - pass: the pass. The first and the second pass need a bit rate, and the same statistics file
    ///     (`PassStatistics`).
    ///   - threads: the choice of threads; `few` is for real time.
    ///   - effort: the initial effort.
    /// - Throws: `invalidSettings` with x264's message if x264 refuses the settings; `codecFailure` if there is not
    ///   enough memory.
    package init(
        settings: VideoSettings, color: ColorDescription, timeScale: Int32, isRealTime: Bool,
        pass: EncodingPass = .single, threads: EncoderThreads = .usual, effort: EncoderEffort = .full
    ) throws(MediaError) {
        var parameters = try Self.parameters(
            settings, color: color, timeScale: timeScale, isRealTime: isRealTime, pass: pass, threads: threads)
        efforts = EncoderEffort.steps(parameters)
        effort.lighten(&parameters)
        let complaint = cx264_complaint_new()
        let statistics: String? =
            switch pass {
            case .single: nil
            case .first(let path), .second(let path): path
            }
        guard let encoder = Self.open(&parameters, statistics, complaint) else {
            defer { free(complaint) }
            throw Self.refusal(complaint, parameters, preset: settings.preset)
        }
        self.complaint = complaint
        self.encoder = encoder
        var opened = x264_param_t()
        x264_encoder_parameters(encoder, &opened)
        self.opened = opened
        self.timeScale = timeScale
        self.pass = pass
        // A piece has one bit per eight pixels. At usual bit rates, few packets except keyframes are larger. The
        // capacity is the usual number of packets that wait for the end of a fragment.
        packets = MediaDataPool(
            byteCount: max(4096, Int(parameters.i_width) * Int(parameters.i_height) / 64), capacity: 64)
        bitDepth = Int(parameters.i_bitdepth)
        threadCount = Int(parameters.i_threads)
        maximumDelayedFrames = Int(x264_encoder_maximum_delayed_frames(encoder))
        let rate = settings.expectedFrameRate ?? 30
        nominalDuration = MediaTime(seconds: 1 / max(rate, 0.001), timescale: timeScale)
        var format = VideoFormat(
            codec: .h264, width: Int(parameters.i_width), height: Int(parameters.i_height), color: color,
            pixelAspectRatio: settings.pixelAspectRatio, cleanAperture: settings.cleanAperture)
        format.decoderConfiguration = Self.configuration(of: encoder)
        format.masteringDisplay = settings.masteringDisplay
        format.contentLight = settings.contentLight
        format.chromaPosition = settings.chromaPosition
        if parameters.b_interlaced != 0 { format.fieldOrder = parameters.b_tff != 0 ? .upperFirst : .lowerFirst }
        self.format = format
        description = .video(format)
        if effort > .full { ease(to: effort) }
    }

    deinit {
        if let encoder { x264_encoder_close(encoder) }
        free(complaint)
    }

    /// The number of frames that x264 holds back now.
    package var delayedFrames: Int { encoder.map { Int(x264_encoder_delayed_frames($0)) } ?? 0 }

    /// Encodes one frame. The frame must be NV12 or I420 at eight bits, or I010 at ten bits without a value above 1023
    /// (`EncoderFrameInput`). The frame's memory may be reused when the call returns.
    ///
    /// - Parameter isKeyframe: true to force a keyframe, even if none is due.
    /// - Throws: `invalidSample` for a time that does not increase, another size or another layout; `codecFailure` if
    ///   x264 fails.
    package func encode(
        _ pixels: PixelBuffer, at time: MediaTime, asKeyframe isKeyframe: Bool = false, output: (SampleBuffer) -> Void
    ) throws(MediaError) {
        guard let encoder else {
            throw MediaError(.invalidState, "cannot encode a frame", reason: "the encoder is finished")
        }
        let ticks = time.ticks(in: timeScale)
        guard ticks > lastTime else {
            throw MediaError(.invalidSample, "cannot encode a frame at \(time)", reason: "timestamps must increase")
        }
        guard pixels.width == format.width, pixels.height == format.height else {
            throw MediaError(
                .invalidSample, "cannot encode a frame of \(pixels.width)×\(pixels.height)",
                reason: "the track is \(format.width)×\(format.height)")
        }
        var frame = x264_picture_t()
        x264_picture_init(&frame)
        frame.i_pts = ticks
        if isKeyframe { frame.i_type = X264_TYPE_IDR }
        try describe(pixels, &frame.img)
        lastTime = ticks
        try step(encoder, &frame, output: output)
    }

    /// Changes the effort from the next frame on. Steps without look-ahead need another encoder, and the return from
    /// these steps does too. For such a change, this encoder changes only the parameters that x264 can apply while it
    /// runs.
    ///
    /// - Returns: false if x264 refuses the change and continues unchanged.
    @discardableResult
    package func ease(to effort: EncoderEffort) -> Bool {
        guard let encoder else { return false }
        var parameters = opened
        effort.ease(&parameters)
        return x264_encoder_reconfig(encoder, &parameters) == 0
    }

    /// Outputs all remaining frames, and ends the encoder.
    package func finish(output: (SampleBuffer) -> Void) throws(MediaError) {
        guard let encoder else { return }
        while x264_encoder_delayed_frames(encoder) > 0 { try step(encoder, nil, output: output) }
        self.encoder = nil
        // The statistics get their final names only when x264 is closed, and x264 does not report a failure. So the
        // file is checked.
        x264_encoder_close(encoder)
        if case .first(let path) = pass, access(path, R_OK) != 0 {
            throw MediaError(errno: errno, "cannot store the statistics of the first pass in \(path)")
        }
    }

    /// Passes the addresses of the planes to x264; nothing is copied.
    private func describe(_ pixels: PixelBuffer, _ image: inout x264_image_t) throws(MediaError) {
        switch (pixels.format, bitDepth) {
        case (.nv12, 8): image.i_csp = Int32(X264_CSP_NV12)
        case (.i420, 8): image.i_csp = Int32(X264_CSP_I420)
        case (.i010, 10): image.i_csp = Int32(X264_CSP_I420 | X264_CSP_HIGH_DEPTH)
        default:
            throw MediaError(
                .invalidSample, "cannot encode a \(pixels.format.rawValue) frame",
                reason: "at \(bitDepth) bits, x264 accepts \(bitDepth == 8 ? "nv12 and i420" : "i010")")
        }
        func plane(_ index: Int) -> UnsafeMutablePointer<UInt8>? {
            UnsafeMutablePointer(mutating: pixels.plane(index).bindMemory(to: UInt8.self).baseAddress)
        }
        let planes = pixels.layout.planes
        func row(_ index: Int) -> Int32 { Int32(planes[index].bytesPerRow) }
        if planes.count == 2 {
            image.i_plane = 2
            image.plane = (plane(0), plane(1), nil, nil)
            image.i_stride = (row(0), row(1), 0, 0)
        } else {
            image.i_plane = 3
            image.plane = (plane(0), plane(1), plane(2), nil)
            image.i_stride = (row(0), row(1), row(2), 0)
        }
    }

    private func step(
        _ encoder: OpaquePointer, _ frame: UnsafeMutablePointer<x264_picture_t>?, output: (SampleBuffer) -> Void
    ) throws(MediaError) {
        var units: UnsafeMutablePointer<x264_nal_t>?
        var unitCount: Int32 = 0
        var encoded = x264_picture_t()
        let size = x264_encoder_encode(encoder, &units, &unitCount, frame, &encoded)
        guard size >= 0 else {
            throw MediaError(
                .codecFailure, "cannot encode a frame", reason: Self.words(of: complaint),
                underlying: .other("x264", size))
        }
        guard size > 0, let units else { return }
        // The payloads of one frame's NAL units are contiguous in memory (x264.h).
        let data = packets.copy(UnsafeRawBufferPointer(start: units[0].p_payload, count: Int(size)))
        output(
            SampleBuffer(
                format: description, content: .data(data),
                presentationTime: MediaTime(value: encoded.i_pts, timescale: timeScale),
                decodeTime: MediaTime(value: encoded.i_dts, timescale: timeScale), duration: nominalDuration,
                isKeyframe: encoded.b_keyframe != 0))
    }

    /// Opens the encoder. x264's threads inherit the name of the opening thread, so this thread is named "x264" for
    /// that time. `top -H` then shows which threads belong to x264.
    private static func open(
        _ parameters: inout x264_param_t, _ statistics: String?, _ complaint: UnsafeMutablePointer<cx264_complaint>?
    ) -> OpaquePointer? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { name in
            clinux_get_thread_name(name.baseAddress)
            clinux_set_thread_name("x264")
            defer { clinux_set_thread_name(name.baseAddress) }
            return cx264_encoder_open(&parameters, statistics, complaint)
        }
    }

    /// Creates the error for a refusal from x264's message. If there is no message, there was not enough memory,
    /// because x264 reports a lack of memory only to the terminal.
    private static func refusal(
        _ complaint: UnsafeMutablePointer<cx264_complaint>?, _ parameters: x264_param_t, preset: String
    ) -> MediaError {
        let size = "\(parameters.i_width)×\(parameters.i_height)"
        guard cx264_complaint_text(complaint) == nil else {
            return MediaError(
                .invalidSettings, "cannot open the H.264 encoder",
                reason: "x264 refuses \(size) with preset \(preset): \(words(of: complaint))")
        }
        return MediaError(
            .codecFailure, "cannot open the H.264 encoder",
            reason: "not enough memory for its frames of \(size)",
            wayOut: "raise the memory limit of the machine, the container or `ulimit`")
    }

    private static func words(of complaint: UnsafeMutablePointer<cx264_complaint>?) -> String {
        cx264_complaint_text(complaint).map { String(cString: $0) } ?? "x264 failed"
    }

    private static func configuration(of encoder: OpaquePointer) -> [UInt8] {
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        guard x264_encoder_headers(encoder, &units, &count) > 0, let units else { return [] }
        var configuration = AVCConfiguration()
        for unit in UnsafeBufferPointer(start: units, count: Int(count)) {
            // Each unit follows its length in four bytes.
            configuration.take(UnsafeRawBufferPointer(start: unit.p_payload + 4, count: Int(unit.i_payload) - 4))
        }
        return configuration.bytes
    }
}
