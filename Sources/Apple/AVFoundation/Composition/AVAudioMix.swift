import AssetIO
public import Foundation
import MediaTypes

/// The volumes with which audio tracks are mixed.
open class AVAudioMix: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
    // Unchecked: mutable only in `AVMutableAudioMix`, which belongs to one thread.
    var parameters: [AVAudioMixInputParameters] = []

    public override init() {}

    /// The parameters of each track. A track without parameters keeps its volume.
    open var inputParameters: [AVAudioMixInputParameters] { parameters }

    /// The equivalent audio mix of the library.
    ///
    /// - Throws: `invalidSettings` for invalid volumes and times.
    var engine: AudioMix {
        get throws(MediaError) {
            var mix = AudioMix()
            for parameters in inputParameters { mix.inputParameters.append(try parameters.engine) }
            return mix
        }
    }

    open override func copy() -> Any { copy(with: nil) }
    open func copy(with zone: NSZone?) -> Any { replica(AVAudioMix()) }
    open override func mutableCopy() -> Any { mutableCopy(with: nil) }
    open func mutableCopy(with zone: NSZone?) -> Any { replica(AVMutableAudioMix()) }

    private func replica(_ other: AVAudioMix) -> AVAudioMix {
        other.parameters = parameters.compactMap { $0.copy() as? AVAudioMixInputParameters }
        return other
    }
}

open class AVMutableAudioMix: AVAudioMix, @unchecked Sendable {
    // Unchecked: like its superclass, used by one thread at a time.
    open override var inputParameters: [AVAudioMixInputParameters] {
        get { parameters }
        set { parameters = newValue }
    }
}

/// The volume of one track over time: 1 is unchanged, 0 is silence. The volume is 1 before the first change.
open class AVAudioMixInputParameters: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
    // Unchecked: mutable only in `AVMutableAudioMixInputParameters`, which belongs to one thread.
    var storedTrackID = kCMPersistentTrackID_Invalid
    var volumes = RampList<Float>()
    var pitchAlgorithm: AVAudioTimePitchAlgorithm?

    public override init() {}

    open var trackID: CMPersistentTrackID { storedTrackID }
    open var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm? { pitchAlgorithm }

    /// Returns the volume ramp at a time: its two volumes and its time range. The volumes are equal where the volume is
    /// constant.
    ///
    /// - Returns: false after the end of the last ramp, and if no volume was set. The pointers are then not written.
    open func getVolumeRamp(
        for time: CMTime, startVolume: UnsafeMutablePointer<Float>?, endVolume: UnsafeMutablePointer<Float>?,
        timeRange: UnsafeMutablePointer<CMTimeRange>?
    ) -> Bool {
        guard let ramp = volumes.ramp(at: time, initial: 1) else { return false }
        startVolume?.pointee = ramp.start
        endVolume?.pointee = ramp.end
        timeRange?.pointee = ramp.range
        return true
    }

    var engine: AudioMixInputParameters {
        get throws(MediaError) {
            var parameters = AudioMixInputParameters(trackID: Int(trackID))
            for ramp in volumes.ramps {
                if ramp.range.isEmpty {
                    try parameters.setVolume(ramp.end, at: ramp.range.start.media)
                } else {
                    try parameters.setVolumeRamp(from: ramp.start, to: ramp.end, timeRange: ramp.range.media)
                }
            }
            return parameters
        }
    }

    open override func copy() -> Any { copy(with: nil) }
    open func copy(with zone: NSZone?) -> Any { replica(AVAudioMixInputParameters()) }
    open override func mutableCopy() -> Any { mutableCopy(with: nil) }
    open func mutableCopy(with zone: NSZone?) -> Any { replica(AVMutableAudioMixInputParameters()) }

    private func replica(_ other: AVAudioMixInputParameters) -> AVAudioMixInputParameters {
        (other.storedTrackID, other.volumes, other.pitchAlgorithm) = (storedTrackID, volumes, pitchAlgorithm)
        return other
    }
}

open class AVMutableAudioMixInputParameters: AVAudioMixInputParameters, @unchecked Sendable {
    // Unchecked: like its superclass, used by one thread at a time.
    /// - Parameter track: the track; nil if `trackID` is set later.
    public convenience init(track: AVAssetTrack?) {
        self.init()
        storedTrackID = track?.trackID ?? kCMPersistentTrackID_Invalid
    }

    open override var trackID: CMPersistentTrackID {
        get { storedTrackID }
        set { storedTrackID = newValue }
    }
    open override var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm? {
        get { pitchAlgorithm }
        set { pitchAlgorithm = newValue }
    }

    /// Sets the volume that applies from a time on. Using the mix fails if the volume is invalid, or if the time is
    /// within a ramp.
    open func setVolume(_ volume: Float, at time: CMTime) { volumes.set(volume, at: time) }

    /// Changes the volume linearly. Using the mix fails if ramps overlap.
    open func setVolumeRamp(fromStartVolume startVolume: Float, toEndVolume endVolume: Float, timeRange: CMTimeRange) {
        volumes.set(from: startVolume, to: endVolume, in: timeRange)
    }
}
