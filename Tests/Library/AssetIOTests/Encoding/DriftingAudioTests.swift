import Foundation
import MediaCodecs
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests with real audio of a drifting device, through to the packets.
@Suite struct DriftingAudioTests {
    private static let origin = MediaTime(value: 100, timescale: 1)

    /// Records seconds of a device into PCM of its own format; returns all packets joined.
    private func record<Number>(
        _ seconds: Double, _ device: DriftingDevice, _ format: AudioFormat,
        stamp: (DriftingDevice.Block) -> Double = { $0.measured },
        samples: (DriftingDevice.Block, _ seconds: (Int) -> Double) -> [Number]
    ) throws -> (encoder: AudioTrackEncoder, samples: [Number], captured: Int64, accounted: Int64, start: Double) {
        var device = device
        let encoder = try AudioTrackEncoder(AudioSettings(codec: .linearPCM, pcm: format.pcm), hint: format)
        var made: [Number] = []
        var accounted: Int64 = 0
        var captured: Int64 = 0
        var start: Double?
        let output: TrackEncoder.Output = { packet, count in
            if start == nil { start = (packet.presentationTime - Self.origin).seconds }
            guard case .data(let data) = packet.content else { return }
            made.append(contentsOf: data.bytes.bindMemory(to: Number.self))
            accounted += count
        }
        var before = device
        while true {
            let block = device.next()
            guard block.time < seconds else { break }
            before = device
            let time = Self.origin + MediaTime(nanoseconds: Int64((stamp(block) * 1e9).rounded()))
            let rate = 48_000 * (1 + before.drift(block.time))
            let pcm = samples(block) { block.time + Double($0) / rate }
            try encoder.encode(SyntheticMedia.audio(pcm, format: format, at: time), output: output)
            captured += Int64(block.frames)
        }
        try encoder.finish(output: output)
        return (encoder, made, captured, accounted + encoder.unaccountedSamples, start ?? .nan)
    }

    @Test(arguments: [(1000e-6, DriftingDevice.Jitter.card), (-200e-6, .usb), (-1000e-6, .server)])
    func encoding_driftingDevice_keepsClicksAtTheirTimes(drift: Double, jitter: DriftingDevice.Jitter) throws {
        let device = DriftingDevice(blockFrames: 960, jitter: jitter) { _ in drift }
        let result = try record(100, device, SyntheticMedia.clickFormat) { block, seconds -> [Int16] in
            var samples = [Int16](repeating: 0, count: block.frames)
            // A click at each full second, in the shape that TestSupport uses: its peak in the middle.
            let second = seconds(block.frames).rounded(.down)
            let place = Int(((second - block.time) * 48_000 * (1 + drift)).rounded())
            for (offset, value) in zip(-2...2, [4000, -14_000, 28_000, -14_000, 4000] as [Int16])
            where samples.indices.contains(place + offset) {
                samples[place + offset] = value
            }
            return samples
        }
        #expect(result.accounted == result.captured && result.encoder.cutSamples == 0)
        let clicks = SyntheticMedia.clickPlaces(in: result.samples.map { Float($0) / 32_768 })
        #expect((99...101).contains(clicks.count))
        var worst = 0.0
        for click in clicks {
            let time = result.start + Double(click) / 48_000
            guard time > 60 else { continue }
            worst = max(worst, abs(time - time.rounded()))
        }
        #expect(worst < 0.005, "off by \(worst) s")
        // The captured audio and the audio added for drift add up to the elapsed time.
        #expect(abs(Double(result.samples.count) / 48_000 - 100) < 0.05)
        let measured = try #require(result.encoder.facts.clock.driftPPM)
        #expect(abs(measured - drift * 1e6) < 20)
    }

