import CLinux
import CX264
import FileSystem
import Glibc
package import MediaTypes

/// Encodes pictures to H.264 with libx264, called directly.
///
/// One thread at a time calls it; x264 runs threads of its own beneath. `encode` takes as long as encoding a picture
/// does, and returns packets of earlier pictures: x264 holds some back to look ahead.
///
/// In the first of two passes the packets are worth nothing and the caller drops them; the statistics are whole when
/// `finish` has returned. The second pass takes the same pictures with the same times and settings.
package final class H264Encoder {
    /// What the packets are, with the decoder configuration.
    package let format: VideoFormat
    /// Of every packet.
    private let description: FormatDescription
    /// Ticks per second of all times in the packets.
    package let timeScale: Int32
    /// Bits of a sample, 8 or 10: what `encode` takes.
    package let bitDepth: Int
    /// Pictures that x264 may hold back at most.
    package let maximumDelayedFrames: Int
    /// Threads that encode pictures; 0 where the choice was left to x264.
    package let threadCount: Int
    /// The steps that there are below what was asked for, that one being the first.
    package let efforts: [EncoderEffort]
    /// What x264 works with when nothing is eased.
    private let opened: x264_param_t
    private let pass: EncodingPass
    private let nominalDuration: MediaTime
    private let complaint: UnsafeMutablePointer<cx264_complaint>?
    /// nil once it is finished.
    private var encoder: OpaquePointer?
    private var lastTime: Int64 = .min
    private let packets: MediaDataPool

    /// The longest that a live encoder holds pictures back, in seconds; with a fragment and its sync it is what a crash can
    /// cost (docs/decisions/file.md).
    static let liveDelay = 0.45

    /// - Parameters:
    ///   - settings: `width` and `height` must be set.
    ///   - color: what the pictures' numbers mean.
    ///   - isRealTime: bounds how many pictures are held back, by their expected frame rate.
    ///   - pass: first and second take a bit rate, and the same statistics file (`PassStatistics`).
    ///   - threads: `few` is for real time.
    ///   - effort: what it begins with.
    /// - Throws: `invalidSettings` for what x264 refuses, with its words.
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
        // A bit for every eight pixels: at usual bit rates few packets but key frames are larger. As many as wait for a
        // fragment.
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

    /// Pictures that x264 holds back now.
    package var delayedFrames: Int { encoder.map { Int(x264_encoder_delayed_frames($0)) } ?? 0 }

    /// Encodes one picture: NV12 or I420 at eight bits, I010 at ten, with no value above 1023 (`EncoderPictureInput`).
    /// Its memory is free again when the call returns.
    ///
    /// - Parameter isKeyFrame: decoding can begin with it, wherever the next key frame were due.
    /// - Throws: `invalidSample` for a time that does not rise or another layout; `codecFailure` from x264.
    package func encode(
        _ pixels: PixelBuffer, at time: MediaTime, asKeyFrame isKeyFrame: Bool = false, output: (SampleBuffer) -> Void
    ) throws(MediaError) {
        guard let encoder else {
            throw MediaError(.invalidState, "cannot encode a picture", reason: "the encoder is finished")
        }
        let ticks = time.ticks(in: timeScale)
        guard ticks > lastTime else {
            throw MediaError(.invalidSample, "cannot encode a picture at \(time)", reason: "its time does not rise")
        }
        guard pixels.width == format.width, pixels.height == format.height else {
            throw MediaError(
                .invalidSample, "cannot encode a picture of \(pixels.width)×\(pixels.height)",
                reason: "the track is \(format.width)×\(format.height)")
        }
        var picture = x264_picture_t()
        x264_picture_init(&picture)
        picture.i_pts = ticks
        if isKeyFrame { picture.i_type = X264_TYPE_IDR }
        try describe(pixels, &picture.img)
        lastTime = ticks
        try step(encoder, &picture, output: output)
    }

    /// Works with more or less effort from the next picture on. To one without look-ahead, or back from it, another encoder is
    /// needed; this one goes as far as it can.
    ///
    /// - Returns: false when x264 refuses, and goes on as before.
    @discardableResult
    package func ease(to effort: EncoderEffort) -> Bool {
        guard let encoder else { return false }
        var parameters = opened
        effort.ease(&parameters)
        return x264_encoder_reconfig(encoder, &parameters) == 0
    }

    /// Gives out every picture still held, and ends the encoder.
    package func finish(output: (SampleBuffer) -> Void) throws(MediaError) {
        guard let encoder else { return }
        while x264_encoder_delayed_frames(encoder) > 0 { try step(encoder, nil, output: output) }
        self.encoder = nil
        // Only closing gives the statistics their final names, and x264 does not say when it cannot.
        x264_encoder_close(encoder)
        if case .first(let path) = pass, access(path, R_OK) != 0 {
            throw MediaError(errno: errno, "cannot keep the statistics of the first pass in \(path)")
        }
    }

    /// Tells x264 where the planes are; nothing is copied.
    private func describe(_ pixels: PixelBuffer, _ image: inout x264_image_t) throws(MediaError) {
        switch (pixels.format, bitDepth) {
        case (.nv12, 8): image.i_csp = Int32(X264_CSP_NV12)
        case (.i420, 8): image.i_csp = Int32(X264_CSP_I420)
        case (.i010, 10): image.i_csp = Int32(X264_CSP_I420 | X264_CSP_HIGH_DEPTH)
        default:
            throw MediaError(
                .invalidSample, "cannot encode a \(pixels.format.rawValue) picture",
                reason: "at \(bitDepth) bits x264 takes \(bitDepth == 8 ? "nv12 and i420" : "i010")")
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
        _ encoder: OpaquePointer, _ picture: UnsafeMutablePointer<x264_picture_t>?, output: (SampleBuffer) -> Void
    ) throws(MediaError) {
        var units: UnsafeMutablePointer<x264_nal_t>?
        var unitCount: Int32 = 0
        var encoded = x264_picture_t()
        let size = x264_encoder_encode(encoder, &units, &unitCount, picture, &encoded)
        guard size >= 0 else {
            throw MediaError(
                .codecFailure, "cannot encode a picture", reason: Self.words(of: complaint),
                underlying: .other("x264", size))
        }
        guard size > 0, let units else { return }
        // The payloads of one picture's NAL units follow each other in memory (x264.h).
        let data = packets.copy(UnsafeRawBufferPointer(start: units[0].p_payload, count: Int(size)))
        output(
            SampleBuffer(
                format: description, content: .data(data),
                presentationTime: MediaTime(value: encoded.i_pts, timescale: timeScale),
                decodeTime: MediaTime(value: encoded.i_dts, timescale: timeScale), duration: nominalDuration,
                isKeyFrame: encoded.b_keyframe != 0))
    }

    /// x264's threads take the name of the one that opens it; so `top -H` shows whose they are.
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

    /// It says what it does not like. Without a word it had no memory: it says that to the terminal alone.
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
            reason: "there is not enough memory for its pictures of \(size)",
            wayOut: "give it more: a machine, a container or `ulimit` bounds it")
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
            // Each unit stands behind its length in four bytes.
            configuration.take(UnsafeRawBufferPointer(start: unit.p_payload + 4, count: Int(unit.i_payload) - 4))
        }
        return configuration.bytes
    }
}
