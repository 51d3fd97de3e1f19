import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

@Suite struct EncoderEffortTests {
    private static let presets = ["ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow"]

    private static let frames = (0..<20).map { SyntheticMedia.noisyFrame($0) }

    private func encoder(_ preset: String, _ effort: EncoderEffort = .full) throws -> H264Encoder {
        try H264Encoder(
            settings: VideoSettings(width: 320, height: 192, preset: preset, expectedFrameRate: 30), color: .bt709,
            timeScale: 1_000_000, isRealTime: true, effort: effort)
    }

    /// The packets of 20 frames.
    private func packets(_ encoder: H264Encoder, _ change: (Int) -> Void = { _ in }) throws -> [SampleBuffer] {
        var packets: [SampleBuffer] = []
        for number in Self.frames.indices {
            change(number)
            try encoder.encode(Self.frames[number], at: MediaTime(value: Int64(number), timescale: 30)) {
                packets.append($0)
            }
        }
        try encoder.finish { packets.append($0) }
        return packets
    }

    private func bytes(_ packets: [SampleBuffer]) -> [[UInt8]] {
        packets.map { packet in
            guard case .data(let data) = packet.content else { return [] }
            return Array(data.bytes)
        }
    }

    @Test(arguments: presets) func effort_anyStep_keepsTheDecoderConfiguration(preset: String) throws {
        let full = try encoder(preset)
        #expect(full.efforts.first == .full && full.efforts.count >= 2)
        for effort in full.efforts { #expect(try encoder(preset, effort).format == full.format, "\(effort)") }
    }

    @Test func effort_veryfast_hasFiveSteps() throws {
        #expect(
            try encoder("veryfast").efforts == [
                .full, .plainSearch, .wholeBlocks, .withoutLookAhead, .coarseFrames,
            ])
    }

    /// x264 cannot turn it on again.
    @Test(arguments: presets) func effort_anyStep_keepsSubpixelSearch(preset: String) throws {
        let parameters = try H264Encoder.parameters(
            VideoSettings(width: 320, height: 192, preset: preset), color: .bt709, timeScale: 1000, isRealTime: true)
        let before = parameters.analyse.i_subpel_refine
        for effort in EncoderEffort.allCases {
            var eased = parameters
            effort.ease(&eased)
            #expect(eased.analyse.i_subpel_refine >= min(1, before))
            #expect(
                eased.i_bframe == parameters.i_bframe
                    && eased.analyse.i_weighted_pred == parameters.analyse.i_weighted_pred)
        }
    }

    @Test func effort_reducedAndRestored_givesTheSamePackets() throws {
        let untouched = bytes(try packets(try encoder("medium")))
        let touched = try encoder("medium")
        let there = bytes(
            try packets(touched) { number in
                if number == 0 {
                    for effort in touched.efforts where !effort.isWithoutLookAhead {
                        #expect(touched.ease(to: effort))
                    }
                    #expect(touched.ease(to: .full))
                }
            })
        #expect(there == untouched)
    }

    @Test func effort_reduced_givesOtherPackets() throws {
        let untouched = try encoder("medium")
        let eased = try encoder("medium")
        #expect(eased.ease(to: .wholeBlocks))
        #expect(bytes(try packets(untouched)) != bytes(try packets(eased)))
    }
}