    /// The level of the loudest part that does not belong to a pure tone, in decibels relative to the tone. Of three
    /// samples in a row each is determined by the other two; the rest is the fault. A jump of the wave by D leaves D.
    private func loudestFault(_ samples: [Float], amplitude: Double) -> Double {
        var worst = 0.0
        let window = 960
        samples.withUnsafeBufferPointer { samples in
            for start in stride(from: window, to: samples.count - 2 * window, by: window) {
                // The tone's own frequency in this window, which drift and its correction change.
                var (numerator, denominator) = (0.0, 0.0)
                for index in start..<(start + window) {
                    let middle = Double(samples[index])
                    numerator += (Double(samples[index - 1]) + Double(samples[index + 1])) * middle
                    denominator += middle * middle
                }
                let factor = numerator / denominator
                for index in start..<(start + window) {
                    let left = Double(samples[index - 1]) + Double(samples[index + 1]) - factor * Double(samples[index])
                    worst = max(worst, abs(left))
                }
            }
        }
        return 20 * log10(worst / amplitude)
    }

    @Test(arguments: [1000.0, 10_000]) func encoding_changingDrift_leavesNoStepInATone(frequency: Double) throws {
        // The clock goes from 300 ppm fast to 300 ppm slow and back.
        let device = DriftingDevice(blockFrames: 960, jitter: .usb) { 300e-6 * sin($0 / 8) }
        let format = AudioFormat(pcm: .float32, sampleRate: 48_000, channelCount: 1)
        let result = try record(40, device, format) { block, _ -> [Float] in
            (0..<block.frames).map { index in
                Float(0.5 * sin(2 * .pi * frequency * Double(block.number + Int64(index)) / 48_000))
            }
        }
        let fault = loudestFault(result.samples, amplitude: 0.5)
        #expect(result.samples.count != Int(result.captured) && fault < -90)
    }

    @Test func encoding_oneWrongTimestamp_changesNothing() throws {
        for wrong in [3600.0, 0.2, -50] {
            let device = DriftingDevice(blockFrames: 960, jitter: .card) { _ in 0 }
            let stamp = { (block: DriftingDevice.Block) in block.number == 48_000 ? wrong : block.measured }
            let result = try record(3, device, SyntheticMedia.clickFormat, stamp: stamp) { block, _ -> [Int16] in
                (0..<block.frames).map { Int16(truncatingIfNeeded: block.number + Int64($0)) }
            }
            // Nothing is missing and nothing is added, as if that timestamp had been right.
            #expect(result.samples == (0..<Int(result.captured)).map { Int16(truncatingIfNeeded: $0) }, "\(wrong)")
            #expect(result.encoder.facts.gaps.count == 0 && result.accounted == result.captured)
        }
    }

    @Test func encoding_gapDuringDrift_isSilenceOfItsLength() throws {
        let drift = 800e-6
        var device = DriftingDevice(blockFrames: 960, jitter: .card) { _ in drift }
        let encoder = try AudioTrackEncoder(AudioSettings(codec: .linearPCM), hint: SyntheticMedia.clickFormat)
        var samples: [Int16] = []
        let output: TrackEncoder.Output = { packet, _ in
            guard case .data(let data) = packet.content else { return }
            samples.append(contentsOf: data.bytes.bindMemory(to: Int16.self))
        }
        for number in 0..<3500 {
            if number == 3000 { device.lose(1.5) }
            let block = device.next()
            let time = Self.origin + MediaTime(seconds: block.measured, timescale: 1_000_000_000)
            try encoder.encode(
                SyntheticMedia.audio(
                    [Int16](repeating: 1000, count: 960), format: SyntheticMedia.clickFormat, at: time),
                output: output)
        }
        try encoder.finish(output: output)
        let silent = samples.indices.filter { samples[$0] == 0 }
        let first = try #require(silent.first)
        let last = try #require(silent.last)
        #expect(last - first + 1 == silent.count && encoder.facts.gaps.frames == Int64(silent.count))
        #expect(abs(silent.count - 72_000) < 10)
        #expect(abs(Double(first) / 48_000 - 3000 * 0.02 / (1 + drift)) < 0.002)
    }
}
