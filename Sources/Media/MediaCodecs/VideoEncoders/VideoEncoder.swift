package import MediaTypes

/// Encodes frames to packets of one codec. Called by one thread at a time.
package protocol VideoEncoder: AnyObject {
    /// The format of the packets, with the decoder configuration.
    var format: VideoFormat { get }
    /// Ticks per second of all times in the packets.
    var timeScale: Int32 { get }
    /// The frame layout that the encoder accepts.
    var input: EncoderInput { get }
    /// The number of encoding threads; 0 if the encoder chooses it.
    var threadCount: Int { get }
    /// The effort steps of this encoder, starting with the requested one.
    var efforts: [EncoderEffort] { get }

    /// The number of accepted frames that will have no packet, because the encoder lost them.
    var lostFrames: Int64 { get }
    /// The latest failure after which the encoder started again; nil if it never failed.
    var latestFault: MediaError? { get }
    /// The reason why frames are copied, although the encoder could read them in the camera's buffers; nil if there is
    /// no such reason.
    var copyReason: MediaError? { get }

    /// Encodes one frame in the layout of `input`. May output packets of earlier frames.
    ///
    /// - Parameter isKeyframe: true to force a keyframe, even if none is due.
    /// - Throws: `invalidSample` for a time that does not increase, or for another layout; `codecFailure` if the
    ///   encoder fails.
    func encode(
        _ pixels: PixelBuffer, at time: MediaTime, asKeyframe isKeyframe: Bool, output: (SampleBuffer) -> Void
    ) throws(MediaError)

    /// Returns true if `ease` can make this change while the encoder runs. Otherwise another encoder must be opened
    /// with the new effort. True by default.
    func canEase(from current: EncoderEffort, to effort: EncoderEffort) -> Bool

    /// Changes the effort from the next frame on.
    ///
    /// - Returns: false if the encoder cannot change the effort and continues unchanged.
    func ease(to effort: EncoderEffort) -> Bool

    /// Outputs all remaining frames, and ends the encoder.
    func finish(output: (SampleBuffer) -> Void) throws(MediaError)
}

extension VideoEncoder {
    package var lostFrames: Int64 { 0 }
    package var latestFault: MediaError? { nil }
    package var copyReason: MediaError? { nil }
    package func canEase(from current: EncoderEffort, to effort: EncoderEffort) -> Bool { true }

    /// Checks a frame for an encoder that accepts one layout, and returns its time in ticks.
    ///
    /// - Parameter latest: The ticks of the frame before it.
    /// - Throws: `invalidSample` for a time that does not increase, another layout or another size.
    package func checkedTicks(
        of pixels: PixelBuffer, at time: MediaTime, after latest: Int64
    ) throws(MediaError) -> Int64 {
        let ticks = time.ticks(in: timeScale)
        guard ticks > latest else {
            throw MediaError(.invalidSample, "cannot encode a frame at \(time)", reason: "timestamps must increase")
        }
        guard pixels.width == format.width, pixels.height == format.height, pixels.format == input.layout,
            pixels.layout.holdsWholeFrame
        else {
            throw MediaError(
                .invalidSample, "cannot encode a \(pixels.format.rawValue) frame of \(pixels.width)×\(pixels.height)",
                reason: "the track needs \(input.layout?.rawValue ?? "") of \(format.width)×\(format.height)")
        }
        return ticks
    }
}

/// The form of frames that an encoder requires.
package struct EncoderInput: Sendable, Hashable {
    /// The number of bits per sample, 8 or 10.
    package var bitDepth: Int
    /// The only accepted layout. nil means that the encoder accepts NV12 and I420 at eight bits, and I010 at ten bits.
    package var layout: PixelFormat?

    package init(bitDepth: Int, layout: PixelFormat? = nil) {
        self.bitDepth = bitDepth
        self.layout = layout
    }
}

extension H264Encoder: VideoEncoder {
    package var input: EncoderInput { EncoderInput(bitDepth: bitDepth) }

    /// Returns false for a change of the look-ahead, because x264 cannot change it while it runs.
    package func canEase(from current: EncoderEffort, to effort: EncoderEffort) -> Bool {
        effort.isWithoutLookAhead == current.isWithoutLookAhead
    }
}

/// Opens the encoder for settings.
package enum VideoEncoders {
    /// - Parameters:
    ///   - settings: the encoder's settings; `width` and `height` must be set.
    ///   - color: the color tags of the frames.
    ///   - isRealTime: true to limit the number of frames that are held back.
    ///   - pass: the pass of a two-pass encoding; supported by H.264 and HEVC.
    ///   - threads: the choice of threads for H.264. It has no effect on other codecs.
    ///   - effort: the initial effort.
    /// - Throws: `unsupported` for a codec that this build cannot encode; `invalidSettings`.
    package static func open(
        _ settings: VideoSettings, color: ColorDescription, timeScale: Int32, isRealTime: Bool,
        pass: EncodingPass = .single, threads: EncoderThreads = .usual, effort: EncoderEffort = .full
    ) throws(MediaError) -> any VideoEncoder {
        if settings.codec == .h264 {
            return try H264Encoder(
                settings: settings, color: color, timeScale: timeScale, isRealTime: isRealTime, pass: pass,
                threads: threads, effort: effort)
        }
        try VideoEncoderRules.check(settings, isRealTime: isRealTime, pass: pass)
        return try LibavVideoEncoder(
            settings, color: color, timeScale: timeScale, isRealTime: isRealTime, pass: pass, effort: effort)
    }
}
