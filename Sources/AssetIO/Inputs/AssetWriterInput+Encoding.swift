import Foundation
import MediaCodecs
import MediaTypes

extension AssetWriterInput {
    /// Opens the encoder that the settings ask for.
    ///
    /// - Parameters:
    ///   - temporaryDirectory: for what a first pass leaves to the second; nil: the system's.
    ///   - keyFrames: who asks for key frames between the usual ones.
    ///   - mayEase: whether a live encoder that falls behind may work less hard; nil: it never does.
    func makeEncoding(
        temporaryDirectory: URL?, keyFrames: KeyFrameRequest = KeyFrameRequest(),
        mayEase: (@Sendable () -> Bool)? = nil
    ) throws(MediaError) -> any TrackEncoding {
        let configuration = configuration
        let scale = configuration.mediaTimeScale > 0 ? configuration.mediaTimeScale : usualTimeScale
        switch outputSettings {
        case .video(let settings):
            let hint = sourceFormatHint?.video
            let open = { (pass: EncodingPass) throws(MediaError) -> any TrackEncoding in
                try VideoTrackEncoding(
                    settings, hint: hint, timeScale: scale, isRealTime: configuration.expectsMediaDataInRealTime,
                    pass: pass, keyFrames: keyFrames, mayEase: mayEase)
            }
            guard gainsByTwoPasses(settings) else { return try open(.single) }
            let statistics = try PassStatistics(in: temporaryDirectory ?? FileManager.default.temporaryDirectory)
            return try MultiPassTrackEncoding(passCount: 2) { number throws(MediaError) in
                try open(number == 1 ? statistics.firstPass : statistics.secondPass)
            }
        case .audio(let settings):
            return try AudioTrackEncoding(
                settings, hint: sourceFormatHint?.audio, isLive: configuration.expectsMediaDataInRealTime)
        case nil: return PassthroughTrackEncoding(hint: sourceFormatHint, timeScale: scale)
        }
    }

    /// Ticks per second where nobody asked for others. Microseconds are V4L2's own resolution, so that every frame keeps its
    /// exact time. A title and a timecode last for hours, and coarser ticks let 32 bits say so.
    private var usualTimeScale: Int32 {
        switch mediaType {
        case .text: 1000
        case .timecode: sourceFormatHint?.timecode?.frameDuration.timescale ?? 1000
        case .video, .audio, .metadata: 1_000_000
        }
    }

    /// A second look shares out a given number of bits better. A constant quality does not count bits.
    private func gainsByTwoPasses(_ settings: VideoSettings) -> Bool {
        guard configuration.performsMultiPassEncodingIfSupported, case .bitRate = settings.rateControl else {
            return false
        }
        return settings.codec == .h264
    }
}
