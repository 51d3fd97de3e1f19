import AssetIO
public import Foundation
import MediaTypes

/// How loud each audio track is when they are heard together.
open class AVAudioMix: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
    // Unchecked: only `AVMutableAudioMix` changes it, which is one thread's.
    var parameters: [AVAudioMixInputParameters] = []

    public override init() {}

    /// A track without any is heard as it is.
    open var inputParameters: [AVAudioMixInputParameters] { parameters }

    /// For the engine.
    ///
    /// - Throws: `invalidSettings` for volumes and times that are none.
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
    // Unchecked: as what it inherits from: one thread's at a time.
    open override var inputParameters: [AVAudioMixInputParameters] {
        get { parameters }
        set { parameters = newValue }
    }
}

/// The volume of one track over time: 1 is as it is stored, 0 silence. Before the first change it is 1.
open class AVAudioMixInputParameters: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
    // Unchecked: only `AVMutableAudioMixInputParameters` changes it, which is one thread's.
    var storedTrackID = kCMPersistentTrackID_Invalid
    var volumes = RampList<Float>()
    var pitchAlgorithm: AVAudioTimePitchAlgorithm?

    public override init() {}

    open var trackID: CMPersistentTrackID { storedTrackID }
    open var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm? { pitchAlgorithm }

    /// The volumes around a time, and from when to when they hold. Where nothing changes both are the same.
    ///
    /// - Returns: false behind the end of the last ramp, and where none was set; nothing is written then.
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
    // Unchecked: as what it inherits from: one thread's at a time.
    /// - Parameter track: nil: `trackID` says it later.
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

    /// Holds from a time on. What is no volume, or within a ramp, fails whoever uses the mix.
    open func setVolume(_ volume: Float, at time: CMTime) { volumes.set(volume, at: time) }

    /// Evenly from one volume to another. Ramps that overlap fail whoever uses the mix.
    open func setVolumeRamp(fromStartVolume startVolume: Float, toEndVolume endVolume: Float, timeRange: CMTimeRange) {
        volumes.set(from: startVolume, to: endVolume, in: timeRange)
    }
}
