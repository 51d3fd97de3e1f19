import AssetIO
import Foundation
import MediaTypes
import RealTime

/// An output that mixes several audio tracks, each with its own volume.
open class AVAssetReaderAudioMixOutput: AVAssetReaderOutput, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    public let audioTracks: [AVAssetTrack]
    public let audioSettings: [String: Any]?
    private let form: TrackOutput.PCM
    private let mix = Locked<AVAudioMix?>(nil)
    open var audioTimePitchAlgorithm = AVAudioTimePitchAlgorithm.varispeed

    /// - Parameter audioSettings: settings for linear PCM, or nil for 32-bit floating point with the tracks' rate and
    ///   channels.
    public init(audioTracks: [AVAssetTrack], audioSettings: [String: Any]?) {
        self.audioTracks = audioTracks
        self.audioSettings = audioSettings
        var (form, fault) = (TrackOutput.PCM(.float32), MediaError?.none)
        do throws(MediaError) {
            if let audioSettings { form = try ReaderSettings.pcm(audioSettings) }
            _ = try AudioMixOutput(audioTracks: audioTracks.compactMap(\.engine), audioSettings: form)
        } catch { fault = error }
        self.form = form
        super.init(tracks: audioTracks, fault: fault)
    }

    override open var mediaType: AVMediaType { .audio }

    open var audioMix: AVAudioMix? {
        get { mix.withLock { $0 } }
        set {
            guard mayChange("audioMix") else { return }
            mix.withLock { $0 = newValue?.copy() as? AVAudioMix }
        }
    }

    override func makeEngine() throws(MediaError) -> any AssetReaderOutput {
        try AudioMixOutput(
            audioTracks: audioTracks.compactMap(\.engine), audioSettings: form, audioMix: audioMix?.engine)
    }
}
