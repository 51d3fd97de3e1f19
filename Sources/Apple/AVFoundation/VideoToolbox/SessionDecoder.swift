import MediaCodecs
import MediaTypes

/// The decoder of a decompression session and the frames that it holds. Used by one thread at a time.
///
/// The decoders of `MediaCodecs` return frames in presentation order. They hold back the last frames until the stream
/// is ended. To continue after that, the decoder must first get the packets since the last keyframe again.
final class SessionDecoder {
    /// A packet whose frame was not returned yet.
    struct Frame {
        let timing: CMSampleTimingInfo
        /// False if the frame is only needed to decode other frames.
        let isShown: Bool
        let isAsynchronous: Bool
        let callback: (OSStatus, VTDecodeInfoFlags, CVImageBuffer?, CMTime, CMTime) -> Void
    }

    /// Receives a finished frame, with its image or with the status that says why there is no image.
    typealias Output = (Frame, OSStatus, CVImageBuffer?) -> Void

    private typealias Waiting = (ticks: Int64?, frame: Frame)

    /// The number of ticks per second in the decoder. Decoded frames get the exact times of their packets.
    private static let timeScale: Int32 = 720_000
    /// The maximum number of packets since a keyframe that are kept. If there are more, decoding cannot continue after
    /// the stream was ended.
    private static let mostKept = 300

    let attributes: PixelAttributes
    private(set) var description: CMFormatDescription
    var threadCount = 0
    private var decoder: VideoDecoder?
    /// The delay with which the decoder was opened, in frames.
    private var delay = 0
    /// True until the decoder gets its first packet.
    private var isFresh = true
    private var waiting: [Waiting] = []
    private var kept: [CodedSample] = []
    /// True if the decoder must get the kept packets again before the next packet.
    private var hasEnded = false
    private var lastDecodeTime: CMTime?
    private var latestTicks: Int64?
    private let converter = PixelConverter()
    private let frames: RequestedFrames

    /// - Throws: `unsupported` for a codec without a decoder, `codecFailure` for an invalid configuration.
    init(_ description: CMFormatDescription, _ attributes: PixelAttributes) throws(MediaError) {
        self.description = description
        self.attributes = attributes
        frames = RequestedFrames(attributes)
        try open(delay: 0)
    }

    var heldCount: Int { waiting.count }

    /// Returns true if packets of this format can follow, i.e. if it has the same codec and size.
    func accepts(_ other: CMFormatDescription) -> Bool {
        guard let one = description.engine.video, let two = other.engine.video else { return false }
        return one.codec == two.codec && one.width == two.width && one.height == two.height
    }

    // MARK: Decoding

    /// Decodes a packet.
    ///
    /// - Throws: the error of this packet. The packet then has no output, but other packets can follow.
    func decode(_ packet: CodedPacket, _ format: CMFormatDescription, _ frame: Frame, output: Output) throws(MediaError)
    {
        if format != description {
            finish(output: output)
            description = format
            (decoder, kept, hasEnded) = (nil, [], false)
        }
        let (timing, isKeyframe) = (packet.timing, startsDecoding(packet))
        let time = timing.presentationTimeStamp
        let ticks = time.isNumeric ? time.media.ticks(in: Self.timeScale) : nil
        if isJump(timing, ticks, isKeyframe: isKeyframe) {
            finish(output: output)
            decoder?.flush()
            kept = []
        }
        if timing.decodeTimeStamp.isNumeric { lastDecodeTime = timing.decodeTimeStamp }
        latestTicks = max(latestTicks ?? .min, ticks ?? .min)
        let coded = codedSample(packet, isKeyframe)
        if isKeyframe { kept = [] }
        let ready = try prepared(for: timing)
        if kept.count >= Self.mostKept {
            kept = []
        } else if isKeyframe || !kept.isEmpty {
            kept.append(coded)
        }
        waiting.append((ticks, frame))
        isFresh = false
        do throws(MediaError) {
            try ready.decode(coded) { take($0, output) }
        } catch {
            try fail(error, ready.damagedTime, output)
        }
    }

    /// Outputs all frames that the decoder holds. Decoding can continue afterwards.
    func finish(output: Output) {
        (lastDecodeTime, latestTicks) = (nil, nil)
        guard let decoder, !waiting.isEmpty else { return }
        var status = noErr
        do throws(MediaError) {
            try decoder.finish { take($0, output) }
        } catch {
            status = VTStatus.decoding(error)
        }
        decoder.flush()
        hasEnded = true
        let lost = waiting
        waiting = []
        for (_, frame) in lost { output(frame, status, nil) }
    }

    /// Discards all frames that the decoder holds.
    func discard() { (decoder, waiting, kept) = (nil, [], []) }

    private func codedSample(_ packet: CodedPacket, _ isKeyframe: Bool) -> CodedSample {
        let timing = packet.timing
        let sample = SampleBuffer(
            format: description.engine, content: .data(packet.data),
            presentationTime: timing.presentationTimeStamp.isNumeric ? timing.presentationTimeStamp.media : .zero,
            decodeTime: timing.decodeTimeStamp.isNumeric ? timing.decodeTimeStamp.media : nil,
            duration: timing.duration.isNumeric ? timing.duration.media : nil, isKeyframe: isKeyframe)
        return CodedSample(
            sample, hasPresentationTime: timing.presentationTimeStamp.isNumeric,
            hasDecodeTime: timing.decodeTimeStamp.isNumeric)
    }

