public import MediaTypes

/// Reads several tracks of sound as one. The model is AVFoundation's `AVAssetReaderAudioMixOutput`.
///
/// Gives blocks of the same length that follow each other without a hole, from the earliest track's beginning to the last
/// one's end within the reader's time range, with silence where no track has anything. A single track may be read this way
/// too, to have its gaps filled.
///
/// Sums are floating point: they may go past full scale, and are limited only in integers.
public final class AudioMixOutput: AssetReaderOutput {
    public let audioTracks: [AssetTrack]
    public let audioSettings: TrackOutput.PCM
    public let audioMix: AudioMix?
    public let core: ReaderOutputCore

    public var mediaType: MediaType { .audio }

    /// - Parameters:
    ///   - audioTracks: of one asset.
    ///   - audioSettings: what is nil is as in the track with the most channels, and at the highest rate of all.
    ///   - audioMix: volumes by the tracks' ids; nil: every track as it is.
    /// - Throws: `invalidSettings` for no track, one that is not audio or of another asset than the first, one that is there
    ///   twice, and for settings out of range; `unsupported` for a codec unknown to this build.
    public init(
        audioTracks: [AssetTrack], audioSettings: TrackOutput.PCM, audioMix: AudioMix? = nil
    ) throws(MediaError) {
        if let fault = Self.fault(audioTracks, audioSettings) {
            throw MediaError(.invalidSettings, "cannot make a mix", reason: fault)
        }
        guard let format = Self.format(audioTracks, audioSettings) else {
            throw MediaError(
                .unsupported, "cannot make a mix", reason: "the format of a track is unknown to this build")
        }
        self.audioTracks = audioTracks
        self.audioSettings = audioSettings
        self.audioMix = audioMix
        let names = audioTracks.map { String($0.id) }.joined(separator: ", ")
        core = ReaderOutputCore(tracks: audioTracks, name: "the mix of tracks \(names)") {
            (asset, _, ranges) throws(MediaError) in
            try MixSource(audioTracks, of: asset, format: format, mix: audioMix, ranges: ranges)
        }
    }

    private static func fault(_ tracks: [AssetTrack], _ settings: TrackOutput.PCM) -> String? {
        guard let first = tracks.first else { return "there are no tracks" }
        if let other = tracks.first(where: { $0.mediaType != .audio }) {
            return "track \(other.id) is \(other.mediaType)"
        }
        if tracks.contains(where: { $0.assetID != first.assetID }) { return "the tracks are of several assets" }
        if Set(tracks.map(\.id)).count < tracks.count { return "a track is there twice" }
        return settings.fault
    }

    /// What comes out; nil when a track's format is unknown.
    private static func format(_ tracks: [AssetTrack], _ settings: TrackOutput.PCM) -> AudioFormat? {
        let formats = tracks.compactMap { $0.formatDescription?.audio }
        guard formats.count == tracks.count,
            var richest = formats.max(by: { $0.channelCount < $1.channelCount })
        else { return nil }
        richest.sampleRate = formats.map(\.sampleRate).max() ?? richest.sampleRate
        return settings.output.format(for: richest)
    }
}
