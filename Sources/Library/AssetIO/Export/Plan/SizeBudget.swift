import MediaTypes

/// Fits a movie into a number of bytes. Lowers the video bit rate or, if no video is encoded, the audio bit rate. If
/// neither is encoded, shortens the movie. A pure value.
struct SizeBudget {
    private let limit: Int64
    /// The part of the limit to aim for. It is reduced after every attempt whose file was too large.
    private var share = 0.97
    /// The bits per second that the attempts had more than estimated, because the rate of a passed-through track is
    /// unknown. Only some containers state the rates of their tracks.
    private var unforeseen = 0.0

    init(limit: Int64) { self.limit = limit }

    func holds(_ size: Int64) -> Bool { size <= limit }

    /// Records that the file of an attempt was too large.
    mutating func shrink(size: Int64, of attempt: ExportPlan) {
        let seconds = attempt.range.duration.seconds
        guard seconds > 0, attempt.outputs.contains(where: \.hasUnknownRate) else {
            share *= min(0.97, Double(limit) / Double(max(1, size)) * 0.98)
            return
        }
        let estimated = attempt.outputs.reduce(ExportEstimate.fileBits / seconds + unforeseen) {
            $0 + ExportEstimate.overhead($1) + ExportEstimate.bitRate($1)
        }
        unforeseen += max(0, Double(size) * 8 / seconds - estimated)
        share *= 0.97
    }

    /// Returns the plan with values that fit.
    ///
    /// - Throws: `invalidSettings` if no value fits.
    func applied(to plan: ExportPlan) throws(MediaError) -> ExportPlan {
        var plan = plan
        let seconds = plan.range.duration.seconds
        guard seconds > 0 else { return plan }
        let available = Double(limit) * share * 8 / seconds
        let fixed = plan.outputs.reduce(ExportEstimate.fileBits / seconds + unforeseen) { sum, planned in
            sum + ExportEstimate.overhead(planned)
                + (isAdjustable(planned, in: plan) ? 0 : ExportEstimate.bitRate(planned))
        }
        let adjustable = plan.outputs.indices.filter { isAdjustable(plan.outputs[$0], in: plan) }
        guard !adjustable.isEmpty else {
            // Samples are passed through, so the part at the end that does not fit is left out.
            let part = min(1, available / max(1, fixed))
            guard part * seconds > 0.1 else { throw tooSmall("not even 0.1 s fits") }
            plan.range.duration = MediaTime(seconds: seconds * part, timescale: 90_000)
            if part < 1 { plan.cutsEnd = true }
            return plan
        }
        let each = Int(clamping: (available - fixed) / Double(adjustable.count))
        for index in adjustable { try plan.outputs[index].set(bitRate: each, tooSmall: tooSmall) }
        return plan
    }

    /// Returns true for encoded video, except ProRes, whose bit rates are fixed. If there is no video, returns true for
    /// audio that is encoded with a bit rate.
    private func isAdjustable(_ planned: ExportPlan.OutputTrack, in plan: ExportPlan) -> Bool {
        if let settings = planned.videoSettings { return settings.codec.proResTag == nil }
        let hasVideo = plan.outputs.contains { $0.videoSettings != nil }
        return !hasVideo && (planned.audioSettings?.codec == .aac || planned.audioSettings?.codec == .opus)
    }

    private func tooSmall(_ reason: String) -> MediaError {
        MediaError(
            .invalidSettings, "cannot fit the movie into \(limit) bytes", reason: reason,
            wayOut: "allow more bytes, or export a shorter time range")
    }
}

extension ExportPlan.OutputTrack {
    fileprivate var hasUnknownRate: Bool {
        if case .passthrough(let track) = self { track.estimatedDataRate <= 0 } else { false }
    }

    var videoSettings: VideoSettings? {
        switch self {
        case .video(_, let settings, _), .composition(_, _, let settings, _): settings
        case .passthrough, .audio, .mix: nil
        }
    }

    var audioSettings: AudioSettings? {
        switch self {
        case .audio(_, let settings, _), .mix(_, let settings, _): settings
        case .passthrough, .video, .composition: nil
        }
    }

    /// Sets a constant quality for encoded video.
    mutating func set(factor: Int) {
        switch self {
        case .video(let track, var settings, let steps):
            settings.rateControl = .constantQuality(Double(factor))
            self = .video(track, settings, steps)
        case .composition(let tracks, let composition, var settings, let steps):
            settings.rateControl = .constantQuality(Double(factor))
            self = .composition(tracks, composition, settings, steps)
        case .passthrough, .audio, .mix: break
        }
    }

    fileprivate mutating func set(
        bitRate: Int, tooSmall: (String) -> MediaError
    ) throws(MediaError) {
        switch self {
        case .video(let track, var settings, let steps):
            guard bitRate >= 10_000 else { throw tooSmall("the video would get only \(max(0, bitRate)) bit/s") }
            settings.rateControl = .bitRate(bitRate)
            self = .video(track, settings, steps)
        case .composition(let tracks, let composition, var settings, let steps):
            guard bitRate >= 10_000 else { throw tooSmall("the video would get only \(max(0, bitRate)) bit/s") }
            settings.rateControl = .bitRate(bitRate)
            self = .composition(tracks, composition, settings, steps)
        case .audio(let track, var settings, let form):
            try settings.set(mostBits: bitRate, tooSmall: tooSmall)
            self = .audio(track, settings, form)
        case .mix(let tracks, var settings, let form):
            try settings.set(mostBits: bitRate, tooSmall: tooSmall)
            self = .mix(tracks, settings, form)
        case .passthrough: break
        }
    }
}

extension AudioSettings {
    fileprivate mutating func set(mostBits: Int, tooSmall: (String) -> MediaError) throws(MediaError) {
        // The encoder does not comply with bit rates below 8 kbit/s per channel.
        guard Double(mostBits) >= 8000 * Double(channelCount ?? 2) else {
            throw tooSmall("the audio would get only \(max(0, mostBits)) bit/s")
        }
        bitRate = min(bitRate ?? .max, mostBits)
    }
}
