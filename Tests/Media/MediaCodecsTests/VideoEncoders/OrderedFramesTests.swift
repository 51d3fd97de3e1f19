import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

/// Tests of HEVC and AV1 encoders that keep frames in their order: every frame must show what was encoded.
@Suite(.serialized) struct OrderedFramesTests {
    private static let presets = ["ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slower"]
    private static let rates: [VideoSettings.RateControl] = [
        .constantQuality(4), .constantQuality(26), .bitRate(1_000_000),
    ]

    private static let positions: [(ChromaPosition?, UInt8)] = [(nil, 0), (.left, 1), (.topLeft, 2)]
    private static let count = 60

    private func time(_ number: Int) -> MediaTime { MediaTime(value: Int64(number) * 3600, timescale: 90_000) }

    /// Encodes frames of different brightness, and returns the brightness of the decoded ones.
    private func brightness(
        _ codec: VideoCodec, _ preset: String, _ rate: VideoSettings.RateControl, isRealTime: Bool = true,
        encoders: [String]? = nil, keyframes: Set<Int> = [], packets: (SampleBuffer) -> Void = { _ in }
    ) throws -> [Int] {
        let settings = VideoSettings(
            codec: codec, width: 128, height: 96, rateControl: rate, preset: preset,
            keyframeInterval: MediaTime(value: 2, timescale: 1), expectedFrameRate: 25,
            maximumBFrames: isRealTime ? nil : 0)
        let chosen = try encoders.map { try LibavVideoCodec(codec, name: "\(codec)", candidates: $0) }
        let encoder = try LibavVideoEncoder(
            settings, color: .bt709, timeScale: 90_000, isRealTime: isRealTime, with: chosen)
        let input = EncoderFrameInput(
            width: 128, height: 96, bitDepth: encoder.input.bitDepth, layout: encoder.input.layout)
        var coded: [SampleBuffer] = []
        for number in 0..<Self.count {
            let frame = try input.convert(SyntheticMedia.frame(number, width: 128, height: 96, format: .i420))
            try encoder.encode(frame, at: time(number), asKeyframe: keyframes.contains(number)) { coded.append($0) }
        }
        try encoder.finish { coded.append($0) }
        coded.forEach(packets)

        let decoder = try VideoDecoder(
            format: encoder.format, hints: DecoderHints(codecName: codec.rawValue), timeScale: 90_000,
            pixelFormat: nil, sharesMemory: false)
        var found: [Int] = []
        let output = { (sample: SampleBuffer) in
            guard case .pixels(let pixels) = sample.content, let luma = pixels.plane(0).first else { return }
            found.append(Int(luma))
        }
        for packet in coded { try decoder.decode(CodedSample(packet), output: output) }
        try decoder.finish(output: output)
        return found
    }

    private func expectBrightness(_ found: [Int], _ rate: VideoSettings.RateControl) {
        let wrong = zip(found, 0..<Self.count).count { abs($0 - Int(SyntheticMedia.luma($1))) > 3 }
        #expect(found.count == Self.count && wrong == 0, "\(rate): \(wrong) of \(found)")
    }

    @Test(arguments: [VideoCodec.hevc, .av1], presets)
    func encode_liveFramesOfAnyBrightness_areDecodedWithTheirs(codec: VideoCodec, preset: String) throws {
        for rate in Self.rates { expectBrightness(try brightness(codec, preset, rate), rate) }
    }

    @Test(arguments: ["superfast", "medium"])
    func encode_framesOfAnyBrightnessWithoutBFrames_areDecodedWithTheirs(preset: String) throws {
        let rate = Self.rates[1]
        expectBrightness(try brightness(.av1, preset, rate, isRealTime: false), rate)
    }

    /// libavcodec's libaom has no header before its first packet. It makes the requested keyframes itself.
    @Test(arguments: [true, false], ["ultrafast", "medium"])
    func encode_libaom_makesARequestedKeyframe(isRealTime: Bool, preset: String) throws {
        for rate in Self.rates {
            var keyframes: [MediaTime] = []
            let found = try brightness(
                .av1, preset, rate, isRealTime: isRealTime, encoders: ["libaom-av1"], keyframes: [17]
            ) { if $0.isKeyframe { keyframes.append($0.presentationTime) } }
            expectBrightness(found, rate)
            // Others may come when the brightness changes a lot.
            #expect(keyframes.contains(time(0)) && keyframes.contains(time(17)), "\(keyframes)")
        }
    }

    /// The record has it in its third byte (AV1 codec ISO media file format binding, 2.3.3).
    @Test(arguments: ["libsvtav1", "libaom-av1"], positions)
    func open_av1WithAChromaPosition_hasItInTheHeader(name: String, expected: (ChromaPosition?, UInt8)) throws {
        var settings = VideoSettings(
            codec: .av1, width: 128, height: 96, rateControl: .constantQuality(30), preset: "superfast",
            keyframeInterval: MediaTime(value: 2, timescale: 1), expectedFrameRate: 25)
        settings.chromaPosition = expected.0
        let encoder = try LibavVideoEncoder(
            settings, color: .bt709, timeScale: 90_000, isRealTime: true,
            with: LibavVideoCodec(.av1, name: "AV1", candidates: [name]))
        let record = encoder.format.decoderConfiguration
        #expect(record.count > 4 && record[2] & 3 == expected.1, "\(record)")
    }

    @Test(arguments: [("1.4", "libsvtav1"), ("2.3", "libaom-av1"), ("3.1", "libaom-av1"), ("4.2", "libsvtav1")])
    func liveAV1_versionThatLosesChanges_isNotTheFirstChoice(version: String, first: String) throws {
        let version = try #require(SVTVersion(version))
        #expect(LibavVideoCodec.liveAV1(version).first == first && LibavVideoCodec.liveAV1(version).count == 2)
    }
}
