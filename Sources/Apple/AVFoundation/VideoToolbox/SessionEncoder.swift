import AssetIO
import MediaCodecs
import MediaTypes

/// The encoder of a compression session and the frames that it holds. Used by one thread at a time.
///
/// The library's encoders cannot continue after they have returned all frames, and cannot change their settings.
/// To do either, another encoder is opened. Its first frame is a keyframe.
final class SessionEncoder {
    /// A frame that the encoder holds.
    struct Frame {
        let time: CMTime
        let duration: CMTime
        let callback: (OSStatus, VTEncodeInfoFlags, CMSampleBuffer?) -> Void
    }

    /// Receives a finished frame, with its packet or with the status that says why there is no packet.
    typealias Output = (Frame, OSStatus, CMSampleBuffer?) -> Void

    private struct Opened {
        let setup: EncoderSetup
        let pass: EncodingPass
        let encoder: any VideoEncoder
        let fitter: FrameFitter
        let input: EncoderFrameInput
        let description: CMFormatDescription
    }

    /// The number of ticks per second in the encoder: a multiple of the usual frame rates and time scales. Packets get
    /// the exact times of their frames, which may have any scale.
    private static let timeScale: Int32 = 720_000

    private var opened: Opened?
    /// The frames that the encoder holds, by their times in ticks.
    private var frames: [Int64: Frame] = [:]
    private var lastDecodeTicks: Int64?
    /// Requests keyframes by time; nil if every frame is a keyframe.
    private var limit: KeyframeLimit?

    var heldCount: Int { frames.count }
    var isOpen: Bool { opened != nil }

    /// Returns true if the encoder holds a frame up to this time. If the time is not numeric, any frame counts.
    func holdsFrame(upTo time: CMTime) -> Bool {
        guard time.isNumeric else { return !frames.isEmpty }
        return frames.values.contains { $0.time <= time }
    }

    /// Encodes a frame. It is scaled and converted if the encoder needs a different size or pixel format.
    ///
    /// - Throws: `invalidSample` for a time that does not increase, and for a frame that cannot be converted. Other
    ///   frames can follow. Also throws the errors of opening an encoder. If it throws `codecFailure`, all frames that
    ///   the encoder held have failed.
    func encode(
        _ pixels: PixelBuffer, _ frame: Frame, asKeyframe isKeyframe: Bool, _ setup: EncoderSetup,
        pass: EncodingPass = .single, output: Output
    ) throws(MediaError) {
        let opened = try encoder(setup, pass, for: pixels, output)
        let fitted = try opened.fitter.fit(pixels, pixelAspectRatio: setup.settings.pixelAspectRatio)
        let input = try opened.input.convert(fitted)
        let time = frame.time.media.converted(to: Self.timeScale)
        guard frames[time.value] == nil else {
            throw MediaError(
                .invalidSample, "cannot encode a frame at \(frame.time.media)",
                reason: "the encoder already holds a frame with this time")
        }
        frames[time.value] = frame
        do throws(MediaError) {
            let isRequested = limit?.requests(at: time, isRequested: isKeyframe) ?? isKeyframe
            try opened.encoder.encode(input, at: time, asKeyframe: isRequested) { emit($0, opened, output) }
        } catch {
            frames[time.value] = nil
            if error.code == .codecFailure { fail(VTStatus.encoding(error), output) }
            throw error
        }
    }

    /// Outputs all frames that the encoder holds, and ends it.
    func finish(output: Output) throws(MediaError) {
        guard let opened else { return }
        do throws(MediaError) {
            try opened.encoder.finish { emit($0, opened, output) }
        } catch {
            fail(VTStatus.encoding(error), output)
            throw error
        }
        fail(kVTVideoEncoderMalfunctionErr, output)
    }

    /// Allows the next frame to have any time. Called at the beginning of a pass.
    func forgetTimes() { lastDecodeTicks = nil }

