public import MediaTypes

/// Reads several audio tracks as one. Modeled on AVFoundation's `AVAssetReaderAudioMixOutput`.
///
/// Returns contiguous blocks of the same length, from the beginning of the earliest track to the end of the last one
/// within the reader's time range. They contain silence where no track has audio. A single track can be read this way
/// too, to fill its gaps.
///
/// Sums are floating-point values. They may exceed full scale, and are limited only when they are converted to
/// integers.
public final class AudioMixOutput: AssetReaderOutput {
    public let audioTracks: [AssetTrack]
    public let audioSettings: TrackOutput.PCM
    public let audioMix: AudioMix?
    public let core: ReaderOutputCore

    public var mediaType: MediaType { .audio }

    /// Creates an output for a mix.
    ///
    /// - Parameters:
    ///   - audioTracks: tracks of one asset.
    ///   - audioSettings: the output format. A sample rate that is nil becomes the highest rate of all tracks. Other
    ///     properties that are nil follow the track with the most channels.
    ///   - audioMix: the volumes by the tracks' ids; nil if every track keeps its volume.
    /// - Throws: `invalidSettings` for an empty list, a track that is not audio, belongs to a different asset than the
    ///   first track, or is listed twice, and for settings out of range; `unsupported` for a codec unknown to this
    ///   build.
    public init(
        audioTracks: [AssetTrack], audioSettings: TrackOutput.PCM, audioMix: AudioMix? = nil
    ) throws(MediaError) {
        if let fault = Self.fault(audioTracks, audioSettings) {
            throw MediaError(.invalidSettings, "cannot create a mix", reason: fault)
        }
        guard let format = Self.format(audioTracks, audioSettings) else {
            throw MediaError(
                .unsupported, "cannot create a mix", reason: "this build does not support the format of a track")
        }
        self.audioTracks = audioTracks
        self.audioSettings = audioSettings
        self.audioMix = audioMix
        let names = audioTracks.map { String($0.id) }.joined(separator: ", ")
        core = ReaderOutputCore(tracks: audioTracks, name: "the mix of tracks \(names)") {
            (asset, configuration, ranges) throws(MediaError) in
            try MixSource(
                audioTracks, of: asset, format: format, mix: audioMix, ranges: ranges, configuration: configuration)
        }
    }

    private static func fault(_ tracks: [AssetTrack], _ settings: TrackOutput.PCM) -> String? {
        guard let first = tracks.first else { return "there are no tracks" }
        if let other = tracks.first(where: { $0.mediaType != .audio }) {
            return "track \(other.id) is \(other.mediaType)"
        }
        if tracks.contains(where: { $0.assetID != first.assetID }) { return "the tracks belong to several assets" }
        if Set(tracks.map(\.id)).count < tracks.count { return "a track is listed twice" }
        return settings.fault
    }

    /// Returns the output format; nil if a track's format is unknown.
    private static func format(_ tracks: [AssetTrack], _ settings: TrackOutput.PCM) -> AudioFormat? {
        let formats = tracks.compactMap { $0.formatDescription?.audio }
        guard formats.count == tracks.count,
            var richest = formats.max(by: { $0.channelCount < $1.channelCount })
        else { return nil }
        richest.sampleRate = formats.map(\.sampleRate).max() ?? richest.sampleRate
        return settings.output.format(for: richest)
    }
}
