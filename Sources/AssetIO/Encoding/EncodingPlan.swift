import Foundation
import MediaCodecs
import MediaTypes

/// What one track's encoder is opened for.
struct EncodingPlan {
    let mediaType: MediaType
    /// nil: packets stay as they come.
    let settings: OutputSettings?
    /// What will be appended, where that was said.
    let hint: FormatDescription?
    /// The samples are a live source's, which cannot wait.
    let isRealTime: Bool
    /// Ticks per second of the track; 0: the usual ones.
    var timeScale: Int32 = 0
    /// In several passes, where the encoder gains by it.
    var wantsPasses = false
    /// For what a first pass leaves to the second; nil: the system's.
    var temporaryDirectory: URL?
    /// Who asks for key frames between the usual ones.
    var keyFrames = KeyFrameRequest()
    /// Of packets that stay as they come: where the last real sample ends.
    var presentedEnd: MediaTime?
    /// Of pictures that are encoded: those that are stored; nil: all.
    var stored: TimeRange?
    /// Whether a live encoder that falls behind may work less hard; asked each time. nil: it never does.
    var mayEase: (@Sendable () -> Bool)?

    init(
        _ mediaType: MediaType, settings: OutputSettings?, hint: FormatDescription?, isRealTime: Bool
    ) {
        self.mediaType = mediaType
        self.settings = settings
        self.hint = hint
        self.isRealTime = isRealTime
    }

    /// What settings say that no encoder here can do, or that contradicts itself, before one is opened; nil: nothing. An
    /// encoder may still refuse what it alone can judge.
    var fault: MediaError? {
        guard case .video(let settings) = settings else { return nil }
        do throws(MediaError) {
            try VideoEncoderRules.check(settings.completed(by: hint?.video), isRealTime: isRealTime)
            return nil
        } catch {
            return error
        }
    }

    /// - Throws: what the encoder refuses.
    func open() throws(MediaError) -> any TrackEncoding {
        let scale = timeScale > 0 ? timeScale : usualTimeScale
        switch settings {
        case .video(let settings):
            let open = { (pass: EncodingPass) throws(MediaError) -> any TrackEncoding in
                try VideoTrackEncoding(
                    settings, hint: hint?.video, timeScale: scale, isRealTime: isRealTime, pass: pass,
                    keyFrames: keyFrames, mayEase: mayEase, stored: stored)
            }
            guard gainsByTwoPasses(settings) else { return try open(.single) }
            let statistics = try PassStatistics(in: temporaryDirectory ?? FileManager.default.temporaryDirectory)
            return try MultiPassTrackEncoding(passCount: 2) { number throws(MediaError) in
                try open(number == 1 ? statistics.firstPass : statistics.secondPass)
            }
        case .audio(let settings):
            return try AudioTrackEncoding(settings, hint: hint?.audio, isLive: isRealTime)
        case nil: return PassthroughTrackEncoding(hint: hint, timeScale: scale, end: presentedEnd)
        }
    }

    /// Ticks per second where nobody asked for others. Microseconds are V4L2's own resolution, so that every frame keeps its
    /// exact time. A title and a timecode last for hours, and coarser ticks let 32 bits say so.
    private var usualTimeScale: Int32 {
        switch mediaType {
        case .text: 1000
        case .timecode: hint?.timecode?.frameDuration.timescale ?? 1000
        case .video, .audio, .metadata: 1_000_000
        }
    }

    /// A second look shares out a given number of bits better. A constant quality does not count bits.
    private func gainsByTwoPasses(_ settings: VideoSettings) -> Bool {
        guard wantsPasses, case .bitRate = settings.rateControl else { return false }
        return settings.codec == .h264 || settings.codec == .hevc
    }
}
