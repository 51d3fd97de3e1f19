package import MediaTypes

/// Makes packets of one codec from pictures. One thread at a time calls it.
package protocol VideoEncoder: AnyObject {
    /// What the packets are, with the decoder configuration.
    var format: VideoFormat { get }
    /// Ticks per second of all times in the packets.
    var timeScale: Int32 { get }
    /// Brings pictures into a layout that it takes as it is.
    var input: EncoderInput { get }
    /// Threads that encode pictures; 0 where the choice was left to the encoder.
    var threadCount: Int { get }
    /// The steps that there are below what was asked for, that one being the first.
    var efforts: [EncoderEffort] { get }

    /// Encodes one picture in the layout of `input`. Packets of earlier pictures may come out.
    ///
    /// - Parameter isKeyFrame: decoding can begin with it, wherever the next key frame were due.
    /// - Throws: `invalidSample` for a time that does not rise or another layout; `codecFailure`.
    func encode(
        _ pixels: PixelBuffer, at time: MediaTime, asKeyFrame isKeyFrame: Bool, output: (SampleBuffer) -> Void
    ) throws(MediaError)

    /// Works with more or less effort from the next picture on.
    ///
    /// - Returns: false when it cannot, and goes on as before.
    func ease(to effort: EncoderEffort) -> Bool

    /// Gives out every picture still held, and ends the encoder.
    func finish(output: (SampleBuffer) -> Void) throws(MediaError)
}

/// What an encoder wants its pictures to be.
package struct EncoderInput: Sendable, Hashable {
    /// Bits of a sample, 8 or 10.
    package var bitDepth: Int
    /// The one layout that it takes; nil: NV12 or I420 at eight bits, and I010 at ten, whichever is nearest.
    package var layout: PixelFormat?

    package init(bitDepth: Int, layout: PixelFormat? = nil) {
        self.bitDepth = bitDepth
        self.layout = layout
    }
}

extension H264Encoder: VideoEncoder {
    package var input: EncoderInput { EncoderInput(bitDepth: bitDepth) }
}

/// Opens the encoder that settings ask for.
package enum VideoEncoders {
    /// - Parameters:
    ///   - settings: `width` and `height` must be set.
    ///   - color: what the pictures' numbers mean.
    ///   - isRealTime: bounds how many pictures are held back.
    ///   - pass: of two passes; H.264 and HEVC have them.
    ///   - threads, effort: what H.264 begins with; of no effect on others.
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
            settings, color: color, timeScale: timeScale, isRealTime: isRealTime, pass: pass)
    }
}
