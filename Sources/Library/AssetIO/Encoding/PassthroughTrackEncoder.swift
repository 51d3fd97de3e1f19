import MediaCodecs
import MediaTypes
import MovieFile

/// Passes packets through. Their bytes are stored unchanged, with two exceptions: a camera's own H.264 or HEVC gets
/// lengths instead of its start codes, and the rows of a raw frame are stored contiguously, as movie files require.
final class PassthroughTrackEncoder: TrackEncoder {
    private let hint: FormatDescription?
    private var annexB: AnnexBConverter
    private var streamFormat: FormatDescription?
    let timeScale: Int32
    let end: MediaTime?

    init(hint: FormatDescription?, timeScale: Int32, end: MediaTime? = nil) {
        self.hint = hint
        self.end = end
        annexB = AnnexBConverter(hint?.video?.codec ?? .h264)
        self.timeScale =
            switch hint {
            case .audio(let format) where format.sampleRate > 0: Int32(clamping: format.sampleRate)
            case .timecode(let format) where format.frameDuration.timescale > 0: format.frameDuration.timescale
            default: timeScale
            }
    }

    /// The format of the packets. A camera's H.264 or HEVC carries its parameter sets in the stream, so the format is
    /// unknown until they arrive.
    var format: FormatDescription? {
        if let streamFormat { return streamFormat }
        return hint.flatMap { Self.isAnnexB($0) ? nil : $0 }
    }

    /// The maximum number of audio frames that are stored from before the session's start. The muxer needs this number
    /// if the file's header is written before the first packet arrives.
    var primingFrames: Int { PassthroughPriming.frames(of: hint) }

    func encode(_ sample: SampleBuffer, output: Output) throws(MediaError) {
        let data: MediaData
        switch sample.content {
        case .data(let bytes): data = bytes
        case .pixels(let frame): return output(try stored(frame, sample), sample.ledgerCount)
        }
        if let hint, !Self.isSameCodec(hint, sample.format) {
            throw MediaError(
                .invalidSample, "cannot pass a packet through", reason: "its codec differs from the track's")
        }
        guard Self.isAnnexB(sample.format), let video = sample.format.video else {
            return output(sample, sample.ledgerCount)
        }
        if hint == nil, annexB.codec != video.codec { annexB = AnnexBConverter(video.codec) }
        guard let frame = annexB.convert(data.bytes) else {
            throw MediaError(.corruptData, "cannot pass a packet through", reason: "it contains no frame")
        }
        var format = video
        format.decoderConfiguration = annexB.decoderConfiguration
        // Frames before the first keyframe cannot be decoded.
        guard streamFormat != nil || (frame.isKeyframe && !format.decoderConfiguration.isEmpty) else {
            throw MediaError(.corruptData, "cannot pass a packet through", reason: "no keyframe came before it")
        }
        // The encoder of a camera may change its parameter sets while it runs.
        let isChanged = frame.isKeyframe && streamFormat?.video?.decoderConfiguration != format.decoderConfiguration
        if streamFormat == nil || isChanged {
            if streamFormat != nil, let size = annexB.frameSize, size != (format.width, format.height) {
                (format.width, format.height, format.cleanAperture) = (size.width, size.height, nil)
            }
            streamFormat = .video(format)
        }
        output(
            SampleBuffer(
                format: streamFormat ?? .video(format), content: .data(frame.data),
                presentationTime: sample.presentationTime, decodeTime: sample.decodeTime, duration: sample.duration,
                isKeyframe: frame.isKeyframe), 1)
    }

    private func stored(_ frame: PixelBuffer, _ sample: SampleBuffer) throws(MediaError) -> SampleBuffer {
        guard RawFrameForm.isStored(frame.format), frame.layout.holdsWholeFrame else {
            throw MediaError(
                .invalidSample, "cannot pass a raw frame through",
                reason: "QuickTime has no code for its pixel format, or its rows are too short", wayOut: "encode it")
        }
        return SampleBuffer(
            format: sample.format, content: .data(RawFrameForm.sample(of: frame)),
            presentationTime: sample.presentationTime, decodeTime: sample.decodeTime, duration: sample.duration)
    }

    func finish(output: Output) {}

    private static func isSameCodec(_ a: FormatDescription, _ b: FormatDescription) -> Bool {
        a.video?.codec == b.video?.codec && a.audio?.codec == b.audio?.codec
    }

    private static func isAnnexB(_ format: FormatDescription) -> Bool {
        guard let video = format.video, video.codec.hasDependentFrames else { return false }
        return video.decoderConfiguration.isEmpty
    }
}
