import MediaCodecs
import MediaTypes
import MovieFile

/// Packets as they come: their bytes go into the file untouched, except that a camera's own H.264 gets lengths in the
/// place of its start codes, and the rows of a raw picture lie one behind the other, which is how a movie file holds them.
final class PassthroughTrackEncoding: TrackEncoding {
    private let hint: FormatDescription?
    private var annexB = AnnexBConverter()
    private var streamFormat: FormatDescription?
    let timeScale: Int32
    let end: MediaTime?

    init(hint: FormatDescription?, timeScale: Int32, end: MediaTime? = nil) {
        self.hint = hint
        self.end = end
        self.timeScale =
            switch hint {
            case .audio(let format) where format.sampleRate > 0: Int32(clamping: format.sampleRate)
            case .timecode(let format) where format.frameDuration.timescale > 0: format.frameDuration.timescale
            default: timeScale
            }
    }

    /// A camera's H.264 carries its parameter sets in the stream: its format is not known before they come.
    var format: FormatDescription? {
        if let streamFormat { return streamFormat }
        return hint.flatMap { Self.isAnnexB($0) ? nil : $0 }
    }

    /// Of use where the file's header is written before the first packet is there.
    var primingFrames: Int { PassthroughPriming.frames(of: hint) }

    func encode(_ sample: SampleBuffer, output: Output) throws(MediaError) {
        let data: MediaData
        switch sample.content {
        case .data(let bytes): data = bytes
        case .pixels(let picture): return output(try stored(picture, sample), sample.ledgerCount)
        }
        if let hint, !Self.isSameCodec(hint, sample.format) {
            throw MediaError(
                .invalidSample, "cannot pass a packet through", reason: "its codec is not that of the track")
        }
        guard Self.isAnnexB(sample.format), let video = sample.format.video else {
            return output(sample, sample.ledgerCount)
        }
        guard let picture = annexB.convert(data.bytes) else {
            throw MediaError(.corruptData, "cannot pass a packet through", reason: "it holds no picture")
        }
        var format = video
        format.decoderConfiguration = annexB.decoderConfiguration
        // Pictures before the first key frame cannot be decoded by anyone.
        guard streamFormat != nil || (picture.isKeyFrame && !format.decoderConfiguration.isEmpty) else {
            throw MediaError(.corruptData, "cannot pass a packet through", reason: "no key frame came before it")
        }
        if streamFormat == nil { streamFormat = .video(format) }
        output(
            SampleBuffer(
                format: streamFormat ?? .video(format), content: .data(picture.data),
                presentationTime: sample.presentationTime, decodeTime: sample.decodeTime, duration: sample.duration,
                isKeyFrame: picture.isKeyFrame), 1)
    }

    private func stored(_ picture: PixelBuffer, _ sample: SampleBuffer) throws(MediaError) -> SampleBuffer {
        guard RawPictureForm.isStored(picture.format), picture.layout.holdsWholePicture else {
            throw MediaError(.invalidSample, "cannot pass a raw picture through", reason: "it has no packet; encode it")
        }
        return SampleBuffer(
            format: sample.format, content: .data(RawPictureForm.sample(of: picture)),
            presentationTime: sample.presentationTime, decodeTime: sample.decodeTime, duration: sample.duration)
    }

    func finish(output: Output) {}

    private static func isSameCodec(_ a: FormatDescription, _ b: FormatDescription) -> Bool {
        a.video?.codec == b.video?.codec && a.audio?.codec == b.audio?.codec
    }

    private static func isAnnexB(_ format: FormatDescription) -> Bool {
        format.video?.codec == .h264 && format.video?.decoderConfiguration.isEmpty == true
    }
}
