import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

/// Tests of live HEVC and AV1 encoders: their effort, their delay and requested keyframes.
@Suite struct LiveEffortTests {
    private static let presets = ["ultrafast", "superfast", "veryfast", "medium", "slow", "slower"]

    private func encoder(
        _ codec: VideoCodec, _ preset: String = "ultrafast", effort: EncoderEffort = .full,
        change: (inout VideoSettings) -> Void = { _ in }
    ) throws -> any VideoEncoder {
        var settings = VideoSettings(
            codec: codec, width: 128, height: 96, rateControl: .constantQuality(30), preset: preset,
            keyframeInterval: MediaTime(value: 100, timescale: 1), expectedFrameRate: 30)
        change(&settings)
        return try VideoEncoders.open(
            settings, color: .bt709, timeScale: 90_000, isRealTime: true, effort: effort)
    }

    private func time(_ number: Int) -> MediaTime { MediaTime(value: Int64(number) * 3000, timescale: 90_000) }

    /// Without B-frames the number of references decides about the size of the decoder's buffer.
    @Test(arguments: [VideoCodec.hevc, .av1], presets)
    func effort_anyStep_keepsTheDecoderConfiguration(codec: VideoCodec, preset: String) throws {
        for frames in [nil, 0] {
            let full = try encoder(codec, preset) { $0.maximumBFrames = frames }
            #expect(full.efforts.first == .full && full.efforts.count >= 2)
            for effort in full.efforts.dropFirst() {
                let other = try encoder(codec, preset, effort: effort) { $0.maximumBFrames = frames }
                #expect(other.format == full.format && other.efforts == full.efforts, "\(effort)")
            }
        }
    }

    @Test func effort_hevc_hasOnlyStepsThatChangeSomething() throws {
        #expect(try encoder(.hevc, "ultrafast").efforts == [.full, .withoutLookAhead, .coarseFrames])
        #expect(try encoder(.hevc, "superfast").efforts == [.full, .plainSearch, .withoutLookAhead, .coarseFrames])
        // A bit rate has no quality to reduce.
        let rated = try encoder(.hevc, "ultrafast") { $0.rateControl = .bitRate(500_000) }
        #expect(rated.efforts == [.full, .withoutLookAhead])
        let mjpeg = try encoder(.mjpeg)
        #expect(mjpeg.efforts == [.full])
        #expect(try !encoder(.hevc).canEase(from: .full, to: .withoutLookAhead))
    }

    /// The next frame may come in hours.
    @Test(arguments: presets) func encode_liveHEVCWithoutLookAhead_holdsNothing(preset: String) throws {
        let encoder = try encoder(.hevc, preset) { ($0.maximumBFrames, $0.lookAhead) = (0, 0) }
        let input = EncoderFrameInput(
            width: 128, height: 96, bitDepth: encoder.input.bitDepth, layout: encoder.input.layout)
        for number in 0..<10 {
            let frame = try input.convert(SyntheticMedia.noisyFrame(number, width: 128, height: 96))
            var times: [MediaTime] = []
            try encoder.encode(frame, at: time(number), asKeyframe: false) { times.append($0.presentationTime) }
            #expect(times == [time(number)])
        }
        try encoder.finish { _ in Issue.record("a frame was held back") }
    }

    /// SVT-AV1 is reopened for it.
    @Test(arguments: [VideoCodec.hevc, .av1])
    func encode_liveRequestedKeyframe_isAKeyframeOfTheSameTrack(_ codec: VideoCodec) throws {
        let encoder = try encoder(codec)
        let input = EncoderFrameInput(
            width: 128, height: 96, bitDepth: encoder.input.bitDepth, layout: encoder.input.layout)
        // Two frames in a row are requested, and the first, which is a keyframe anyway.
        let wanted = [0, 13, 14]
        var packets: [SampleBuffer] = []
        for number in 0..<24 {
            let frame = try input.convert(SyntheticMedia.frame(number / 30, width: 128, height: 96, format: .i420))
            try encoder.encode(frame, at: time(number), asKeyframe: wanted.contains(number)) { packets.append($0) }
        }
        try encoder.finish { packets.append($0) }
        #expect(packets.map(\.presentationTime).sorted() == (0..<24).map { time($0) })
        #expect(packets.filter(\.isKeyframe).map(\.presentationTime) == wanted.map { time($0) })

        let decoder = try VideoDecoder(
            format: encoder.format, hints: DecoderHints(codecName: codec.rawValue), timeScale: 90_000,
            pixelFormat: nil, sharesMemory: false)
        var shown: [MediaTime] = []
        for packet in packets { try decoder.decode(CodedSample(packet)) { shown.append($0.presentationTime) } }
        try decoder.finish { shown.append($0.presentationTime) }
        #expect(shown == (0..<24).map { time($0) })
    }
}
