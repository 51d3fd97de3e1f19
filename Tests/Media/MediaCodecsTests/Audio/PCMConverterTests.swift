import Foundation
import MediaCodecs
import MediaTypes
import TestSupport
import Testing

@Suite struct PCMConverterTests {
    /// Converts all samples in blocks of 1000 frames; returns the result.
    private func convert(
        _ samples: [Float], from rate: Int, to target: AudioFormat, channels: Int = 1, filterSize: Int? = nil
    ) throws -> [UInt8] {
        let input = AudioFormat(pcm: .float32, sampleRate: rate, channelCount: channels)
        let converter = try PCMConverter(input: input, output: target, filterSize: filterSize)
        let frameSize = try #require(target.bytesPerFrame)
        var (result, block) = ([UInt8](), [UInt8](repeating: 0, count: 700 * frameSize))
        func take() throws {
            while true {
                let count = try block.withUnsafeMutableBytes { try converter.take(into: $0) }
                guard count > 0 else { return }
                result += block[..<(count * frameSize)]
            }
        }
        for start in stride(from: 0, to: samples.count, by: 1000 * channels) {
            let part = Array(samples[start..<min(samples.count, start + 1000 * channels)])
            try part.withUnsafeBytes { try converter.put($0) }
            try take()
        }
        converter.finish()
        try take()
        return result
    }

    private func tone(_ count: Int, rate: Int) -> [Float] {
        (0..<count).map { Float(0.5 * sin(2 * .pi * 440 * Double($0) / Double(rate))) }
    }

    @Test(arguments: [(44_100, 48_000), (48_000, 44_100), (48_000, 16_000), (8000, 96_000), (48_000, 48_000)])
    func convert_anyRate_lastsExactlyAsLong(from rate: Int, to target: Int) throws {
        for frames in [1, 999, 44_100, 48_001] {
            let format = AudioFormat(pcm: .float32, sampleRate: target, channelCount: 1)
            let bytes = try convert(tone(frames, rate: rate), from: rate, to: format)
            let expected = (Double(frames) * Double(target) / Double(rate)).rounded()
            #expect(Double(bytes.count / 4) == expected, "\(frames) frames")
        }
    }

    @Test(arguments: [16, 32, 64]) func convert_rate_keepsTheTone(filterSize: Int) throws {
        let format = AudioFormat(pcm: .float32, sampleRate: 48_000, channelCount: 1)
        let bytes = try convert(tone(44_100, rate: 44_100), from: 44_100, to: format, filterSize: filterSize)
        let made = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        let ideal = tone(48_000, rate: 48_000)
        for index in 1000..<47_000 { #expect(abs(made[index] - ideal[index]) < 0.01, "frame \(index)") }
    }

    @Test func convert_toPackedBigEndian_storesItsBytes() throws {
        let format = AudioFormat(pcm: .s24, sampleRate: 48_000, channelCount: 2, isBigEndian: true)
        let bytes = try convert([0.5, -0.5, 0.25, 0], from: 48_000, to: format, channels: 2)
        #expect(bytes == [0x40, 0, 0, 0xC0, 0, 0, 0x20, 0, 0, 0, 0, 0])
    }

    @Test func open_impossibleFormat_isRefused() {
        let pcm = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2)
        let aac = AudioFormat(codec: .aac, sampleRate: 48_000, channelCount: 2)
        let huge = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 1000)
        for (input, output) in [(pcm, aac), (aac, pcm), (huge, pcm), (pcm, huge)] {
            let error = #expect(throws: MediaError.self) { try PCMConverter(input: input, output: output) }
            #expect(error?.code == .invalidSettings)
        }
    }
}
