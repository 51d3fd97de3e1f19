import Foundation
import MediaCodecs
import MediaTypes

/// The options for opening one track's encoder.
struct EncoderOptions {
    let mediaType: MediaType
    /// The encoder settings; nil if packets are stored as they come.
    let settings: OutputSettings?
    /// The format of the samples that will be appended, if it was announced.
    let hint: FormatDescription?
    /// True if the samples come from a live source, which cannot wait.
    let isRealTime: Bool
    /// Ticks per second of the track, or 0 for the default.
    var timeScale: Int32 = 0
    /// True to encode in several passes if the encoder benefits from them.
    var wantsPasses = false
    /// The directory for the statistics of a first pass; nil for the system's temporary directory.
    var temporaryDirectory: URL?
    /// The requests for keyframes besides the regular ones.
    var keyframes = KeyframeRequest()
    /// The end of the last real sample, without an encoder's padding. Only for packets that are stored as they come.
    var presentedEnd: MediaTime?
    /// The time range of the encoded frames that are stored; nil if all are stored.
    var stored: TimeRange?
    /// Returns true if a live encoder may reduce its effort; called each time it falls behind. If nil, it never reduces
    /// its effort.
    var mayReduceEffort: (@Sendable () -> Bool)?
    /// Opens a video encoder. If nil, `VideoEncoders` opens it.
    var openVideo: VideoEncoderOpening?
    /// Returns true if frames that repeat the previous frame may be left out now; called for each frame. If nil, every
    /// frame is encoded.
    var mayLeaveOutRepeats: (@Sendable () -> Bool)?

    init(
        _ mediaType: MediaType, settings: OutputSettings?, hint: FormatDescription?, isRealTime: Bool
    ) {
        self.mediaType = mediaType
        self.settings = settings
        self.hint = hint
        self.isRealTime = isRealTime
    }

    /// The error for settings that contradict themselves or that no encoder of this library supports; nil if there is
    /// none. This check opens no encoder, so an encoder may still refuse settings that only it can judge.
    var fault: MediaError? {
        guard case .video(let settings) = settings else { return nil }
        do throws(MediaError) {
            try VideoEncoderRules.check(settings.completed(by: hint?.video), isRealTime: isRealTime)
            return nil
        } catch {
            return error
        }
    }

    /// Opens the encoder.
    ///
    /// - Throws: the encoder's refusal.
    func open() throws(MediaError) -> any TrackEncoder {
        let scale = timeScale > 0 ? timeScale : usualTimeScale
        switch settings {
        case .video(let settings):
            let opening = opening(settings, timeScale: scale)
            let open = { (pass: EncodingPass) throws(MediaError) -> any TrackEncoder in
                try VideoTrackEncoder(
                    settings, hint: hint?.video, timeScale: scale, isRealTime: isRealTime, pass: pass,
                    keyframes: keyframes, mayReduceEffort: mayReduceEffort, mayLeaveOutRepeats: mayLeaveOutRepeats,
                    stored: stored, opening: opening)
            }
            guard gainsByTwoPasses(settings) else { return try open(.single) }
            let statistics = try PassStatistics(in: temporaryDirectory ?? FileManager.default.temporaryDirectory)
            return try MultiPassTrackEncoder(passCount: 2) { number throws(MediaError) in
                try open(number == 1 ? statistics.firstPass : statistics.secondPass)
            }
        case .audio(let settings):
            return try AudioTrackEncoder(settings, hint: hint?.audio, isLive: isRealTime)
        case nil: return PassthroughTrackEncoder(hint: hint, timeScale: scale, end: presentedEnd)
        }
    }

    private func opening(_ settings: VideoSettings, timeScale: Int32) -> VideoTrackEncoder.Opening? {
        guard let openVideo else { return nil }
        var complete = settings.completed(by: hint?.video)
        (complete.width, complete.height) = TrackFrames.size(settings, hint: hint?.video)
        let color = TrackFrames.color(settings, hint: hint?.video)
        return { [complete] (_: EncoderThreads, _: EncoderEffort) throws(MediaError) in
            try openVideo(complete, color, timeScale)
        }
    }

    /// The default ticks per second. Microseconds are the resolution of V4L2's timestamps, so every frame keeps its
    /// exact time. A title, a timecode or metadata may last for hours, so it needs coarser ticks to fit in 32 bits.
    private var usualTimeScale: Int32 {
        switch mediaType {
        case .text: 1000
        case .timecode: hint?.timecode?.frameDuration.timescale ?? 1000
        // Thirteen hours fit in 32 bits, and the times of frames at the usual rates are exact.
        case .metadata: 90_000
        case .video, .audio: 1_000_000
        }
    }

    /// Returns true if a second pass improves the result. It distributes a given number of bits better, but constant
    /// quality has no such number.
    private func gainsByTwoPasses(_ settings: VideoSettings) -> Bool {
        guard wantsPasses, case .bitRate = settings.rateControl else { return false }
        return settings.codec == .h264 || settings.codec == .hevc
    }
}
