import CX264
package import MediaTypes

/// Encodes pictures to H.264 with libx264, called directly.
///
/// One thread at a time calls it; x264 runs threads of its own beneath. `encode` takes as long as encoding a picture
/// does, and returns packets of earlier pictures: x264 holds some back to look ahead.
package final class H264Encoder {
    /// What the packets are, with the decoder configuration.
    package let format: VideoFormat
    /// Ticks per second of all times in the packets.
    package let timeScale: Int32
    private let encoder: OpaquePointer
    private let nominalDuration: MediaTime
    private var lastTime: Int64 = .min

    /// The longest that a live encoder holds pictures back, in seconds: with a fragment of one second and its sync,
    /// what a crash can cost stays below 1.5 s.
    static let liveDelay = 0.45

    /// - Parameters:
    ///   - settings: `width` and `height` must be set.
    ///   - color: what the pictures' numbers mean.
    ///   - isRealTime: bounds how many pictures are held back, by their expected frame rate.
    /// - Throws: `invalidSettings` for what x264 refuses.
    package init(
        settings: VideoSettings, color: ColorDescription, timeScale: Int32, isRealTime: Bool
    ) throws(MediaError) {
        var parameters = try Self.parameters(settings, color: color, timeScale: timeScale, isRealTime: isRealTime)
        guard let encoder = cx264_encoder_open(&parameters) else {
            throw MediaError(
                .invalidSettings, "cannot open the H.264 encoder",
                reason: "x264 refuses \(parameters.i_width)×\(parameters.i_height) with preset \(settings.preset)")
        }
        self.encoder = encoder
        self.timeScale = timeScale
        let rate = settings.expectedFrameRate ?? 30
        nominalDuration = MediaTime(seconds: 1 / max(rate, 0.001), timescale: timeScale)
        var format = VideoFormat(
            codec: .h264, width: Int(parameters.i_width), height: Int(parameters.i_height), color: color,
            pixelAspectRatio: settings.pixelAspectRatio, cleanAperture: settings.cleanAperture)
        format.decoderConfiguration = Self.configuration(of: encoder)
        self.format = format
    }

    deinit { x264_encoder_close(encoder) }

    /// Pictures that x264 may hold back at most.
    package var maximumDelayedFrames: Int { Int(x264_encoder_maximum_delayed_frames(encoder)) }

    /// Pictures that x264 holds back now.
    package var delayedFrames: Int { Int(x264_encoder_delayed_frames(encoder)) }

    /// Encodes one NV12 or I420 picture. Its memory is free again when the call returns.
    ///
    /// - Throws: `invalidSample` for a time that does not rise or another layout; `codecFailure` from x264.
    package func encode(_ pixels: PixelBuffer, at time: MediaTime, output: (SampleBuffer) -> Void) throws(MediaError) {
        let ticks = time.ticks(in: timeScale)
        guard ticks > lastTime else {
            throw MediaError(.invalidSample, "cannot encode a picture at \(time)", reason: "its time does not rise")
        }
        guard pixels.width == format.width, pixels.height == format.height else {
            throw MediaError(
                .invalidSample, "cannot encode a picture of \(pixels.width)×\(pixels.height)",
                reason: "the track is \(format.width)×\(format.height)")
        }
        lastTime = ticks
        var picture = x264_picture_t()
        x264_picture_init(&picture)
        picture.i_pts = ticks
        func plane(_ index: Int) -> UnsafeMutablePointer<UInt8>? {
            UnsafeMutablePointer(mutating: pixels.plane(index).bindMemory(to: UInt8.self).baseAddress)
        }
        let planes = pixels.layout.planes
        switch pixels.format {
        case .nv12:
            picture.img.i_csp = Int32(X264_CSP_NV12)
            picture.img.i_plane = 2
            picture.img.plane = (plane(0), plane(1), nil, nil)
            picture.img.i_stride = (Int32(planes[0].bytesPerRow), Int32(planes[1].bytesPerRow), 0, 0)
        case .i420:
            picture.img.i_csp = Int32(X264_CSP_I420)
            picture.img.i_plane = 3
            picture.img.plane = (plane(0), plane(1), plane(2), nil)
            picture.img.i_stride = (
                Int32(planes[0].bytesPerRow), Int32(planes[1].bytesPerRow), Int32(planes[2].bytesPerRow), 0
            )
        default:
            throw MediaError(
                .invalidSample, "cannot encode a \(pixels.format.rawValue) picture", reason: "x264 takes nv12 and i420")
        }
        try step(&picture, output: output)
    }

    /// Gives out every picture still held. Nothing may be encoded afterwards.
    package func finish(output: (SampleBuffer) -> Void) throws(MediaError) {
        while x264_encoder_delayed_frames(encoder) > 0 { try step(nil, output: output) }
    }

    private func step(
        _ picture: UnsafeMutablePointer<x264_picture_t>?, output: (SampleBuffer) -> Void
    ) throws(MediaError) {
        var units: UnsafeMutablePointer<x264_nal_t>?
        var unitCount: Int32 = 0
        var encoded = x264_picture_t()
        let size = x264_encoder_encode(encoder, &units, &unitCount, picture, &encoded)
        guard size >= 0 else {
            throw MediaError(
                .codecFailure, "cannot encode a picture", reason: "x264 failed", underlying: .other("x264", size))
        }
        guard size > 0, let units else { return }
        // The payloads of one picture's NAL units follow each other in memory (x264.h).
        let data = MediaData(copying: UnsafeRawBufferPointer(start: units[0].p_payload, count: Int(size)))
        output(
            SampleBuffer(
                format: .video(format), content: .data(data),
                presentationTime: MediaTime(value: encoded.i_pts, timescale: timeScale),
                decodeTime: MediaTime(value: encoded.i_dts, timescale: timeScale), duration: nominalDuration,
                isKeyFrame: encoded.b_keyframe != 0))
    }

    private static func configuration(of encoder: OpaquePointer) -> [UInt8] {
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        guard x264_encoder_headers(encoder, &units, &count) > 0, let units else { return [] }
        var configuration = AVCConfiguration()
        for unit in UnsafeBufferPointer(start: units, count: Int(count)) {
            // Each unit stands behind its length in four bytes.
            configuration.take(Array(UnsafeBufferPointer(start: unit.p_payload + 4, count: Int(unit.i_payload) - 4)))
        }
        return configuration.bytes
    }
}
