import Demuxing
import MediaCodecs
import MediaTypes

/// The processing of a track's packets: none, or decoding to frames or audio. One thread at a time.
enum TrackDecoding {
    case none
    case video(VideoDecoder)
    case audio(AudioDecoder)

    /// Opens the decoder.
    ///
    /// - Parameter decodesAhead: true to decode several frames at once, if the codec can. An error then does not
    ///   identify the damaged frame.
    /// - Parameter isLenient: true if a frame is damaged only if the decoder marks the frame itself.
    /// - Throws: the errors of opening the decoder; `invalidSettings` for settings that do not fit the track.
    init(_ track: MovieDemuxer.Track, _ options: SourceOptions, decodesAhead: Bool = true, isLenient: Bool = false)
        throws(MediaError)
    {
        let hints = DecoderHints(
            codecName: track.codecName, bitsPerCodedSample: track.bitsPerCodedSample, blockAlign: track.blockAlign,
            codecTag: track.codecTag, bitRate: track.bitRate,
            initialPadding: track.initialPadding, videoDelay: track.videoDelay)
        switch (options.settings, track.format) {
        case (nil, _): self = .none
        case (.pixels(let format), .video(let video)):
            self = .video(
                try VideoDecoder(
                    format: video, hints: hints, timeScale: track.timeScale, pixelFormat: format,
                    usefulBitDepth: options.usefulBitDepth, sharesMemory: options.sharesMemory,
                    threadCount: options.threadCount, decodesAhead: decodesAhead, isLenient: isLenient,
                    metadataLog: options.frameMetadata))
        case (.pcm(let form), .audio(let audio)):
            self = .audio(
                try AudioDecoder(format: audio, hints: hints, timeScale: track.timeScale, output: form.output))
        default:
            throw MediaError(
                .invalidSettings, "cannot read track \(track.id)",
                reason: "the output settings do not match its media type")
        }
    }

    var allocationCount: Int {
        if case .video(let decoder) = self { decoder.allocationCount } else { 0 }
    }

    /// Drops everything that was sent to the decoder, as after a seek.
    func flush() {
        switch self {
        case .none: break
        case .video(let decoder): decoder.flush()
        case .audio(let decoder): decoder.flush()
        }
    }

    /// Returns the frames or audio that the decoder still holds.
    func finish(_ output: (SampleBuffer) -> Void) throws(MediaError) {
        switch self {
        case .none: break
        case .video(let decoder): try decoder.finish(output: output)
        case .audio(let decoder): try decoder.finish(output: output)
        }
    }
}

extension SourceOptions {
    /// Returns the same options with audio in the form of the track's first format, whatever comes later.
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
