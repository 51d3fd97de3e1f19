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
        guard input.codec == .linearPCM, input.pcm != nil else {
            throw MediaError(.invalidSettings, "cannot encode \(input.codec) sound", reason: "the input must be linear PCM")
        }
        guard (1...64).contains(input.channelCount), (1...768_000).contains(input.sampleRate) else {
            throw MediaError(
                .invalidSettings, "cannot encode sound of \(input.channelCount) channels at \(input.sampleRate) Hz",
                reason: "1 to 64 channels at 1 to 768000 Hz are possible")
        }
        let channels = settings.channelCount ?? input.channelCount
        guard (1...8).contains(channels) else {
            throw MediaError(.invalidSettings, "cannot encode \(channels) channels", reason: "1 to 8 are possible")
        }
        let layout = settings.layout ?? (channels == input.channelCount ? input.layout : nil)
        if let layout, layout.channelCount != channels {
            throw MediaError(
                .invalidSettings, "cannot encode \(channels) channels as \(layout.rawValue)",
                reason: "that layout has \(layout.channelCount)")
        }
        guard channels <= 2 || layout != nil else {
            throw MediaError(
                .invalidSettings, "cannot encode \(channels) channels", reason: "more than two need a channel layout")
        }
        let rate = settings.sampleRate ?? input.sampleRate
        guard (8000...192_000).contains(rate) else {
            throw MediaError(.invalidSettings, "cannot encode \(rate) Hz", reason: "8000 to 192000 are possible")
        }
        var output = AudioFormat(codec: settings.codec, sampleRate: rate, channelCount: channels, layout: layout)
        if settings.codec == .linearPCM {
            output.pcm = settings.pcm ?? .s16
            output.framesPerPacket = 1
            return try PCMEncoder(input: input, output: output)
        }
        return try LibavAudioEncoder(settings: settings, input: input, output: output)
    }
}