    /// Returns true if decoding can begin with the packet. Programs often do not provide this information, so packets
    /// of H.264 and HEVC are examined.
    private func startsDecoding(_ packet: CodedPacket) -> Bool {
        guard let format = description.engine.video else { return packet.isKeyframe }
        let (bytes, configuration) = (packet.data.bytes, format.decoderConfiguration)
        switch format.codec {
        case .h264: return RefreshFrame.starts(bytes, configuration: configuration)
        case .hevc: return packet.isKeyframe && RefreshFrame.startsHEVC(bytes, configuration: configuration)
        default: return packet.isKeyframe
        }
    }

    /// Returns true if the packet does not continue the stream, for example after a seek to an earlier time.
    private func isJump(_ timing: CMSampleTimingInfo, _ ticks: Int64?, isKeyframe: Bool) -> Bool {
        if let lastDecodeTime, timing.decodeTimeStamp.isNumeric { return timing.decodeTimeStamp < lastDecodeTime }
        // Without decode times, a keyframe can be trusted only if H.264's own data says that it is one.
        guard let ticks, let latestTicks, description.engine.video?.codec == .h264 else { return false }
        return isKeyframe && ticks < latestTicks
    }

    // MARK: Decoder

    private func open(delay: Int) throws(MediaError) {
        guard let format = description.engine.video, format.codec != .raw else {
            throw MediaError(.unsupported, "cannot decode", reason: "the format is not compressed video")
        }
        let hints = DecoderHints(
            codecName: format.codec.rawValue, codecTag: description.subTypeCode.byteSwapped, videoDelay: delay)
        decoder = try VideoDecoder(
            format: format, hints: hints, timeScale: Self.timeScale, pixelFormat: attributes.format,
            sharesMemory: false, threadCount: threadCount, decodesAhead: false)
        (self.delay, isFresh) = (delay, true)
    }

    /// Returns the decoder, ready for a packet with this timing.
    private func prepared(for timing: CMSampleTimingInfo) throws(MediaError) -> VideoDecoder {
        let needed = Self.delay(timing)
        if decoder == nil || isFresh && needed != delay { try open(delay: needed) }
        guard let decoder else {
            throw MediaError(.codecFailure, "cannot decode", reason: "the decoder was not opened")
        }
        guard hasEnded else { return decoder }
        hasEnded = false
        // The frames of the kept packets were already output. A frame that the decoder returns again is ignored.
        for coded in kept { try? decoder.decode(coded) { _ in } }
        return decoder
    }

    /// Returns the number of frames by which a stream with this first packet delays its images: the packet's
    /// presentation time minus its decode time, divided by its duration.
    private static func delay(_ timing: CMSampleTimingInfo) -> Int {
        let (shown, decoded) = (timing.presentationTimeStamp, timing.decodeTimeStamp)
        guard shown.isNumeric, decoded.isNumeric, shown > decoded, timing.duration.isNumeric,
            timing.duration > .zero
        else { return 0 }
        return Int(clamping: ((shown - decoded).seconds / timing.duration.seconds).rounded())
    }

    // MARK: Frames

    private func take(_ decoded: SampleBuffer, _ output: Output) {
        guard let frame = removeFrame(at: decoded.presentationTime.ticks(in: Self.timeScale), output) else { return }
        guard frame.isShown, case .pixels(let pixels) = decoded.content else { return output(frame, noErr, nil) }
        do throws(MediaError) {
            output(frame, noErr, CVPixelBuffer(try shaped(pixels)))
        } catch {
            output(frame, VTStatus.decoding(error), nil)
        }
    }

    /// Removes and returns the frame that waits for the image at `ticks`; nil if there is none.
    private func removeFrame(at ticks: Int64, _ output: Output) -> Frame? {
        if let index = waiting.firstIndex(where: { $0.ticks == ticks }) {
            let frame = waiting.remove(at: index).frame
            // Images come in presentation order, so the decoder has skipped the frames that are earlier.
            let lost = waiting.filter { $0.ticks.map { $0 < ticks } ?? false }
            waiting.removeAll { $0.ticks.map { $0 < ticks } ?? false }
            for (_, frame) in lost { output(frame, noErr, nil) }
            return frame
        }
        // Packets without times are in the order in which their frames are shown.
        guard let index = waiting.firstIndex(where: { $0.ticks == nil }) else { return nil }
        return waiting.remove(at: index).frame
    }

    /// Reports an error for the frame to which it belongs.
    ///
    /// - Throws: the error, if it belongs to the latest packet.
    private func fail(_ error: MediaError, _ damaged: MediaTime?, _ output: Output) throws(MediaError) {
        let ticks = damaged?.ticks(in: Self.timeScale)
        if let ticks, let index = waiting.dropLast().firstIndex(where: { $0.ticks == ticks }) {
            return output(waiting.remove(at: index).frame, VTStatus.decoding(error), nil)
        }
        if !waiting.isEmpty { waiting.removeLast() }
        throw error
    }

    /// Returns the image in the session's size and row alignment. If no pixel format was requested, the image gets the
    /// nearest format that Core Video has.
    private func shaped(_ pixels: PixelBuffer) throws(MediaError) -> PixelBuffer {
        frames.aligned(try inCoreVideosFormat(try frames.scaled(pixels)))
    }

    private func inCoreVideosFormat(_ pixels: PixelBuffer) throws(MediaError) -> PixelBuffer {
        guard attributes.format == nil else { return pixels }
        switch pixels.format {
        case .i420: return try converter.convert(pixels, to: .nv12)
        case .i422: return try converter.convert(pixels, to: .uyvy)
        case .i010, .i210: return try converter.convert(pixels, to: .p010)
        default: return pixels
        }
    }
}
