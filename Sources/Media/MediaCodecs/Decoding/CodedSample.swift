package import MediaTypes

/// A packet for a decoder, with the container's information about it.
package struct CodedSample: Sendable {
    package var sample: SampleBuffer
    /// True if the packet is not shown, and is decoded only because other packets depend on it.
    package var isDiscarded: Bool
    /// True if the container has presentation times; false if it has only decode times.
    package var hasPresentationTime: Bool
    /// True if the decode time is known.
    package var hasDecodeTime: Bool
    /// The numbers of decoded audio frames that are not played: `skippedFrames` from the start of this packet on, and
    /// `droppedFrames` at its end.
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

/// Information that some decoders need in addition to the format: libavcodec's fields of these names.
package struct DecoderHints: Sendable, Hashable {
    /// libavcodec's name of the codec, such as `pcm_s16be`.
    package var codecName: String
    package var bitsPerCodedSample: Int
    package var blockAlign: Int
    /// The tag as stored in the file, lowest byte first.
    package var codecTag: UInt32
    package var bitRate: Int64
    /// The number of priming frames at the start of audio.
    package var initialPadding: Int
    /// The number of frames that are decoded before the first frame is shown.
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
