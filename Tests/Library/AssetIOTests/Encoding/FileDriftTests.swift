import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Audio of files whose times drift away from the count of their audio frames.
@Suite struct FileDriftTests {
    private static let format = AudioFormat(pcm: .float32, sampleRate: 48_000, channelCount: 1)

    private static func tone(_ frame: Int) -> Float {
        Float(0.5 * sin(Double(frame * 440 % 48_000) / 48_000 * 2 * Double.pi))
    }

    /// The largest second difference of the tone is 0.0017. A step in the waveform has a much larger one. The last
    /// audio frames are left out, because the tone ends within the resampler's filter.
    private static func roughness(_ samples: [Float]) -> Float {
        let samples = samples.dropLast(64)
        var worst: Float = 0
        for index in samples.indices.dropFirst(2) {
            worst = max(worst, abs(samples[index] - 2 * samples[index - 1] + samples[index - 2]))
        }
        return worst
    }

    private static func numbers(_ sample: SampleBuffer) -> [Float] {
        guard case .data(let data) = sample.content else { return [] }
        return Array(data.bytes.bindMemory(to: Float.self))
    }

    /// Blocks of a tone, as a decoder returns them. Each lasts `rate` times as long as its audio frames.
    private static func blocks(_ count: Int, rate: Double, frames: Int = 1024) -> [SampleBuffer] {
        (0..<count).map { block in
            let time = (Double(block * frames) * rate * 1000).rounded()
            return SyntheticMedia.audio(
                (0..<frames).map { tone(block * frames + $0) }, format: format,
                at: MediaTime(value: Int64(time), timescale: 48_000_000))
        }
    }

    private func encoded(_ blocks: [SampleBuffer]) throws -> [Float] {
        let encoder = try AudioTrackEncoder(
            AudioSettings(codec: .linearPCM, pcm: .float32), hint: Self.format, isLive: false)
        var made: [Float] = []
        let output: TrackEncoder.Output = { packet, _ in made += Self.numbers(packet) }
        for block in blocks { try encoder.encode(block, output: output) }
        try encoder.finish(output: output)
        return made
    }

    @Test(arguments: [1.0001, 1.0005, 0.9995, 1.002]) func encoding_driftingTimes_hasNoSteps(rate: Double) throws {
        let made = try encoded(Self.blocks(1000, rate: rate))
        #expect(Self.roughness(made) < 0.002)
        #expect(abs(Double(made.count) - 1000 * 1024 * rate) < 300, "\(made.count)")
    }

    @Test(arguments: [256, 1024, 4096]) func encoding_exactTimes_isUnchanged(frames: Int) throws {
        let blocks = Self.blocks(100, rate: 1, frames: frames)
        #expect(try encoded(blocks) == blocks.flatMap(Self.numbers))
    }

    /// Also with blocks that are shorter than the resampler's filter.
    @Test(arguments: [7, 48, 1000]) func resampler_firstRatio_continuesTheWaveform(frames: Int) throws {
        let resampler = try GradualResampler(Self.format, isLazy: true)
        var made: [Float] = []
        let samples = (0..<20_000).map(Self.tone)
        for start in stride(from: 0, to: samples.count, by: frames) {
            resampler.surplus = start < 10_000 ? 0 : 0.001
            try Array(samples[start..<min(start + frames, samples.count)]).withUnsafeBytes { bytes in
                try resampler.convert(bytes) { made += $0.bindMemory(to: Float.self) }
            }
            let count = Double(made.count) + resampler.heldFrames
            #expect(abs(count - Double(min(start + frames, samples.count))) < 12)
        }
        try resampler.finish { made += $0.bindMemory(to: Float.self) }
        #expect(made.starts(with: samples.prefix(10_000)))
        #expect(Self.roughness(made) < 0.002)
        #expect((20_005...20_015).contains(made.count), "\(made.count)")
        #expect(resampler.heldFrames == 0)
    }

    private final class Source: SampleSource, @unchecked Sendable {
        // Unchecked: the test uses it in one thread.
        private var samples: [SampleBuffer]
        let allocationCount = 0
        init(_ samples: [SampleBuffer]) { self.samples = samples }
        func next() -> SampleBuffer? { samples.isEmpty ? nil : samples.removeFirst() }
        func restart(ranges: [TimeRange]) {}
    }

    private func steady(_ samples: [SampleBuffer]) throws -> [SampleBuffer] {
        let source = try SteadyAudio(Source(samples), Self.format)
        var made: [SampleBuffer] = []
        while let sample = try source.next() { made.append(sample) }
        return made
    }

    @Test func steadyAudio_driftingTimes_haveNoGaps() throws {
        let made = try steady(Self.blocks(500, rate: 1.0005))
        for (one, next) in zip(made, made.dropFirst()) { #expect(one.endTime == next.presentationTime) }
        #expect(Self.roughness(made.flatMap(Self.numbers)) < 0.002)
        let end = try #require(made.last).endTime.seconds
        #expect(abs(end - 500 * 1024 / 48_000 * 1.0005) < 0.004, "\(end)")
    }

    @Test func steadyAudio_gap_remains() throws {
        let blocks = Self.blocks(100, rate: 1)
        let made = try steady(Array(blocks[..<50] + blocks[60...]))
        #expect(made.map(\.presentationTime.seconds) == (blocks[..<50] + blocks[60...]).map(\.presentationTime.seconds))
        #expect(made.flatMap(Self.numbers) == (blocks[..<50] + blocks[60...]).flatMap(Self.numbers))
    }
}
