package import MediaTypes

/// A packet on its way to a decoder, with what its container says about it.
package struct CodedSample: Sendable {
    package var sample: SampleBuffer
    /// Decoded for the sake of others and not shown.
    package var isDiscarded: Bool
    /// false: the container has decode times alone.
    package var hasPresentationTime: Bool
    /// false: nobody knows when it is decoded.
    package var hasDecodeTime: Bool
    /// Decoded frames of sound that are not heard: so many from here on, and so many at the end of this packet.
    package var skippedFrames: Int
    package var droppedFrames: Int

    package init(
        _ sample: SampleBuffer, isDiscarded: Bool = false, hasPresentationTime: Bool = true, hasDecodeTime: Bool = true,
        skippedFrames: Int = 0, droppedFrames: Int = 0
    ) {
        self.sample = sample
        self.isDiscarded = isDiscarded
        self.hasPresentationTime = hasPresentationTime
        self.hasDecodeTime = hasDecodeTime
        self.skippedFrames = skippedFrames
        self.droppedFrames = droppedFrames
    }
}

/// What some decoders must know besides the format: libavcodec's fields of these names.
package struct DecoderHints: Sendable, Hashable {
    /// libavcodec's name of the codec, as `pcm_s16be`.
    package var codecName: String
    package var bitsPerCodedSample: Int
    package var blockAlign: Int
    /// As in the file, lowest byte first.
    package var codecTag: UInt32
    package var bitRate: Int64
    /// Priming frames at the start of sound.
    package var initialPadding: Int
    /// Pictures that are decoded before the first one is shown.
    package var videoDelay: Int

    package init(
        codecName: String, bitsPerCodedSample: Int = 0, blockAlign: Int = 0, codecTag: UInt32 = 0, bitRate: Int64 = 0,
        initialPadding: Int = 0, videoDelay: Int = 0
    ) {
        self.codecName = codecName
        self.bitsPerCodedSample = bitsPerCodedSample
        self.blockAlign = blockAlign
        self.codecTag = codecTag
        self.bitRate = bitRate
        self.initialPadding = initialPadding
        self.videoDelay = videoDelay
    }
}
