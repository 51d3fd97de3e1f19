import Foundation
import MediaTypes
import Testing

@testable import MediaCodecs

@Suite struct VariableRateResamplerTests {
    private func bytes<Number>(_ numbers: [Number]) -> [UInt8] { numbers.withUnsafeBytes { Array($0) } }

    /// Converts blocks of `blockBytes` bytes and returns all output.
    private func convert(
        _ input: [UInt8], _ format: AudioFormat, blockBytes: Int, surplus: (Int) -> Double = { _ in 0 }
    ) throws -> [UInt8] {
        let resampler = try VariableRateResampler(format)
        var made: [UInt8] = []
        let width = try #require(format.bytesPerFrame)
        var position = 0
        while position < input.count {
            let end = min(position + blockBytes, input.count)
            resampler.surplus = surplus(position / width)
            let block = MediaData(Array(input[position..<end]))
            try withExtendedLifetime(block) { try resampler.convert(block.bytes) { made.append(contentsOf: $0) } }
            // The output and the held frames equal the input, except for the effect of the ratio.
            let inside = Double(made.count / width) + resampler.heldFrames - Double(end / width)
            #expect(abs(inside) < 0.0021 * Double(end / width) + 0.001)
            position = end
        }
        try resampler.finish { made.append(contentsOf: $0) }
        return made
    }

    private func randomBytes(_ count: Int) -> [UInt8] {
        var state: UInt32 = 1
        return (0..<count).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
    }

    @Test(arguments: [PCMSampleFormat.s8, .s16, .s24, .s32], [false, true])
    func resampler_integerPCMAtTheSameRate_isUnchanged(
        pcm: PCMSampleFormat, isBigEndian: Bool
    ) throws {
        for (channels, frames, block) in [
            (1, 5000, 7), (2, 5000, 960), (6, 3000, 441), (12, 500, 500), (2, 20_000, 20_000),
        ] {
            let format = AudioFormat(pcm: pcm, sampleRate: 44_100, channelCount: channels, isBigEndian: isBigEndian)
            let width = pcm.byteCount * channels
            let input = randomBytes(frames * width)
            #expect(try convert(input, format, blockBytes: block * width) == input, "\(channels) channels")
        }
    }

    @Test func resampler_floatingPointAtTheSameRate_isUnchanged() throws {
        let samples = randomBytes(20_000).map { (Double($0) - 128) / 100 }
        let double = AudioFormat(pcm: .float64, sampleRate: 48_000, channelCount: 2)
        #expect(try convert(bytes(samples), double, blockBytes: 960 * 16) == bytes(samples))
        let float = AudioFormat(pcm: .float32, sampleRate: 48_000, channelCount: 2)
        let singles = bytes(samples.map(Float.init))
        #expect(try convert(singles, float, blockBytes: 960 * 8) == singles)
    }

    @Test(arguments: [1, 2, 31, 32, 33, 63, 64, 65, 100]) func resampler_fewAudioFrames_areComplete(frames: Int) throws
    {
        let format = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 1)
        let input = randomBytes(frames * 2)
        for block in [1, frames] { #expect(try convert(input, format, blockBytes: block * 2) == input) }
    }

    @Test func resampler_noInput_givesNoOutput() throws {
        let format = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 1)
        #expect(try convert([], format, blockBytes: 2) == [])
        #expect(throws: MediaError.self) {
            try VariableRateResampler(AudioFormat(codec: .aac, sampleRate: 48_000, channelCount: 1))
        }
    }

    @Test(arguments: [200e-6, -200e-6, 1000e-6, -1500e-6]) func resampler_surplus_isExactToTheAudioFrame(
        surplus: Double
    ) throws {
        let format = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2)
        let frames = 2_400_000
        // Blocks larger than libswresample applies one ratio to, and small ones.
        for block in [frames, 960] {
            let made = try convert([UInt8](repeating: 0, count: frames * 4), format, blockBytes: block * 4) { _ in
                surplus
            }
            // The ratio's unit is 2⁻²⁰: half of that over 50 s.
            #expect(abs(Double(made.count / 4) - Double(frames) * (1 + surplus)) < 2.5)
        }
    }

    /// The ratio of signal to error in decibels, for a tone whose rate wanders by hundreds of parts per million. The
    /// reference is the same tone, sampled at the source positions of the output frames.
    private func purity(_ frequency: Double) throws -> Double {
        let format = AudioFormat(pcm: .float64, sampleRate: 48_000, channelCount: 1)
        let resampler = try VariableRateResampler(format)
        var (signal, wrong, place) = (0.0, 0.0, 0.0)
        for block in 0..<500 {
            let tone = (0..<960).map { 0.5 * sin(2 * .pi * frequency * Double(block * 960 + $0) / 48_000) }
            resampler.surplus = block < 20 ? 0 : 600e-6 * sin(Double(block) / 40)
            let units = (resampler.surplus / (1 + resampler.surplus) * 1_048_576).rounded()
            var made: [UInt8] = []
            let data = MediaData(bytes(tone))
            try withExtendedLifetime(data) { try resampler.convert(data.bytes) { made.append(contentsOf: $0) } }
            for sample in made.withUnsafeBytes({ Array($0.bindMemory(to: Double.self)) }) {
                let ideal = 0.5 * sin(2 * .pi * frequency * place / 48_000)
                signal += ideal * ideal
                wrong += (sample - ideal) * (sample - ideal)
                place += 1 - units / 1_048_576
            }
        }
        return 10 * log10(signal / wrong)
    }

    @Test(arguments: [100.0, 1000, 10_000, 15_000, 20_000]) func resampler_changingRatio_addsNothingAudible(
        frequency: Double
    ) throws {
        let decibels = try purity(frequency)
        #expect(decibels > 110)
    }

    @Test func resampler_channels_areNotMixed() throws {
        let format = AudioFormat(pcm: .float32, sampleRate: 48_000, channelCount: 3)
        let frames = 20_000
        let input: [Float] = (0..<frames).flatMap { [Float(0.25), 0, $0 % 2 == 0 ? -0.5 : -0.5] }
        let made = try convert(bytes(input), format, blockBytes: 960 * 12) { _ in 700e-6 }
        made.withUnsafeBytes { bytes in
            let samples = bytes.bindMemory(to: Float.self)
            for frame in stride(from: 100, to: samples.count / 3 - 100, by: 1) {
                #expect(abs(samples[3 * frame] - 0.25) < 1e-5 && samples[3 * frame + 1] == 0)
                #expect(abs(samples[3 * frame + 2] + 0.5) < 1e-5)
            }
        }
    }
}
