import Foundation
import MediaTypes

extension AssetWriterInput {
    /// Opens the encoder that the settings ask for.
    ///
    /// - Parameter temporaryDirectory: for what a first pass leaves to the second; nil: the system's.
    func makeEncoding(temporaryDirectory: URL?) throws(MediaError) -> any TrackEncoding {
        let configuration = configuration
        // Microseconds: V4L2's own resolution, so that every frame keeps its exact time.
        let scale = configuration.mediaTimeScale > 0 ? configuration.mediaTimeScale : 1_000_000
        switch outputSettings {
        case .video(let settings):
            return try VideoTrackEncoding(
                settings, hint: sourceFormatHint?.video, timeScale: scale,
                isRealTime: configuration.expectsMediaDataInRealTime)
        case .audio(let settings): return try AudioTrackEncoding(settings, hint: sourceFormatHint?.audio)
        case nil: return PassthroughTrackEncoding(hint: sourceFormatHint, timeScale: scale)
        }
    }
}
