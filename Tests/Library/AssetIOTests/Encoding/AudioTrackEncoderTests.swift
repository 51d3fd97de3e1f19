import MediaCodecs
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

@Suite struct AudioTrackEncoderTests {
    private func time(_ seconds: Double) -> MediaTime { MediaTime(seconds: 100 + seconds, timescale: 48_000) }

    /// Encodes one second of audio at each of these times; returns the packets and the number of audio frames that they
    /// account for.
    private func encode(
        _ codec: AudioCodec, at times: [Double]
    ) throws -> (encoder: AudioTrackEncoder, packets: [SampleBuffer], accounted: Int64) {
        let encoder = try AudioTrackEncoder(AudioSettings(codec: codec), hint: SyntheticMedia.pcm)
        var packets: [SampleBuffer] = []
        var accounted: Int64 = 0
        let output: TrackEncoder.Output = { packet, count in
            packets.append(packet)
            accounted += count
        }
        for time in times {
            try encoder.encode(
                SyntheticMedia.tone(from: 0, count: 48_000, at: self.time(time)), output: output)
        }
        try encoder.finish(output: output)
        return (encoder, packets, accounted + encoder.unaccountedSamples)
    }

    @Test(arguments: [AudioCodec.aac, .alac, .linearPCM]) func encoding_gapOfEightHours_isNotEncoded(codec: AudioCodec)
        throws
    {
        let night = 8.0 * 3600
        let (encoder, packets, accounted) = try encode(codec, at: [0, 1, night, night + 1])
        // The packets hold four seconds, not the whole night.
        #expect(packets.reduce(0) { $0 + $1.sampleCount } < 5 * 48_000)
        #expect(accounted == 4 * 48_000)
        #expect(encoder.facts.gaps.count == 1 && encoder.facts.gaps.frames == Int64((night - 2) * 48_000))
        #expect(encoder.end == time(night + 2))

        // Times rise and jump once. The audio after the jump is anchored at its own time, with its own priming.
        let times = packets.map(\.presentationTime)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        let behind = packets.filter { $0.presentationTime > time(60) }
        let priming = MediaTime(value: Int64(encoder.primingFrames), timescale: 48_000)
        #expect(behind.first?.presentationTime == time(night) - priming)
        let jumps = zip(packets, packets.dropFirst()).filter {
            $0.presentationTime + ($0.duration ?? .zero) != $1.presentationTime
        }
        #expect(jumps.count == 1)
        let before = packets.filter { $0.presentationTime < time(60) }
        #expect(before[0].presentationTime == time(0) - priming)
        #expect(before.reduce(0) { $0 + $1.sampleCount } >= 2 * 48_000 + encoder.primingFrames)
    }

    @Test func encoding_gapOfThirtySeconds_isFilledWithSilence() throws {
        let (encoder, packets, accounted) = try encode(.linearPCM, at: [0, 31])
        #expect(packets.reduce(0) { $0 + $1.sampleCount } == 32 * 48_000 && accounted == 2 * 48_000)
        #expect(encoder.facts.gaps.count == 1 && encoder.facts.gaps.frames == 30 * 48_000 && encoder.end == time(32))
    }

    @Test func encoding_jumpBack_isCut() throws {
        let (encoder, packets, accounted) = try encode(.linearPCM, at: [200, 0, 201])
        #expect(packets.reduce(0) { $0 + $1.sampleCount } == 2 * 48_000)
        #expect(encoder.cutSamples == 48_000 && accounted == 2 * 48_000 && encoder.end == time(202))
    }

    /// A live block is held until the next one confirms its time, and a session may have only one.
    @Test func endSession_afterOneBlock_encodesItInThatSession() throws {
        let encoder = try AudioTrackEncoder(AudioSettings(codec: .linearPCM), hint: SyntheticMedia.pcm)
        var packets: [SampleBuffer] = []
        let output: TrackEncoder.Output = { packet, _ in packets.append(packet) }
        func encode(_ second: Double) throws {
            try encoder.encode(SyntheticMedia.tone(from: 0, count: 48_000, at: time(second)), output: output)
        }
        try encode(0)
        try encoder.endSession(output: output)
        #expect(packets.first?.presentationTime == time(0))
        #expect(packets.reduce(0) { $0 + $1.sampleCount } == 48_000)
        packets = []
        for second in [200, 201] { try encode(Double(second)) }
        try encoder.finish(output: output)
        #expect(packets.first?.presentationTime == time(200))
        #expect(packets.reduce(0) { $0 + $1.sampleCount } == 2 * 48_000)
    }

    @Test func encoding_wrongSampleCount_throws() throws {
        let encoder = try AudioTrackEncoder(AudioSettings(codec: .linearPCM), hint: SyntheticMedia.pcm)
        for count in [-1, 0, 101, Int.max] {
            let sample = SampleBuffer(
                format: .audio(SyntheticMedia.pcm), content: .data(MediaData([UInt8](repeating: 0, count: 400))),
                presentationTime: .zero, sampleCount: count)
            let error = #expect(throws: MediaError.self) { try encoder.encode(sample) { _, _ in } }
            #expect(error?.code == .invalidSample)
        }
    }
}
