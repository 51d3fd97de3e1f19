import MediaTypes
import Testing

@testable import AssetIO

/// Tests of a track's volume at each audio frame.
@Suite struct VolumeEnvelopeTests {
    private func time(_ tenths: Int64) -> MediaTime { MediaTime(value: tenths, timescale: 10) }
    private func range(_ start: Int64, _ end: Int64) -> TimeRange { TimeRange(start: time(start), end: time(end)) }

    /// The volume of each audio frame, as a buffer applies it.
    private func gains(_ parameters: AudioMixInputParameters, _ first: Int64, _ count: Int, rate: Int32) -> [Float] {
        let buffer = MixBuffer(frameCapacity: count, channelCount: 1)
        let ones = [Float](repeating: 1, count: count)
        ones.withUnsafeBytes {
            buffer.add($0, at: 0, volume: VolumeCurve(parameters.envelope, sampleRate: rate), time: first)
        }
        return Array(buffer.prefix(count))
    }

    @Test func volume_betweenChanges_holdsItsValue() throws {
        var parameters = AudioMixInputParameters(trackID: 1)
        #expect(parameters.volume(at: time(5)) == 1)
        try parameters.setVolume(0.5, at: time(10))
        try parameters.setVolume(0.25, at: time(20))
        try parameters.setVolumeRamp(from: 0, to: 2, timeRange: range(30, 50))
        let expected: [(Int64, Float)] = [
            (0, 1), (9, 1), (10, 0.5), (19, 0.5), (20, 0.25), (29, 0.25), (30, 0), (35, 0.5), (40, 1), (50, 2),
            (900, 2),
        ]
        for (tenth, volume) in expected { #expect(parameters.volume(at: time(tenth)) == volume, "\(tenth)") }
        // The result is the same at each audio frame, wherever a block begins.
        let whole = gains(parameters, 0, 600, rate: 100)
        #expect(whole[99] == 1 && whole[100] == 0.5 && whole[199] == 0.5 && whole[200] == 0.25 && whole[599] == 2)
        for frame in 0..<600 {
            let volume = parameters.volume(at: MediaTime(value: Int64(frame), timescale: 100))
            #expect(abs(whole[frame] - volume) < 1e-6, "\(frame)")
        }
        for first in [0, 1, 37, 100, 299, 300, 301, 499, 500] {
            #expect(
                zip(gains(parameters, Int64(first), 100, rate: 100), whole[first...]).allSatisfy { abs($0 - $1) < 1e-6 }
            )
        }
    }

    @Test func volumeRamp_beginsBetweenAudioFrames_isExact() throws {
        var parameters = AudioMixInputParameters(trackID: 1)
        let ramp = TimeRange(
            start: MediaTime(value: 1001, timescale: 30_000), duration: MediaTime(value: 1001, timescale: 30_000))
        try parameters.setVolumeRamp(from: 1, to: 0, timeRange: ramp)
        let given = gains(parameters, 0, 4000, rate: 44_100)
        for (frame, gain) in given.enumerated() {
            let place = (Double(frame) / 44_100 - 1001.0 / 30_000) / (1001.0 / 30_000)
            #expect(abs(Double(gain) - min(1, max(0, 1 - place))) < 1e-6, "\(frame)")
        }
    }

    @Test func volume_changesAtTheSameTime_usesTheLast() throws {
        var parameters = AudioMixInputParameters(trackID: 1)
        try parameters.setVolume(0.5, at: time(10))
        try parameters.setVolume(0.75, at: time(10))
        #expect(parameters.volume(at: time(10)) == 0.75)
        try parameters.setVolumeRamp(from: 0, to: 1, timeRange: range(10, 20))
        try parameters.setVolumeRamp(from: 1, to: 0, timeRange: range(20, 30))
        try parameters.setVolume(0.25, at: time(30))
        let expected: [(Int64, Float)] = [(9, 1), (10, 0), (15, 0.5), (20, 1), (25, 0.5), (30, 0.25), (40, 0.25)]
        for (tenth, volume) in expected { #expect(parameters.volume(at: time(tenth)) == volume, "\(tenth)") }
    }

    @Test func volume_overlapsAndInvalidValues_areRefused() throws {
        var parameters = AudioMixInputParameters(trackID: 1)
        try parameters.setVolumeRamp(from: 0, to: 1, timeRange: range(10, 20))
        let before = parameters
        #expect(code { try parameters.setVolume(1, at: time(15)) } == .invalidSettings)
        for other in [
            range(5, 11), range(19, 25), range(12, 13), range(5, 25), range(10, 20), range(30, 30), range(30, 29),
        ] {
            let given = code { try parameters.setVolumeRamp(from: 0, to: 1, timeRange: other) }
            #expect(given == .invalidSettings, "\(other)")
        }
        for volume in [-0.1, .nan, .infinity] as [Float] {
            #expect(code { try parameters.setVolume(volume, at: .zero) } == .invalidSettings)
        }
        #expect(code { try parameters.setVolume(1, at: .positiveInfinity) } == .invalidSettings)
        let endless = TimeRange(start: time(30), duration: .positiveInfinity)
        #expect(code { try parameters.setVolumeRamp(from: 0, to: 1, timeRange: endless) } == .invalidSettings)
        #expect(parameters == before)
    }
}
