import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of the levels of known audio.
@Suite struct WaveformTests {
    private func close(_ a: Float, _ b: Float, within tolerance: Float = 0.002) -> Bool { abs(a - b) <= tolerance }

    @Test(arguments: ["tone.wav", "tone.m4a", "tone.flac", "tone.mov"])
    func waveform_sine_hasItsPeakAndRMS(_ name: String) async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            name, ["aevalsrc=0.5*sin(2*PI*440*t)|0.25*sin(2*PI*440*t):s=48000:d=2"],
            name == "tone.m4a" ? ["-c:a", "aac", "-b:a", "256k"] : name == "tone.mov" ? ["-c:a", "alac"] : [])
        let waveform = try await Waveform.load(of: Asset(url: url), resolution: .buckets(20))
        #expect(waveform.bucketCount == 20 && waveform.channelCount == 2 && waveform.sampleRate == 48_000)
        #expect(waveform.frameCount == 96_000 && waveform.framesPerBucket == 4800)
        let tolerance: Float = name == "tone.m4a" ? 0.02 : 0.002
        // AAC rings where the tone begins and ends.
        for bucket in 1..<19 {
            #expect(close(waveform.peak(bucket: bucket, channel: 0), 0.5, within: tolerance))
            #expect(close(waveform.rms(bucket: bucket, channel: 0), 0.35355, within: tolerance))
            #expect(close(waveform.peak(bucket: bucket, channel: 1), 0.25, within: tolerance))
            #expect(close(waveform.rms(bucket: bucket, channel: 1), 0.17678, within: tolerance))
        }
    }

    @Test func waveform_silentChannel_isZero() async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make("left.wav", ["aevalsrc=0.8*sin(2*PI*100*t)*gte(t\\,1)|0:s=8000:d=2"], [])
        let waveform = try await Waveform.load(of: Asset(url: url), resolution: .buckets(2))
        #expect(waveform.peak(bucket: 0, channel: 0) == 0 && waveform.rms(bucket: 0, channel: 0) == 0)
        #expect(close(waveform.peak(bucket: 1, channel: 0), 0.8) && close(waveform.rms(bucket: 1, channel: 0), 0.5657))
        for bucket in 0..<2 {
            #expect(waveform.peak(bucket: bucket, channel: 1) == 0 && waveform.rms(bucket: bucket, channel: 1) == 0)
        }
    }

    /// Peaks and RMS by definition, from ffmpeg's decoded audio.
    private func expected(
        _ url: URL, channels: Int, borders: [Int], from first: Int = 0
    ) throws -> (peaks: [[Float]], means: [[Float]]) {
        let data = try ReadingFixture.decoded(url, ["-f", "f32le", "-c:a", "pcm_f32le"])
        let samples = data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        func level(_ body: ([Float]) -> Float) -> [[Float]] {
            zip(borders, borders.dropFirst()).map { from, to in
                (0..<channels).map { channel in
                    body((from..<to).map { samples[(first + $0) * channels + channel] })
                }
            }
        }
        return (
            level { $0.map(abs).max() ?? 0 },
            level { Float(($0.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, $0.count))).squareRoot()) }
        )
    }

    @Test(arguments: [(1, 7), (2, 7), (3, 11), (6, 13), (8, 5), (2, 1), (1, 1999)])
    func waveform_bucketBorders_areExact(channels: Int, buckets: Int) async throws {
        let fixture = try ReadingFixture()
        // An odd number of audio frames of noise, different in each bucket.
        let noise = (0..<channels).map { "random(\($0))-0.5" }.joined(separator: "|")
        let url = try fixture.make("noise.wav", ["aevalsrc=\(noise):s=11025:d=0.7"], ["-c:a", "pcm_f32le"])
        let waveform = try await Waveform.load(of: Asset(url: url), resolution: .buckets(buckets))
        let frames = waveform.frameCount
        #expect(frames == 7718 || frames == 7717, "\(frames)")
        #expect(waveform.borders == (0...buckets).map { $0 * frames / buckets })
        let (peaks, means) = try expected(url, channels: channels, borders: waveform.borders)
        for bucket in 0..<buckets {
            for channel in 0..<channels {
                #expect(waveform.peak(bucket: bucket, channel: channel) == peaks[bucket][channel])
                #expect(close(waveform.rms(bucket: bucket, channel: channel), means[bucket][channel], within: 1e-5))
            }
        }
    }

    @Test func waveform_bucketsOfADuration_endWithTheAudio() async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make("noise.wav", ["aevalsrc=random(0)-0.5:s=44100:d=1.01"], ["-c:a", "pcm_f32le"])
        let waveform = try await Waveform.load(
            of: Asset(url: url), resolution: .every(MediaTime(value: 1001, timescale: 30_000)))
        // 1471.47 audio frames each.
        let frames = waveform.frameCount
        #expect(frames == 44_541)
        #expect(waveform.borders == (0...30).map { $0 * 1001 * 44_100 / 30_000 } + [frames])
        let (peaks, _) = try expected(url, channels: 1, borders: waveform.borders)
        #expect((0..<waveform.bucketCount).map { waveform.peak(bucket: $0, channel: 0) } == peaks.map { $0[0] })
    }

    @Test func waveform_timeRange_isExactToTheAudioFrame() async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make("noise.flac", ["aevalsrc=random(0)-0.5:s=48000:d=3"], ["-c:a", "flac"])
        let range = TimeRange(
            start: MediaTime(value: 1_234_567, timescale: 1_000_000), end: MediaTime(value: 2, timescale: 1))
        let waveform = try await Waveform.load(of: Asset(url: url), timeRange: range, resolution: .buckets(10))
        let first = 59_260
        #expect(waveform.frameCount == 96_000 - first && waveform.timeRange.start == range.start)
        let (peaks, means) = try expected(url, channels: 1, borders: waveform.borders, from: first)
        for bucket in 0..<10 {
            #expect(waveform.peak(bucket: bucket, channel: 0) == peaks[bucket][0])
            #expect(close(waveform.rms(bucket: bucket, channel: 0), means[bucket][0], within: 1e-5))
        }
    }

    @Test func levelMeasure_nanAndInfinity_countAsSilence() {
        var measure = LevelMeasure(channelCount: 2)
        let samples: [Float] = [.nan, 0.5, .infinity, -0.5, -.infinity, 0.5, 0, -0.5, .signalingNaN, 0.5]
        samples.withUnsafeBufferPointer { measure.add($0) }
        #expect(measure.frameCount == 5 && measure.peak(0) == 0 && measure.rms(0) == 0)
        #expect(measure.peak(1) == 0.5 && measure.rms(1) == 0.5)
    }

    @Test func waveformBuilder_gapsAndOverlaps_countAsSilenceAndOnce() {
        var builder = WaveformBuilder(
            sampleRate: 100, channelCount: 1, start: .zero, division: .count(4, frames: 40))
        let ones = [Float](repeating: 1, count: 10)
        ones.withUnsafeBufferPointer { samples in
            builder.add(samples, at: 0)
            builder.add(samples, at: 5)
            builder.add(samples, at: 25)
        }
        let waveform = builder.finish(frames: 40)
        #expect(waveform.borders == [0, 10, 20, 30, 40])
        let means = (0..<4).map { waveform.rms(bucket: $0, channel: 0) }
        #expect(
            zip(means, [1, 0.5.squareRoot(), 0.5.squareRoot(), 0.5.squareRoot()]).allSatisfy {
                abs(Double($0) - $1) < 1e-6
            })
    }

    /// The whole, or in two parts, of which the second begins within the audio.
    @Test(arguments: [nil, 2, 5]) func waveformBuilder_fewerFramesThanBuckets_showsEachFrame(border: Int?) {
        var peaks: [Float] = []
        let parts: [(Int, Int?)] = if let border { [(0, border), (border, nil)] } else { [(0, nil)] }
        for (first, next) in parts {
            var builder = WaveformBuilder(
                sampleRate: 100, channelCount: 1, start: .zero, division: .count(10, frames: 3), from: first, to: next)
            ([0.25, 0.5, 1] as [Float]).withUnsafeBufferPointer { builder.add($0, at: 0) }
            let waveform = builder.finish(frames: 3)
            #expect(waveform.bucketCount == (next ?? 10) - first)
            peaks += (0..<waveform.bucketCount).map { waveform.peak(bucket: $0, channel: 0) }
        }
        #expect(peaks == [0, 0, 0, 0.25, 0, 0, 0.5, 0, 0, 1])
    }

    @Test func waveformBuilder_bucketsShorterThanAFrame_showEachFrame() {
        var builder = WaveformBuilder(
            sampleRate: 100, channelCount: 1, start: .zero, division: .every(MediaTime(value: 4, timescale: 1000)))
        ([0.25, 0.5] as [Float]).withUnsafeBufferPointer { builder.add($0, at: 0) }
        let waveform = builder.finish(frames: 2)
        #expect((0..<waveform.bucketCount).map { waveform.peak(bucket: $0, channel: 0) } == [0, 0, 0.25, 0, 0.5])
    }

    @Test func waveformBuilder_timeFarPastTheEnd_countsInTheLastBucket() {
        var builder = WaveformBuilder(
            sampleRate: 48_000, channelCount: 1, start: .zero, division: .count(10, frames: 100))
        [Float](repeating: 1, count: 10).withUnsafeBufferPointer { builder.add($0, at: 1 << 60) }
        let waveform = builder.finish(frames: 100)
        #expect(waveform.bucketCount == 10 && waveform.peak(bucket: 9, channel: 0) == 1)
    }

    @Test func waveform_unmeasurableInput_throws() async throws {
        let fixture = try ReadingFixture()
        let silent = Asset(url: try fixture.make("movie.mov", [ReadingFixture.frame], ["-pix_fmt", "yuv420p"]))
        let none = await #expect(throws: MediaError.self) {
            try await Waveform.load(of: silent, resolution: .buckets(10))
        }
        #expect(none?.code == .unsupported && none?.reason == "it has no audio track")
        let asset = Asset(url: try fixture.make("tone.wav", [ReadingFixture.tone], []))
        let second = MediaTime(value: 1, timescale: 1)
        let bad: [(TimeRange?, Waveform.Resolution)] = [
            (nil, .buckets(0)), (nil, .buckets(-1)), (nil, .buckets(.max)), (nil, .every(.zero)),
            (nil, .every(.positiveInfinity)), (nil, .every(MediaTime(nanoseconds: 1))),
            (TimeRange(start: second, duration: second), .buckets(1)),
            (TimeRange(start: .zero, duration: .zero), .buckets(1)),
            (TimeRange(start: -second, duration: second), .buckets(1)),
        ]
        for (range, resolution) in bad {
            let error = await #expect(throws: MediaError.self) {
                try await Waveform.load(of: asset, timeRange: range, resolution: resolution)
            }
            #expect(error?.code == .invalidSettings)
        }
    }

    @Test func waveform_damagedOrCancelled_throws() async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make("tone.wav", ["sine=frequency=440:sample_rate=48000:duration=20"], [])
        let asset = Asset(url: url)
        let task = Task { () -> MediaError.Code? in
            do throws(MediaError) {
                _ = try await Waveform.load(of: asset, resolution: .buckets(10))
                return nil
            } catch { return error.code }
        }
        task.cancel()
        #expect(await task.value == .cancelled)
        let whole = try Data(contentsOf: url)
        try whole.prefix(whole.count / 2).write(to: url)
        let error = await #expect(throws: MediaError.self) {
            try await Waveform.load(of: Asset(url: url), resolution: .buckets(10))
        }
        #expect(error?.code == .corruptData)
    }

    /// Parallel decoding must equal sequential decoding: buckets on every side of the seams, for both kinds of
    /// resolution, complete and in part.
    @Test(arguments: [["-c:a", "aac"], ["-c:a", "alac"], ["-c:a", "pcm_s16le"]])
    func waveform_decodedInParallel_equalsSequential(_ codec: [String]) async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            "long.mov", ["aevalsrc=0.5*sin(2*PI*440*t)*sin(t)|0.3*sin(9*t*t):s=48000:d=20.3"], codec)
        let asset = Asset(url: url)
        let track = try #require(try await asset.tracks(withMediaType: .audio).first)
        // AAC's decoder generates random noise, and restarts with each part.
        let tolerance: Float = codec.contains("aac") ? 0.002 : 0.000_001
        for resolution in [Waveform.Resolution.buckets(101), .every(MediaTime(value: 3, timescale: 10))] {
            for range in [
                nil,
                TimeRange(
                    start: MediaTime(value: 1234, timescale: 1000), end: MediaTime(value: 19_876, timescale: 1000)),
            ] {
                let reader = try WaveformReader(asset, track, range, resolution, action: "test")
                let whole = try reader.read(share: .infinity) { false }
                let joined = try reader.read(share: 2) { false }
                #expect(joined.borders == whole.borders && joined.bucketCount == whole.bucketCount)
                for bucket in 0..<whole.bucketCount {
                    for channel in 0..<2 {
                        let (a, b) = (
                            joined.peak(bucket: bucket, channel: channel), whole.peak(bucket: bucket, channel: channel)
                        )
                        #expect(close(a, b, within: tolerance), "bucket \(bucket)")
                        let (c, d) = (
                            joined.rms(bucket: bucket, channel: channel), whole.rms(bucket: bucket, channel: channel)
                        )
                        #expect(close(c, d, within: tolerance), "bucket \(bucket)")
                    }
                }
            }
        }
    }
}
