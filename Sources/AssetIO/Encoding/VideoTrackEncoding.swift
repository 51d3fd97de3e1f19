import MediaCodecs
import MediaTypes
import RealTime

/// Pictures, raw or JPEG, to H.264.
///
/// A live one begins with few threads, and goes on with x264's usual ones, from a key frame on, should they be too few.
final class VideoTrackEncoding: TrackEncoding {
    private var encoder: H264Encoder
    /// Opens the encoder with x264's usual threads; nil where it has them.
    private var widen: (() throws(MediaError) -> H264Encoder)?
    private var load = EncoderLoad()
    private let clock: any HostClock
    private let converter: PixelConverter
    private var decoder: JPEGDecoder?
    private let expectedDuration: MediaTime?
    private let keyFrames: KeyFrameRequest
    private var lastDecodeTime: MediaTime?
    /// The latest picture that went in.
    private var last: (time: MediaTime, duration: MediaTime?)?

    /// - Parameters:
    ///   - keyFrames: who asks for a key frame between the usual ones.
    ///   - pass: of two passes, the first gives packets that its caller drops, and statistics that are whole
    ///   after `finish`; the second is another `VideoTrackEncoding`, made afterwards and fed the same samples.
    ///   - clock: by which it is seen whether encoding keeps up.
    init(
        _ settings: VideoSettings, hint: VideoFormat?, timeScale: Int32, isRealTime: Bool,
        pass: EncodingPass = .single, keyFrames: KeyFrameRequest = KeyFrameRequest(),
        clock: any HostClock = MonotonicClock()
    ) throws(MediaError) {
        self.keyFrames = keyFrames
        self.clock = clock
        guard settings.codec == .h264 else {
            throw MediaError(.unsupported, "cannot encode \(settings.codec)", reason: "this build encodes h264")
        }
        var complete = settings
        complete.width = settings.width ?? hint?.width
        complete.height = settings.height ?? hint?.height
        var color = settings.color ?? (hint?.codec == .mjpeg ? JPEGDecoder.color : hint?.color) ?? ColorDescription()
        // The numbers that are stored, not what they were made of.
        if hint?.pixelFormat == .bgra { color = color.ofConvertedRGB }
        let open = { [complete, color] (threads: EncoderThreads) throws(MediaError) in
            try H264Encoder(
                settings: complete, color: color, timeScale: timeScale, isRealTime: isRealTime, pass: pass,
                threads: threads)
        }
        encoder = try open(isRealTime ? .few : .usual)
        let mayNeedMore = EncoderThreads.oneMayBeTooFew(
            width: encoder.format.width, height: encoder.format.height, frameRate: settings.expectedFrameRate ?? 30)
        if isRealTime, encoder.threadCount == 1, mayNeedMore {
            widen = { () throws(MediaError) in try open(.usual) }
        }
        expectedDuration = settings.expectedFrameRate.map { MediaTime(seconds: 1 / $0, timescale: timeScale) }
        converter = PixelConverter(
            width: encoder.format.width, height: encoder.format.height, bitDepth: encoder.bitDepth,
            keepsFullRange: color.isFullRange)
    }

    var format: FormatDescription? { .video(encoder.format) }
    var timeScale: Int32 { encoder.timeScale }

    func encode(_ sample: SampleBuffer, output: Output) throws(MediaError) {
        guard let widen else { return try encodeNext(sample, output: output) }
        let began = clock.nanoseconds
        try encodeNext(sample, output: output)
        if load.isTooMuch(began: began, ended: clock.nanoseconds) {
            self.widen = nil
            // Without memory for another one it goes on as it is.
            if let other = try? widen() { try replaceEncoder(by: other, output: output) }
        }
    }

    private func encodeNext(_ sample: SampleBuffer, output: Output) throws(MediaError) {
        let picture = try picture(sample)
        let isKeyFrame = keyFrames.isDue(at: sample.presentationTime)
        try encoder.encode(picture, at: sample.presentationTime, asKeyFrame: isKeyFrame) { give($0, output) }
        let before = last?.time
        last = (
            sample.presentationTime,
            sample.duration ?? expectedDuration ?? before.map { sample.presentationTime - $0 }
        )
    }

    /// Only the next picture tells how long one is shown; the last one says so itself, or is taken to be like the others.
    var end: MediaTime? { last.flatMap { last in last.duration.map { last.time + $0 } } }

    func finish(output: Output) throws(MediaError) { try encoder.finish { give($0, output) } }

    /// Goes on with another encoder of the same settings. The first picture that it gets is a key frame.
    private func replaceEncoder(by other: H264Encoder, output: Output) throws(MediaError) {
        // One decoder configuration stands for the whole track.
        guard other.format == encoder.format, other.threadCount != encoder.threadCount else { return }
        try encoder.finish { give($0, output) }
        encoder = other
    }

    private func give(_ packet: SampleBuffer, _ output: Output) {
        guard let time = packet.decodeTime else { return output(packet, 1) }
        guard let last = lastDecodeTime, time <= last else {
            lastDecodeTime = time
            return output(packet, 1)
        }
        // Each encoder counts its decode times back from its own first pictures.
        let next = MediaTime(value: last.value + 1, timescale: last.timescale)
        lastDecodeTime = next
        output(packet.decoded(at: next), 1)
    }

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
