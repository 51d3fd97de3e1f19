import MediaTypes

/// The time ranges before and after a chunk. The chunk's encoder also gets the frames of these ranges, so that it
/// treats the chunk like a part of the complete movie. These frames are not stored.
///
/// x264 and x265 give a keyframe the mean of the preceding quantizers, but at the beginning of an encode there are
/// none. They also give a frame more bits if more frames in the look-ahead depend on that frame. SVT-AV1 spends more
/// bits at the beginning and at the end of an encode.
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
        // The slowest presets have a look-ahead of sixty frames.
        tail = MediaTime(seconds: Double(settings.lookAhead ?? 60) / rate + 4 / rate, timescale: 1000)
    }
}
