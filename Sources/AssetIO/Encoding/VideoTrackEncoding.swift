import MediaCodecs
import MediaTypes

/// Pictures, raw or JPEG, to H.264.
final class VideoTrackEncoding: TrackEncoding {
    private let encoder: H264Encoder
    private let converter: PixelConverter
    private var decoder: JPEGDecoder?
    private let expectedDuration: MediaTime?
    private let keyFrames: KeyFrameRequest
    /// The latest picture that went in.
    private var last: (time: MediaTime, duration: MediaTime?)?

    /// - Parameters:
    ///   - keyFrames: who asks for a key frame between the usual ones.
    ///   - pass: of two passes, the first gives packets that its caller drops, and statistics that are whole
    ///   after `finish`; the second is another `VideoTrackEncoding`, made afterwards and fed the same samples.
    init(
        _ settings: VideoSettings, hint: VideoFormat?, timeScale: Int32, isRealTime: Bool,
        pass: EncodingPass = .single, keyFrames: KeyFrameRequest = KeyFrameRequest()
    ) throws(MediaError) {
        self.keyFrames = keyFrames
        guard settings.codec == .h264 else {
            throw MediaError(.unsupported, "cannot encode \(settings.codec)", reason: "this build encodes h264")
        }
        var complete = settings
        complete.width = settings.width ?? hint?.width
        complete.height = settings.height ?? hint?.height
        var color = settings.color ?? (hint?.codec == .mjpeg ? JPEGDecoder.color : hint?.color) ?? ColorDescription()
        // The numbers that are stored, not what they were made of.
        if hint?.pixelFormat == .bgra { color = color.ofConvertedRGB }
        encoder = try H264Encoder(
            settings: complete, color: color, timeScale: timeScale, isRealTime: isRealTime, pass: pass)
        expectedDuration = settings.expectedFrameRate.map { MediaTime(seconds: 1 / $0, timescale: timeScale) }
        converter = PixelConverter(
            width: encoder.format.width, height: encoder.format.height, bitDepth: encoder.bitDepth,
            keepsFullRange: color.isFullRange)
    }

    var format: FormatDescription? { .video(encoder.format) }
    var timeScale: Int32 { encoder.timeScale }

    func encode(_ sample: SampleBuffer, output: Output) throws(MediaError) {
        let picture = try picture(sample)
        let isKeyFrame = keyFrames.isDue(at: sample.presentationTime)
        try encoder.encode(picture, at: sample.presentationTime, asKeyFrame: isKeyFrame) { output($0, 1) }
        let before = last?.time
        last = (
            sample.presentationTime,
            sample.duration ?? expectedDuration ?? before.map { sample.presentationTime - $0 }
        )
    }

    /// Only the next picture tells how long one is shown; the last one says so itself, or is taken to be like the others.
    var end: MediaTime? { last.flatMap { last in last.duration.map { last.time + $0 } } }

    func finish(output: Output) throws(MediaError) { try encoder.finish { output($0, 1) } }

    private func picture(_ sample: SampleBuffer) throws(MediaError) -> PixelBuffer {
        switch sample.content {
        case .pixels(let buffer): return try converter.convert(buffer)
        case .data(let data):
            guard sample.format.video?.codec == .mjpeg else {
                throw MediaError(
                    .unsupported, "cannot encode a compressed picture",
                    reason:
                        "it is \(sample.format.video?.codec.rawValue ?? "no picture"), and only JPEG is decoded here")
            }
            let decoder: JPEGDecoder
            if let existing = self.decoder {
                decoder = existing
            } else {
                decoder = try JPEGDecoder(width: encoder.format.width, height: encoder.format.height)
                self.decoder = decoder
            }
            return try converter.convert(try decoder.decode(data.bytes))
        }
    }
}
