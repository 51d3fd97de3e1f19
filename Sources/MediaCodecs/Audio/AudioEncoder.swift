package import MediaTypes

/// Turns interleaved PCM into the packets of one track. One thread at a time calls it.
package protocol AudioEncoder: AnyObject {
    /// What the packets are.
    var format: AudioFormat { get }
    /// Frames at the output's rate that come out before the first frame that went in.
    var primingFrames: Int { get }
    /// Frames at the output's rate that have gone in since the anchor.
    var framesEncoded: Int64 { get }

    /// Says when the next frame to go in is heard. Once, before the first `encode`.
    func setAnchor(_ time: MediaTime)

    /// Takes whole frames of the input format.
    func encode(_ pcm: UnsafeRawBufferPointer, output: (SampleBuffer) -> Void) throws(MediaError)

    /// Gives out what is held back. Nothing may be encoded afterwards.
    func finish(output: (SampleBuffer) -> Void) throws(MediaError)
}

/// Opens the encoder for a track.
package enum AudioEncoders {
    /// - Parameters:
    ///   - settings: how the track is to be stored; missing rate and channels are the input's.
    ///   - input: interleaved PCM.
    /// - Throws: `invalidSettings` naming what is wrong, `unsupported` for a codec this build does not have.
    package static func open(_ settings: AudioSettings, input: AudioFormat) throws(MediaError) -> any AudioEncoder {
        let output = try AudioSettingsRules.output(settings, input: input)
        if output.codec == .linearPCM { return try PCMEncoder(input: input, output: output) }
        return try LibavAudioEncoder(settings: settings, input: input, output: output)
    }
}
