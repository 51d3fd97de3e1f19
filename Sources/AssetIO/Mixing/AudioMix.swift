public import MediaTypes

/// How loud each track of an asset is when they are heard together. The model is AVFoundation's `AVMutableAudioMix`.
public struct AudioMix: Sendable, Hashable {
    /// At most one for a track; a track without any is heard as it is. Of several the first counts.
    public var inputParameters: [AudioMixInputParameters]

    public init(inputParameters: [AudioMixInputParameters] = []) { self.inputParameters = inputParameters }

    func envelope(of track: AssetTrack) -> VolumeEnvelope {
        inputParameters.first { $0.trackID == track.id }?.envelope ?? VolumeEnvelope()
    }
}

/// The volume of one track over time: 1 is as it is stored, 0 silence.
///
/// Before the first change it is 1; what a change has brought about holds until the next one.
public struct AudioMixInputParameters: Sendable, Hashable {
    public let trackID: AssetTrack.ID
    private(set) var envelope = VolumeEnvelope()

    public init(trackID: AssetTrack.ID) { self.trackID = trackID }
    public init(track: AssetTrack) { self.init(trackID: track.id) }

    /// Changes the volume from a time on. At the time of an earlier such change it takes its place.
    ///
    /// - Parameter time: in the asset.
    /// - Throws: `invalidSettings` for a volume that is negative or no number, and a time inside a ramp.
    public mutating func setVolume(_ volume: Float, at time: MediaTime) throws(MediaError) {
        let change = VolumeEnvelope.Change(
            timeRange: TimeRange(start: time, duration: .zero), startVolume: volume, endVolume: volume)
        try envelope.add(change)
    }

    /// Lets the volume go from one value to another, evenly in amplitude, frame by frame.
    ///
    /// - Parameter timeRange: in the asset.
    /// - Throws: `invalidSettings` for a volume that is negative or no number, a range that is empty or infinite, and one in
    ///   which there is another change.
    public mutating func setVolumeRamp(
        from startVolume: Float, to endVolume: Float, timeRange: TimeRange
    ) throws(MediaError) {
        guard !timeRange.isEmpty else {
            throw MediaError(.invalidSettings, "cannot set a volume ramp", reason: "its time range is empty")
        }
        try envelope.add(
            VolumeEnvelope.Change(timeRange: timeRange, startVolume: startVolume, endVolume: endVolume))
    }

    /// The volume at a time in the asset.
    public func volume(at time: MediaTime) -> Float { envelope.volume(at: time) }
}
