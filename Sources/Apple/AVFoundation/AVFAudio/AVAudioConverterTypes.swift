/// The way in which a sample rate converter uses frames before and after its input.
public enum AVAudioConverterPrimeMethod: Int, Sendable {
    case pre = 0
    case normal = 1
    case none = 2
}

/// The frames of a compressed stream that are no part of the audio.
public struct AVAudioConverterPrimeInfo: Sendable, Hashable {
    /// Frames before the audio: an encoder's priming.
    public var leadingFrames: AVAudioFrameCount
    /// Frames after the audio: the rest of the last packet.
    public var trailingFrames: AVAudioFrameCount

    public init() { self.init(leadingFrames: 0, trailingFrames: 0) }
    public init(leadingFrames: AVAudioFrameCount, trailingFrames: AVAudioFrameCount) {
        self.leadingFrames = leadingFrames
        self.trailingFrames = trailingFrames
    }
}

/// The answer of a block that gives a converter its input.
public enum AVAudioConverterInputStatus: Int, Sendable {
    case haveData = 0
    /// There is no input for now; the conversion returns the audio that it has.
    case noDataNow = 1
    /// There is no more input: the rest is converted.
    case endOfStream = 2
}

/// The result of a conversion.
public enum AVAudioConverterOutputStatus: Int, Sendable {
    /// The buffer is full, or has the last of the output.
    case haveData = 0
    /// The block had no input for now. The buffer has the audio that could be converted.
    case inputRanDry = 1
    /// The stream has ended; the buffer is empty.
    case endOfStream = 2
    case error = 3
}

/// Returns the next input of a converter, at most the requested number of packets, and stores its status.
public typealias AVAudioConverterInputBlock = (
    AVAudioPacketCount, UnsafeMutablePointer<AVAudioConverterInputStatus>
) -> AVAudioBuffer?
