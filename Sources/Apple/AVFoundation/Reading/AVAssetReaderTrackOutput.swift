import AssetIO
import Foundation
import MediaTypes

/// An output with the samples of one track, either as stored or decoded according to the settings.
open class AVAssetReaderTrackOutput: AVAssetReaderOutput, @unchecked Sendable {
    // Unchecked: constant.
    public let track: AVAssetTrack
    public let outputSettings: [String: Any]?
    private let settings: TrackOutput.Settings?
    /// The pitch algorithm for audio that is played at another speed. Only varispeed is supported.
    open var audioTimePitchAlgorithm = AVAudioTimePitchAlgorithm.varispeed

    /// Creates an output. With invalid settings, `canAdd` returns false for it.
    public init(track: AVAssetTrack, outputSettings: [String: Any]?) {
        self.track = track
        self.outputSettings = outputSettings
        var (settings, fault): (TrackOutput.Settings?, MediaError?)
        var attributes: PixelAttributes?
        do throws(MediaError) {
            guard let engine = track.engine else {
                throw MediaError(.invalidSettings, "cannot create an output", reason: "the track has no media")
            }
            if let words = outputSettings, track.mediaType == .audio {
                settings = .pcm(try ReaderSettings.pcm(words))
            } else if let words = outputSettings {
                attributes = try ReaderSettings.frames(words, color: engine.formatDescription?.video?.color)
                settings = .pixels(attributes?.format)
            }
            _ = try TrackOutput(track: engine, outputSettings: settings)
        } catch { fault = error }
        self.settings = settings
        super.init(tracks: [track], fault: fault, attributes: attributes)
    }

    override func makeEngine() throws(MediaError) -> any AssetReaderOutput {
        guard let engine = track.engine else {
            throw MediaError(.invalidSettings, "cannot create an output", reason: "the track has no media")
        }
        return try TrackOutput(track: engine, outputSettings: settings)
    }
}
