import AVFAudio
import Foundation
import TestSupport
import Testing

/// Buffers of a tone, and the samples of buffers.
enum AudioTone {
    /// A tone of 440 Hz in each channel, the later ones softer.
    static func buffer(_ frames: Int, _ format: AVAudioFormat, from start: Int = 0) throws -> AVAudioPCMBuffer {
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: UInt32(frames)))
        buffer.frameLength = UInt32(frames)
        for channel in 0..<Int(format.channelCount) {
            for frame in 0..<frames {
                let time = Double(start + frame) / format.sampleRate
                let value = 0.5 / Double(channel + 1) * sin(2 * .pi * 440 * time)
                let place = frame * buffer.stride
                buffer.floatChannelData?[channel][place] = Float(value)
                buffer.int16ChannelData?[channel][place] = Int16(32_767 * value)
                buffer.int32ChannelData?[channel][place] = Int32(2_147_000_000 * value)
            }
        }
        return buffer
    }

    /// The valid samples of one channel of a float buffer.
    static func samples(_ buffer: AVAudioPCMBuffer, channel: Int = 0) -> [Float] {
        guard let data = buffer.floatChannelData else { return [] }
        return (0..<Int(buffer.frameLength)).map { data[channel][$0 * buffer.stride] }
    }

    /// All frames of a file, interleaved.
    static func read(_ file: AVAudioFile, by step: UInt32 = 1111) throws -> [Float] {
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: step))
        var all: [Float] = []
        while true {
            try file.read(into: buffer)
            guard buffer.frameLength > 0, let data = buffer.floatChannelData else { return all }
            for frame in 0..<Int(buffer.frameLength) {
                for channel in 0..<Int(buffer.format.channelCount) { all.append(data[channel][frame * buffer.stride]) }
            }
        }
    }
}
