import MediaTypes

extension ExportPlan {
    /// Returns the plan of one part of the movie.
    ///
    /// - Throws: `invalidSettings` for a movie that cannot be made of parts.
    func part(_ part: ExportPart) throws(MediaError) -> ExportPlan {
        if part == .whole { return self }
        try requirePartible()
        var plan = self
        switch part {
        case .whole, .joined: return plan
        case .audio:
            plan.outputs = outputs.filter { $0.audioSettings != nil }
            guard !plan.outputs.isEmpty else { throw Self.refusal("none of its audio is encoded") }
        case .frames(let chunk, let threads):
            plan.outputs = outputs.compactMap { $0.asPart(threads: threads) }
            // The last chunk is not cut, because the movie's end in the header may be wrong.
            if chunk.end < range.end { plan.cutsEnd = true }
            // All parts have the timestamps of the full movie.
            plan.sessionStart = range.start
            plan.stored = chunk
            let around = plan.outputs.compactMap(\.videoSettings).first.map(ChunkContext.init)
            plan.range = TimeRange(
                start: max(range.start, chunk.start - (around?.lead ?? .zero)),
                end: min(chunk.end + (around?.tail ?? .zero), range.end))
        }
        (plan.metadata, plan.chapters, plan.timecode) = (configuration.partMetadata, [], nil)
        return plan
    }

    /// True if any audio is encoded.
    var encodesAudio: Bool { outputs.contains { $0.audioSettings != nil } }

    /// Checks that video can be encoded in chunks: no decision for one chunk may depend on another chunk.
    ///
    /// - Throws: `invalidSettings`, with the reason.
    func requirePartible() throws(MediaError) {
        if configuration.fileLengthLimit > 0 {
            throw Self.refusal("a size limit distributes bits over the whole movie", "omit --max-size")
        }
        var frames: (settings: VideoSettings, steps: FrameSteps)?
        for planned in outputs {
            switch planned {
            case .video(_, let settings, let steps):
                guard frames == nil else { throw Self.refusal("it has several video tracks") }
                frames = (settings, steps)
            case .composition: throw Self.refusal("its frames are composed from several tracks")
            case .passthrough(let track) where track.mediaType == .video:
                throw Self.refusal("its video is copied, not encoded")
            case .passthrough, .audio, .mix: break
            }
        }
        guard let frames else { throw Self.refusal("none of its video is encoded") }
        if case .bitRate = frames.settings.rateControl {
            throw Self.refusal(
                "a bit rate is distributed over the whole movie", "use constant quality, with --quality or --crf")
        }
        if frames.steps.frameRate != nil || frames.steps.deinterlaces {
            throw Self.refusal(
                "a changed frame rate and deinterlacing need frames of the neighboring chunks",
                "omit --frame-rate and --deinterlace")
        }
    }

    private static func refusal(_ reason: String, _ wayOut: String = "encode it in one piece") -> MediaError {
        MediaError(.invalidSettings, "cannot encode the movie in chunks", reason: reason, wayOut: wayOut)
    }
}

extension ExportPlan.OutputTrack {
    /// Returns the output track for a chunk; nil for an audio track.
    fileprivate func asPart(threads: Int?) -> Self? {
        guard case .video(let track, var settings, let steps) = self else { return nil }
        settings.threadCount = settings.threadCount ?? threads
        settings.isJoined = true
        return .video(track, settings, steps)
    }
}
