import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of several audio tracks read as one.
@Suite struct AudioMixOutputTests {
    private typealias Fixture = CompositionFixture

    /// A composition with a track for each asset, each beginning at its time in milliseconds.
    private func composition(_ parts: [(Asset, Int64)]) async throws -> Composition {
        var composition = Composition()
        for (asset, start) in parts {
            let track = try #require(try await asset.tracks(withMediaType: .audio).first)
            let id = try composition.addTrack(mediaType: .audio)
            try composition.insertTimeRange(
                Fixture.everything, of: track, from: asset, at: Fixture.time(start, 1000), into: id)
        }
        return composition
    }

    private func mixed(
        _ composition: Composition, _ form: TrackOutput.PCM, _ mix: AudioMix? = nil, _ range: TimeRange? = nil
    ) async throws -> [SampleBuffer] {
        let asset = Asset(composition)
        let output = try AudioMixOutput(
            audioTracks: try await asset.tracks(withMediaType: .audio), audioSettings: form, audioMix: mix)
        let reader = try AssetReader.start(asset, output, range)
        let blocks = output.all()
        #expect(reader.status == .completed, "\(String(describing: reader.error))")
        #expect(blocks.holes == [])
        return blocks
    }

    /// The amplitude of a tone in mono samples, with full scale 1 (Goertzel's algorithm).
    private func strength(_ frequency: Double, _ samples: ArraySlice<Float>, rate: Double = 48_000) -> Double {
        let coefficient = 2 * cos(2 * Double.pi * frequency / rate)
        var (before, last) = (0.0, 0.0)
        for sample in samples { (before, last) = (last, Double(sample) + coefficient * last - before) }
        return (last * last + before * before - coefficient * last * before).squareRoot() * 2 / Double(samples.count)
    }

