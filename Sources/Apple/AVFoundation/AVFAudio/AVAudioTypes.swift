public import Foundation

public typealias AVAudioFrameCount = UInt32
public typealias AVAudioFramePosition = Int64
public typealias AVAudioPacketCount = UInt32
public typealias AVAudioChannelCount = UInt32

/// A pointer to the variable in which a function stores its error. Foundation on Linux does not define this name.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// A sample format of linear PCM in the processor's byte order.
public enum AVAudioCommonFormat: UInt, Sendable {
    /// Any other sample format, and compressed audio.
    case otherFormat = 0
    case pcmFormatFloat32 = 1
    case pcmFormatFloat64 = 2
    case pcmFormatInt16 = 3
    case pcmFormatInt32 = 4
}
