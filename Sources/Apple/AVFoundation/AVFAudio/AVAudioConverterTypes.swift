/// The way in which a sample rate converter uses frames before and after its input.
public enum AVAudioConverterPrimeMethod: Int, Sendable {
    case pre = 0
    case normal = 1
    case none = 2
}

/// The frames of a compressed stream that do not belong to the audio.
public struct AVAudioConverterPrimeInfo: Sendable, Hashable {
    /// Frames before the audio: an encoder's priming.
    public var leadingFrames: AVAudioFrameCount
    /// Frames after the audio: the padding of the last packet.
    public var trailingFrames: AVAudioFrameCount

    public init() { self.init(leadingFrames: 0, trailingFrames: 0) }
    public init(leadingFrames: AVAudioFrameCount, trailingFrames: AVAudioFrameCount) {
        self.leadingFrames = leadingFrames
        self.trailingFrames = trailingFrames
    }
}

/// The status that an input block returns to a converter.
public enum AVAudioConverterInputStatus: Int, Sendable {
    case haveData = 0
    /// There is no input now. The conversion returns the audio that it has converted.
    case noDataNow = 1
    /// There is no more input. The converter converts the rest and ends the stream.
    case endOfStream = 2
}

/// The result of a conversion.
public enum AVAudioConverterOutputStatus: Int, Sendable {
    /// The buffer is full, or contains the end of the output.
    case haveData = 0
    /// The block had no input. The buffer contains the audio that could be converted.
    case inputRanDry = 1
    /// The stream has ended; the buffer is empty.
    case endOfStream = 2
    case error = 3
}

/// Returns the next input of a converter, at most the requested number of packets, and stores the input's status.
public typealias AVAudioConverterInputBlock = (
    AVAudioPacketCount, UnsafeMutablePointer<AVAudioConverterInputStatus>
) -> AVAudioBuffer?