    @Test func mix_twoTones_keepsTheirLevels() async throws {
        let fixture = try CompositionFixture()
        let low = try fixture.audio("low.wav", "0.4*sin(2*PI*500*t):d=2")
        let high = try fixture.audio(
            "high.m4a", "0.3*sin(2*PI*3000*t)|0.3*sin(2*PI*3000*t):d=2", rate: 44_100, ["-c:a", "aac"])
        let both = try await composition([(low, 0), (high, 0)])
        var quieter = AudioMixInputParameters(trackID: 2)
        try quieter.setVolume(0.5, at: .zero)
        for (mix, level) in [(AudioMix?.none, 0.3), (AudioMix(inputParameters: [quieter]), 0.15)] {
            let blocks = try await mixed(both, .init(.float32, channelCount: 1), mix)
            #expect(blocks.first?.format.audio?.sampleRate == 48_000)
            let samples = blocks.numbers(Float.self)
            #expect(samples.count == 96_000)
            let middle = samples[24_000..<72_000]
            #expect(abs(strength(500, middle) - 0.4) < 0.004, "\(strength(500, middle))")
            #expect(abs(strength(3000, middle) - level) < 0.006, "\(strength(3000, middle))")
            for other in [700.0, 1500, 2500, 3500, 6000] { #expect(strength(other, middle) < 0.002, "\(other)") }
        }
        // Unset properties come from the track with the most channels.
        #expect(try await mixed(both, .init(.s16)).first?.format.audio?.channelCount == 2)
    }

    @Test func mix_volumeRamp_isExactAtEachAudioFrame() async throws {
        let fixture = try CompositionFixture()
        let steady = try fixture.audio("steady.wav", "0.5:d=2")
        var fade = AudioMixInputParameters(trackID: 1)
        try fade.setVolumeRamp(from: 1, to: 0, timeRange: Fixture.range(5, 15, 10))
        let samples = try await mixed(
            try await composition([(steady, 0)]), .init(.float32), AudioMix(inputParameters: [fade])
        ).numbers(Float.self)
        #expect(samples.count == 96_000)
        for (frame, sample) in samples.enumerated() {
            let volume = min(1, max(0, 1 - (Double(frame) - 24_000) / 48_000))
            #expect(abs(Double(sample) - 0.5 * volume) < 1e-4, "\(frame): \(sample)")
            if abs(Double(sample) - 0.5 * volume) >= 1e-4 { break }
        }
    }

    @Test func mix_gaps_areFilledWithSilence() async throws {
        let fixture = try CompositionFixture()
        let steady = try fixture.audio("steady.wav", "0.25:d=1")
        // One track from 0.5 to 1.5 s, another from 1 to 2 and from 3 to 4 s.
        var parts = try await composition([(steady, 500), (steady, 1000)])
        let track = try #require(try await steady.tracks(withMediaType: .audio).first)
        try parts.insertTimeRange(
            Fixture.everything, of: track, from: steady, at: Fixture.time(3, 1), into: parts.tracks[1].id)
        let blocks = try await mixed(parts, .init(.s16))
        #expect(blocks.first?.presentationTime == Fixture.time(1, 2))
        #expect(blocks.dropLast().allSatisfy { $0.sampleCount == 2048 })
        let samples = blocks.numbers(Int16.self)
        #expect(samples.count == 168_000)
        let expected = { (frame: Int) -> Int16 in
            switch Double(frame) / 48_000 + 0.5 {
            case ..<1: 8192
            case ..<1.5: 16_384
            case ..<2: 8192
            case ..<3: 0
            default: 8192
            }
        }
        #expect(samples.indices.first { samples[$0] != expected($0) } == nil)

        // Any range, including one inside the gap and one that begins before all audio.
        for (from, to) in [(0, 700), (700, 1700), (2200, 2700), (2500, 3500), (3900, 6000)] {
            let range = Fixture.range(Int64(from), Int64(to), 1000)
            let part = try await mixed(parts, .init(.s16), nil, range)
            let (first, last) = (max(0, (from - 500) * 48), min(168_000, (to - 500) * 48))
            #expect(part.numbers(Int16.self) == Array(samples[first..<last]), "\(from) to \(to)")
            #expect(part.first?.presentationTime == Fixture.time(Int64(max(500, from)), 1000))
        }
        #expect(try await mixed(parts, .init(.s16), nil, Fixture.range(4, 5, 1)).isEmpty)
    }

    /// The silence in between would fill the disk.
    @Test func mix_audioYearsLater_throws() async throws {
        let fixture = try CompositionFixture()
        let steady = try fixture.audio("steady.wav", "0.25:d=1")
        var parts = try await composition([(steady, 0)])
        let track = try #require(try await steady.tracks(withMediaType: .audio).first)
        try parts.insertTimeRange(
            Fixture.everything, of: track, from: steady, at: Fixture.time(2 * 366 * 86_400, 1), into: parts.tracks[0].id
        )
        let asset = Asset(parts)
        let mix = try MixSource(
            try await asset.tracks(withMediaType: .audio), of: asset,
            format: AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 1), mix: nil, ranges: [Fixture.everything])
        // A second of audio is 24 blocks.
        #expect(code { for _ in 0..<30 { _ = try mix.next() } } == .invalidSample)
    }

    @Test func mix_sumAboveFullScale_isLimitedInIntegersOnly() async throws {
        let fixture = try CompositionFixture()
        let loud = try fixture.audio("loud.wav", "0.75:d=0.1")
        let both = try await composition([(loud, 0), (loud, 0)])
        let floats = try await mixed(both, .init(.float32)).numbers(Float.self)
        #expect(floats.count == 4800 && floats.allSatisfy { abs($0 - 1.5) < 1e-3 })
        let integers = try await mixed(both, .init(.s16)).numbers(Int16.self)
        #expect(integers.count == 4800 && integers.allSatisfy { $0 == .max })
    }

