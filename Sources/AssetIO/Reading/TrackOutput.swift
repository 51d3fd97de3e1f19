public import MediaTypes

/// Reads the samples of one track of an asset. The model is AVFoundation's `AVAssetReaderTrackOutput`.
public final class TrackOutput: AssetReaderOutput {
    public let track: AssetTrack
    /// nil: samples come as they are stored.
    public let outputSettings: Settings?
    public let core: ReaderOutputCore

    /// - Throws: `invalidSettings` for settings of another media type, or out of range.
    public init(track: AssetTrack, outputSettings: Settings? = nil) throws(MediaError) {
        let action = "cannot make an output for track \(track.id)"
        if let outputSettings {
            guard outputSettings.mediaType == track.mediaType else {
                throw MediaError(
                    .invalidSettings, action,
                    reason: "its settings are for \(outputSettings.mediaType), the track is \(track.mediaType)")
            }
            if case .pcm(let form) = outputSettings, let fault = form.fault {
                throw MediaError(.invalidSettings, action, reason: fault)
            }
        }
        self.track = track
        self.outputSettings = outputSettings
        core = ReaderOutputCore(tracks: [track], name: "track \(track.id)") {
            (asset, configuration, ranges) throws(MediaError) in
            try asset.source(
                of: track, ranges: ranges,
                SourceOptions(
                    settings: outputSettings, sharesMemory: !configuration.alwaysCopiesSampleData,
                    leavesUnread: configuration.leavesUnread,
                    usefulBitDepth: configuration.usefulBitDepth, threadCount: configuration.decoderThreadCount,
                    damage: configuration.damage))
        }
    }

    public var mediaType: MediaType { track.mediaType }
}
