import Demuxing
import MediaCodecs
import MediaTypes

/// The processing of a track's packets: none, or decoding to frames or audio. Only one thread at a time may call.
struct TrackDecoding {
    enum Decoder {
        case none
        case video(VideoDecoder)
        case audio(AudioDecoder)
    }

    private(set) var decoder: Decoder
    private let options: SourceOptions
    /// The format for which the decoder was opened; nil for the track's own format.
    private(set) var laterFormat: FormatDescription?
    /// True if frames are decoded one by one, so that an error identifies the damaged one.
    private var decodesSingly = false
    /// True if the decoder continues after errors that would otherwise end it.
    private(set) var isLenient = false

    /// Opens the decoder.
    ///
    /// - Throws: the errors of opening the decoder; `invalidSettings` for settings that do not fit the track.
    init(_ track: MovieDemuxer.Track, _ options: SourceOptions) throws(MediaError) {
        self.options = options
        decoder = try Self.open(track, options, decodesAhead: true, isLenient: false)
    }

    /// Opens another decoder for the later format of a track, because a decoder is made for one format.
    mutating func follow(_ format: FormatDescription, of track: MovieDemuxer.Track) throws(MediaError) {
        laterFormat = format == track.format ? nil : format
        try reopen(track)
    }

    /// Opens a decoder that decodes frames one by one.
    mutating func decodeSingly(_ track: MovieDemuxer.Track) throws(MediaError) {
        decodesSingly = true
        try reopen(track)
    }

    /// Opens a decoder that continues after errors.
    mutating func continueAfterErrors(_ track: MovieDemuxer.Track) throws(MediaError) {
        isLenient = true
        try reopen(track)
    }

    /// Allows the next decoder to decode several frames at once.
    mutating func allowDecodingAhead() { decodesSingly = false }

    private mutating func reopen(_ track: MovieDemuxer.Track) throws(MediaError) {
        var (track, options) = (track, options)
        if let laterFormat, let first = track.format {
            track = track.changed(to: laterFormat)
            options = options.changing(from: first)
        }
        decoder = try Self.open(track, options, decodesAhead: !decodesSingly, isLenient: isLenient)
    }

    /// - Parameters:
    ///   - decodesAhead: true to decode several frames at once, if the codec can. An error then does not identify the
    ///     damaged frame.
    ///   - isLenient: true if only frames that the decoder itself marks count as damaged.
    private static func open(
        _ track: MovieDemuxer.Track, _ options: SourceOptions, decodesAhead: Bool, isLenient: Bool
    ) throws(MediaError) -> Decoder {
        let hints = DecoderHints(
            codecName: track.codecName, bitsPerCodedSample: track.bitsPerCodedSample, blockAlign: track.blockAlign,
            codecTag: track.codecTag, bitRate: track.bitRate,
            initialPadding: track.initialPadding, videoDelay: track.videoDelay)
        switch (options.settings, track.format) {
        case (nil, _): return .none
        case (.pixels(let format), .video(let video)):
            return .video(
                try VideoDecoder(
                    format: video, hints: hints, timeScale: track.timeScale, pixelFormat: format,
                    usefulBitDepth: options.usefulBitDepth, sharesMemory: options.sharesMemory,
                    threadCount: options.threadCount, decodesAhead: decodesAhead, isLenient: isLenient,
                    metadataLog: options.frameMetadata))
        case (.pcm(let form), .audio(let audio)):
            return .audio(
                try AudioDecoder(format: audio, hints: hints, timeScale: track.timeScale, output: form.output))
        default:
            throw MediaError(
                .invalidSettings, "cannot read track \(track.id)",
                reason: "the output settings do not match its media type")
        }
    }

    var allocationCount: Int {
        if case .video(let decoder) = decoder { decoder.allocationCount } else { 0 }
    }

    /// Drops everything that was sent to the decoder. Called e.g. after a seek.
    func flush() {
        switch decoder {
        case .none: break
        case .video(let decoder): decoder.flush()
        case .audio(let decoder): decoder.flush()
        }
    }

    /// Returns the frames or audio that the decoder still holds.
    func finish(_ output: (SampleBuffer) -> Void) throws(MediaError) {
        switch decoder {
        case .none: break
        case .video(let decoder): try decoder.finish(output: output)
        case .audio(let decoder): try decoder.finish(output: output)
        }
    }
}

extension SourceOptions {
    /// Returns the options with audio in the form of the track's first format, even if the format changes later.
    func changing(from first: FormatDescription) -> SourceOptions {
        guard case .pcm(var form) = settings, let audio = first.audio else { return self }
        var options = self
        if form.channelCount == nil {
            (form.channelCount, form.layout) = (audio.channelCount, form.layout ?? audio.layout)
        }
        form.sampleRate = form.sampleRate ?? audio.sampleRate
        options.settings = .pcm(form)
        return options
    }
}

extension MovieDemuxer.Track {
    /// Returns the track in the form that a decoder for samples of a later format needs.
    func changed(to later: FormatDescription) -> MovieDemuxer.Track {
        var track = self
        track.format = later
        // Priming belongs to the beginning of the track.
        track.initialPadding = 0
        if let video = later.video, video.codec != format?.video?.codec { track.codecName = video.codec.rawValue }
        if let audio = later.audio, audio.codec != format?.audio?.codec { track.codecName = audio.codec.rawValue }
        if let tag = later.video?.codecTag { track.codecTag = tag.rawValue.byteSwapped }
        return track
    }

    /// Returns a decoder's refusal with the file and the track that it concerns.
    func refusal(_ error: MediaError, _ path: String) -> MediaError {
        guard error.code == .unsupported else { return error }
        let code = FourCharCode(rawValue: codecTag.byteSwapped)
        let codec = codecName == "none" || codecName == "unknown_codec" ? "the codec “\(code)”" : codecName
        return MediaError(
            .unsupported, "cannot decode track \(id) of \(path)", reason: "\(codec): \(error.reason)",
            underlying: error.underlying, wayOut: error.wayOut)
    }
}

extension MovieDemuxer.Packet {
    var start: MediaTime { sample.presentationTime }
}

extension CodedSample {
    /// Creates a sample with the demuxer's additional information.
    init(_ packet: MovieDemuxer.Packet) {
        self.init(
            packet.sample, isDiscarded: packet.isDiscarded, hasPresentationTime: packet.hasPresentationTime,
            hasDecodeTime: packet.hasDecodeTime, skippedFrames: packet.skippedFrames,
            droppedFrames: packet.droppedFrames)
    }
}
