import AVFoundation
import Foundation

// swiftopus: prints the formats that the program makes, and whether it accepts others
let kinds: [(String, AVAudioFormat.OpusPCMFormat)] = [("int16", .int16), ("float32", .float32)]
for (name, kind) in kinds {
    for rate in [Double.opus8khz, 11_025, .opus48khz] {
        for channels in 1...3 as ClosedRange<AVAudioChannelCount> {
            guard let format = AVAudioFormat(opusPCMFormat: kind, sampleRate: rate, channels: channels),
                let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: .opusMax)
            else { continue }
            print(name, Int(rate), channels, buffer.frameCapacity)
        }
    }
}

var description = AudioStreamBasicDescription(
    mSampleRate: .opus48khz, mFormatID: kAudioFormatLinearPCM,
    mFormatFlags: kLinearPCMFormatFlagIsSignedInteger | kLinearPCMFormatFlagIsPacked, mBytesPerPacket: 3,
    mFramesPerPacket: 1, mBytesPerFrame: 3, mChannelsPerFrame: 1, mBitsPerChannel: 24, mReserved: 0)
let others = [
    ("deinterleaved", AVAudioFormat(standardFormatWithSampleRate: .opus48khz, channels: 2)),
    ("deep", AVAudioFormat(streamDescription: &description)),
]
for (name, format) in others { print(name, format.map { "\($0.isValidOpusPCMFormat)" } ?? "none") }