    /// Discards the encoder and all frames that it holds.
    func discard() {
        opened = nil
        frames = [:]
    }

    /// Ends the encoder. The frames that it still holds get a status instead of a packet.
    private func fail(_ status: OSStatus, _ output: Output) {
        let lost = frames.values.sorted { $0.time < $1.time }
        discard()
        for frame in lost { output(frame, status, nil) }
    }

    // MARK: Opening

    /// Returns the encoder for these settings. Opens another one if the settings have changed.
    private func encoder(
        _ setup: EncoderSetup, _ pass: EncodingPass, for pixels: PixelBuffer, _ output: Output
    ) throws(MediaError) -> Opened {
        if let opened, opened.setup == setup, opened.pass == pass { return opened }
        try finish(output: output)
        let fresh = try open(setup, pass, for: pixels)
        opened = fresh
        limit = setup.isRealTime && setup.settings.codec == .av1 ? nil : KeyframeLimit(setup.settings)
        return fresh
    }

    private func open(
        _ setup: EncoderSetup, _ pass: EncodingPass, for pixels: PixelBuffer
    ) throws(MediaError) -> Opened {
        let settings = setup.settings
        let encoder = try VideoEncoders.open(
            settings, color: Self.color(settings, pixels), timeScale: Self.timeScale, isRealTime: setup.isRealTime,
            pass: pass)
        let format = encoder.format
        return Opened(
            setup: setup, pass: pass, encoder: encoder,
            fitter: FrameFitter(
                FrameGeometry(
                    width: format.width, height: format.height, pixelAspectRatio: settings.pixelAspectRatio),
                mode: .resize, color: format.color, bitDepth: encoder.input.bitDepth),
            input: EncoderFrameInput(
                width: format.width, height: format.height, bitDepth: encoder.input.bitDepth,
                keepsFullRange: format.color.isFullRange, layout: encoder.input.layout),
            description: CMFormatDescription(.video(format)))
    }

    /// Returns the color tags of the stored frames, from the settings or else from the first frame.
    private static func color(_ settings: VideoSettings, _ pixels: PixelBuffer) -> ColorDescription {
        if let color = settings.color { return color }
        if pixels.format.isRGB { return pixels.color.ofConvertedRGB }
        var color = pixels.color
        // If a frame has no matrix, players choose one by the frame's size. The scaled frame must keep the matrix for
        // its original size.
        if color.matrix == 2, let height = settings.height, (pixels.height >= 720) != (height >= 720) {
            color.matrix = pixels.height >= 720 ? 1 : 6
        }
        return color
    }

    // MARK: Packets

    private func emit(_ packet: SampleBuffer, _ opened: Opened, _ output: Output) {
        guard let frame = frames.removeValue(forKey: packet.presentationTime.ticks(in: Self.timeScale)) else { return }
        let time = frame.time.media
        let sample = SampleBuffer(
            format: packet.format, content: packet.content, presentationTime: time,
            decodeTime: opened.setup.reorders ? packet.decodeTime.map { decodeTime($0, like: time) } : nil,
            duration: frame.duration.isNumeric ? frame.duration.media : nil, isKeyframe: packet.isKeyframe)
        output(frame, noErr, CMSampleBuffer(sample, description: opened.description))
    }

    /// Returns a decode time. It is in the scale of the presentation time if that does not require rounding.
    private func decodeTime(_ time: MediaTime, like presentationTime: MediaTime) -> MediaTime {
        var ticks = time.ticks(in: Self.timeScale)
        // Each encoder counts its decode times back from its own first frame, so they may overlap those of the previous
        // encoder.
        if let last = lastDecodeTicks, ticks <= last { ticks = last &+ 1 }
        lastDecodeTicks = ticks
        let exact = MediaTime(value: ticks, timescale: Self.timeScale)
        let own = exact.converted(to: presentationTime.timescale)
        return min(own == exact ? own : exact, presentationTime)
    }
}
