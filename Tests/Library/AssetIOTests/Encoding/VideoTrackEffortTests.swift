import MediaCodecs
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// Tests of a live encoder that falls behind, and of one that does not.
@Suite struct VideoTrackEffortTests {
    private let settings = VideoSettings(width: 320, height: 192, expectedFrameRate: 30)
    private static let frames = (0..<16).map { SyntheticMedia.noisyFrame($0) }

    private func encoder(
        _ clock: any HostClock, codec: VideoCodec = .h264, mayReduceEffort: (@Sendable () -> Bool)?
    ) throws -> VideoTrackEncoder {
        var settings = settings
        settings.codec = codec
        if codec != .h264 { settings.preset = "ultrafast" }
        return try VideoTrackEncoder(
            settings, hint: nil, timeScale: 1_000_000, isRealTime: true, mayReduceEffort: mayReduceEffort, clock: clock)
    }

    private func frame(_ number: Int) -> SampleBuffer {
        SampleBuffer(
            pixels: Self.frames[number % Self.frames.count],
            presentationTime: WriterFixture.start + MediaTime(value: Int64(number) * 33_333, timescale: 1_000_000))
    }

    @Test func encoding_noPressure_hasTheSamePackets() throws {
        var found: [[[UInt8]]] = []
        let policies: [(@Sendable () -> Bool)?] = [nil, { true }]
        for mayReduceEffort in policies {
            let clock = ManualClock()
            let encoder = try encoder(clock, mayReduceEffort: mayReduceEffort)
            var packets: [[UInt8]] = []
            let output = { (packet: SampleBuffer, _: Int64) in
                #expect(!packet.isEased)
                if case .data(let data) = packet.content { packets.append(Array(data.bytes)) }
            }
            for number in 0..<90 {
                clock.advance(by: 33_333_000)
                // The level of a queue whose encoder just keeps up.
                try encoder.keepUpIfAsked(number % 3 == 0 ? 0.12 : 0, output)
                try encoder.encode(frame(number), output: output)
            }
            try encoder.finish(output: output)
            #expect(packets.count == 90)
            found.append(packets)
        }
        #expect(found[0] == found[1])
    }

    @Test func encoding_effortSteps_keepTheTrackAndEveryFrame() throws {
        let clock = ManualClock()
        let encoder = try encoder(clock) { true }
        var packets: [SampleBuffer] = []
        let output = { (packet: SampleBuffer, _: Int64) in packets.append(packet) }
        var steps: [Int] = []
        for number in 0..<240 {
            clock.advance(by: number < 120 ? 300_000_000 : 1_000_000_000)
            try encoder.keepUp(pressure: number < 120 ? 0.9 : 0, output: output)
            if let step = encoder.facts.effort?.step, step != steps.last { steps.append(step) }
            try encoder.encode(frame(number), output: output)
        }
        try encoder.finish(output: output)
        #expect(steps == [0, 1, 2, 3, 4, 3, 2, 1, 0])
        let format = encoder.format
        #expect(packets.allSatisfy { $0.format == format })
        #expect(packets.count == 240 && Set(packets.map(\.presentationTime)).count == 240)
        let times = packets.compactMap(\.decodeTime)
        #expect(times.count == 240 && zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(packets.allSatisfy { $0.decodeTime! <= $0.presentationTime })
        #expect(packets.contains { $0.isEased } && !packets.last!.isEased)
    }

    /// Each step is another encoder.
    @Test(arguments: [VideoCodec.hevc, .av1])
    func encoding_effortStepsOfOtherCodecs_keepTheTrackAndEveryFrame(codec: VideoCodec) throws {
        let clock = ManualClock()
        let encoder = try encoder(clock, codec: codec) { true }
        var packets: [SampleBuffer] = []
        let output = { (packet: SampleBuffer, _: Int64) in packets.append(packet) }
        var steps: [Int] = []
        for number in 0..<120 {
            clock.advance(by: number < 60 ? 300_000_000 : 1_000_000_000)
            try encoder.keepUp(pressure: number < 60 ? 0.9 : 0, output: output)
            if let step = encoder.facts.effort?.step, step != steps.last { steps.append(step) }
            try encoder.encode(frame(number), output: output)
        }
        try encoder.finish(output: output)
        let most = try #require(encoder.facts.effort?.steps)
        #expect(most >= 1 && steps == Array(0...most) + Array((0..<most).reversed()))
        let format = encoder.format
        #expect(packets.allSatisfy { $0.format == format })
        #expect(packets.count == 120 && Set(packets.map(\.presentationTime)).count == 120)
        #expect(packets.filter(\.isKeyframe).count >= 2 * most + 1)
        let times = packets.compactMap(\.decodeTime)
        #expect(times.count == 120 && zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(packets.allSatisfy { $0.decodeTime! <= $0.presentationTime })
        #expect(packets.contains { $0.isEased } && !packets.last!.isEased)
    }

    @Test(arguments: [VideoCodec.h264, .hevc, .av1])
    func encoding_reducedEffort_decodesAndIsCounted(codec: VideoCodec) async throws {
        let clock = ManualClock()
        let encoder = try encoder(clock, codec: codec) { true }
        let fixture = try WriterFixture()
        let input = try fixture.add(.video, nil, hint: encoder.format)
        try fixture.begin()
        var eased: Int64 = 0
        let output = { (packet: SampleBuffer, _: Int64) in
            if packet.isEased { eased += 1 }
            // An encoder that is replaced delivers several packets at once.
            #expect(eventually { input.isReadyForMoreMediaData })
            #expect((try? input.append(packet)) == true)
        }
        for number in 0..<120 {
            clock.advance(by: number < 60 ? 300_000_000 : 2_000_000_000)
            try encoder.keepUp(pressure: number < 60 ? 0.9 : 0, output: output)
            try encoder.encode(frame(number), output: output)
        }
        try encoder.finish(output: output)
        try await fixture.writer.finishWriting()
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 120)
        #expect(eased > 30 && eased < 120 && input.ledger.eased == eased)
    }
}

extension VideoTrackEncoder {
    /// Reports the pressure only if the encoder watches it.
    fileprivate func keepUpIfAsked(_ pressure: Double, _ output: Output) throws {
        if watchesPressure { try keepUp(pressure: pressure, output: output) }
    }
}
