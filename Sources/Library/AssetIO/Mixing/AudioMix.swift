public import MediaTypes

/// The volumes of an asset's tracks when they are mixed. Modeled on AVFoundation's `AVMutableAudioMix`.
public struct AudioMix: Sendable, Hashable {
    /// The parameters, one for each track. A track that is not listed keeps its volume; for a track that is listed
    /// several times, the first entry applies.
    public var inputParameters: [AudioMixInputParameters]

    public init(inputParameters: [AudioMixInputParameters] = []) { self.inputParameters = inputParameters }

    func envelope(of track: AssetTrack) -> VolumeEnvelope {
        inputParameters.first { $0.trackID == track.id }?.envelope ?? VolumeEnvelope()
    }
}

/// The volume of one track over time: 1 is the stored volume, 0 silence.
///
/// Before the first change it is 1. The volume after a change lasts until the next one.
public struct AudioMixInputParameters: Sendable, Hashable {
    public let trackID: AssetTrack.ID
    private(set) var envelope = VolumeEnvelope()

    public init(trackID: AssetTrack.ID) { self.trackID = trackID }
    public init(track: AssetTrack) { self.init(trackID: track.id) }

    /// Sets the volume from a time on. Replaces an earlier step at the same time.
    ///
    /// - Parameter time: a time in the asset.
    /// - Throws: `invalidSettings` for a volume that is negative or not finite, and a time inside a ramp.
    public mutating func setVolume(_ volume: Float, at time: MediaTime) throws(MediaError) {
        let change = VolumeEnvelope.Change(
            timeRange: TimeRange(start: time, duration: .zero), startVolume: volume, endVolume: volume)
        try envelope.add(change)
    }

    /// Changes the volume from one value to another, linearly in amplitude, frame by frame.
    ///
    /// - Parameter timeRange: a time range in the asset.
    /// - Throws: `invalidSettings` for a volume that is negative or not finite, a range that is empty or infinite, and
    ///   one that contains another change.
    public mutating func setVolumeRamp(
        from startVolume: Float, to endVolume: Float, timeRange: TimeRange
    ) throws(MediaError) {
        guard !timeRange.isEmpty else {
            throw MediaError(.invalidSettings, "cannot set a volume ramp", reason: "its time range is empty")
        }
        try envelope.add(
            VolumeEnvelope.Change(timeRange: timeRange, startVolume: startVolume, endVolume: endVolume))
    }

    /// Returns the volume at a time in the asset.
    public func volume(at time: MediaTime) -> Float { envelope.volume(at: time) }
}
