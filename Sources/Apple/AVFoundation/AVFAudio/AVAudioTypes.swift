public import Foundation

public typealias AVAudioFrameCount = UInt32
public typealias AVAudioFramePosition = Int64
public typealias AVAudioPacketCount = UInt32
public typealias AVAudioChannelCount = UInt32

/// A pointer to the place where a call stores its error; Foundation on Linux does not have this name.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// A form of linear PCM in the processor's byte order.
public enum AVAudioCommonFormat: UInt, Sendable {
    /// Any other form, and compressed audio.
    case otherFormat = 0
    case pcmFormatFloat32 = 1
    case pcmFormatFloat64 = 2
    case pcmFormatInt16 = 3
    case pcmFormatInt32 = 4
}
