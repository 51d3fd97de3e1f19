import MediaTypes

/// The frames around a chunk that its encoder also gets, so that the chunk begins and ends as in the middle of an
/// encode. They are not stored.
///
/// x264 and x265 give a keyframe the mean of the quantizers before it, but at the beginning of an encode there are
/// none. They also give a frame more bits if more of the frames in the lookahead depend on it. SVT-AV1 spends more bits
/// at its beginning and at its end.
struct ChunkContext {
    let lead: MediaTime
    let tail: MediaTime

    init(_ settings: VideoSettings) {
        guard [.h264, .hevc, .av1].contains(settings.codec) else {
            (lead, tail) = (.zero, .zero)
            return
        }
        let rate = max(1, settings.expectedFrameRate ?? 30)
        // Three quarters of the mean come from the last thirty reference frames.
        lead = MediaTime(seconds: 100 / rate, timescale: 1000)
        // The slowest presets have a lookahead of sixty frames.
        tail = MediaTime(seconds: Double(settings.lookAhead ?? 60) / rate + 4 / rate, timescale: 1000)
    }
}
