package import MediaTypes

/// Encodes interleaved PCM into the packets of one track. Called by one thread at a time.
package protocol AudioEncoder: AnyObject {
    /// The format of the packets.
    var format: AudioFormat { get }
    /// The number of audio frames, at the output's rate, that precede the first input frame.
    var primingFrames: Int { get }
    /// The number of audio frames, at the output's rate, encoded since the anchor.
    var framesEncoded: Int64 { get }
    /// The number of floating-point values that became silence so far, because they were not finite or far too loud.
    var silencedValues: Int64 { get }

    /// Sets the presentation time of the next input frame. Called once, before the first `encode`.
    func setAnchor(_ time: MediaTime)

    /// Encodes complete audio frames of the input format.
    func encode(_ pcm: UnsafeRawBufferPointer, output: (SampleBuffer) -> Void) throws(MediaError)

    /// Outputs all remaining packets. Nothing may be encoded afterwards.
    func finish(output: (SampleBuffer) -> Void) throws(MediaError)
}

/// Opens the encoder for a track.
package enum AudioEncoders {
    /// - Parameters:
    ///   - settings: the storage settings of the track; a missing rate or channel count is that of `input`.
    ///   - input: interleaved PCM.
    /// - Throws: `invalidSettings`, which names the setting; `unsupported` for a codec that this build does not have.
    package static func open(_ settings: AudioSettings, input: AudioFormat) throws(MediaError) -> any AudioEncoder {
        let output = try AudioSettingsRules.output(settings, input: input)
        if output.codec == .linearPCM { return try PCMEncoder(input: input, output: output) }
        return try LibavAudioEncoder(settings: settings, input: input, output: output)
    }
}