    @Test(arguments: [
        ["tone.wav", "pcm_s16le"], ["tone.m4a", "aac"], ["tone.mp3", "libmp3lame"], ["tone.webm", "libopus"],
        ["tone.mka", "aac"], ["tone.ts", "aac"], ["tone.flac", "flac"],
    ])
    func mix_oneTrack_isUnchanged(_ kind: [String]) async throws {
        let fixture = try CompositionFixture()
        let asset = try fixture.audio(
            kind[0], "0.4*sin(2*PI*(300+400*t)*t):d=1.1", ["-c:a", kind[1], "-aac_pns", "0"])
        let expected = try await AssetReader.samples(asset, .audio, .pcm(.s16))
        let output = try AudioMixOutput(
            audioTracks: try await asset.tracks(withMediaType: .audio), audioSettings: .init(.s16))
        let reader = try AssetReader.start(asset, output)
        let given = output.all()
        #expect(reader.status == .completed && given.holes == [])
        #expect(given.first?.presentationTime == expected.first?.presentationTime)
        let (one, other) = (given.numbers(Int16.self), expected.numbers(Int16.self))
        #expect(one.count == other.count)
        // Codecs that decode to floating point may differ by rounding.
        #expect(zip(one, other).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    }

    @Test func mix_randomAccess_readsOtherRanges() async throws {
        let fixture = try CompositionFixture()
        let tone = try fixture.audio("tone.wav", "0.3*sin(2*PI*440*t):d=2")
        let asset = Asset(try await composition([(tone, 0), (tone, 700)]))
        let output = try AudioMixOutput(
            audioTracks: try await asset.tracks(withMediaType: .audio), audioSettings: .init(.s16))
        try output.configure { $0.supportsRandomAccess = true }
        let reader = try AssetReader.start(asset, output)
        let all = output.all().numbers(Int16.self)
        #expect(all.count == 129_600)
        for ranges in [[1000..<40_000], [0..<10, 33_600..<33_601, 90_000..<129_600], [60_000..<90_000]] {
            try output.reset(
                forReadingTimeRanges: ranges.map {
                    Fixture.range(Int64($0.lowerBound), Int64($0.upperBound), 48_000)
                })
            #expect(output.all().numbers(Int16.self) == ranges.flatMap { all[$0] }, "\(ranges)")
        }
        output.markConfigurationAsFinal()
        #expect(reader.status == .completed)
    }

    @Test func mix_steadyState_reusesMemory() async throws {
        let fixture = try CompositionFixture()
        let tone = try fixture.audio("tone.wav", "0.3*sin(2*PI*440*t):d=30")
        let asset = Asset(try await composition([(tone, 0), (tone, 700)]))
        let output = try AudioMixOutput(
            audioTracks: try await asset.tracks(withMediaType: .audio), audioSettings: .init(.s16))
        _ = try AssetReader.start(asset, output)
        for _ in 0..<10 { #expect(output.copyNextSampleBuffer() != nil) }
        let settled = output.allocationCount
        var count = 0
        while output.copyNextSampleBuffer() != nil { count += 1 }
        #expect(count > 600 && settled > 0 && output.allocationCount == settled)
    }

    @Test func mix_invalidTracksOrSettings_areRefused() async throws {
        let fixture = try CompositionFixture()
        let asset = try fixture.movie("movie.mov")
        let tracks = try await asset.load(.tracks)
        let other = try await Asset(url: try #require(asset.url)).load(.tracks)
        for wrong in [[], [tracks[0]], [tracks[1], tracks[1]], [tracks[1], other[1]]] {
            #expect(code { _ = try AudioMixOutput(audioTracks: wrong, audioSettings: .init(.s16)) } == .invalidSettings)
        }
        #expect(
            code { _ = try AudioMixOutput(audioTracks: [tracks[1]], audioSettings: .init(.s16, channelCount: 65)) }
                == .invalidSettings)
        // The reader does not accept tracks of another asset.
        let output = try AudioMixOutput(audioTracks: [other[1]], audioSettings: .init(.s16))
        #expect(code { try AssetReader(asset: asset).add(output) } == .invalidSettings)
    }
}
