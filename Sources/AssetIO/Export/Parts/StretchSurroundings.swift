import MediaTypes

/// Pictures around a stretch that its encoder sees besides, so that it begins as one that has been at work, and ends as one that goes
/// on. They are not stored.
///
/// x264 and x265 give a key frame the mean of the quantizers before it, and have none at their beginning; and they give a picture
/// more bits the more is made of it in those that they look ahead at. SVT-AV1 spends more where it begins and where it ends.
struct StretchSurroundings {
    let lead: MediaTime
    let tail: MediaTime

    init(_ settings: VideoSettings) {
        guard [.h264, .hevc, .av1].contains(settings.codec) else {
            (lead, tail) = (.zero, .zero)
            return
        }
        let rate = max(1, settings.expectedFrameRate ?? 30)
        // Three quarters of the mean are of the last thirty pictures that others lean on.
        lead = MediaTime(seconds: 100 / rate, timescale: 1000)
        // The slowest presets look sixty ahead.
        tail = MediaTime(seconds: Double(settings.lookAhead ?? 60) / rate + 4 / rate, timescale: 1000)
    }
}
