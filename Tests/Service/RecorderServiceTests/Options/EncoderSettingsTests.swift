import CommandInterface
import MediaTypes
import Testing

@testable import RecorderStorage

/// `encoder` in the table of settings.
@Suite struct EncoderSettingsTests {
    private func configuration(_ texts: [(key: String, text: String)]) throws -> RecordingConfiguration {
        var draft = RecordingDraft()
        for (key, text) in texts { try #require(RecordingSetting.named(key)).read(text, &draft) }
        return try draft.finished()
    }

    @Test func setting_none_isX264WithAConstantQuality() throws {
        let plain = try configuration([])
        #expect(plain.encoder == .x264)
        guard case .encoded(.h264, "veryfast", .constantQuality(23), _) = plain.video else {
            Issue.record("\(plain.video)")
            return
        }
    }

    @Test func setting_v4l2_hasABitRate() throws {
        for (texts, rate) in [
            ([(key: "encoder", text: "v4l2")], RecordingConfiguration.hardwareBitRate),
            ([(key: "encoder", text: "v4l2"), (key: "bit-rate", text: "2M")], 2_000_000),
            ([(key: "bit-rate", text: "2M"), (key: "encoder", text: "v4l2:/dev/video11")], 2_000_000),
        ] as [([(key: String, text: String)], Int)] {
            let configuration = try configuration(texts)
            guard case .encoded(.h264, _, .bitRate(rate), _) = configuration.video else {
                Issue.record("\(configuration.video)")
                continue
            }
            #expect(RecordingSetting.preset.show(configuration).isEmpty)
        }
        #expect(try configuration([(key: "encoder", text: "v4l2:/dev/video11")]).encoder == .v4l2("/dev/video11"))
    }

    @Test(arguments: ["", "V4L2", "v4l2:", "v4l2:video11", "v4l2:/dev/video 11", "vaapi", "x264:/dev/video11"])
    func setting_unknownEncoder_isRefused(text: String) {
        let error = #expect(throws: OptionError.self) { try configuration([(key: "encoder", text: text)]) }
        #expect(error?.description.contains("x264, v4l2 or v4l2:/dev/video11") == true)
    }

    @Test(arguments: [
        (("codec", "passthrough"), "packets unchanged: write --codec h264"),
        (("codec", "hevc"), "only H.264: write --codec h264"), (("codec", "av1"), "only H.264: write --codec h264"),
        (("pixel-format", "h264"), "not decoded: write --pixel-format mjpeg"),
        (("camera", "none"), "--camera is none"), (("preset", "fast"), "--preset is for x264"),
        (("crf", "20"), "--bit-rate"),
    ])
    func setting_v4l2WithWhatItCannotDo_isRefusedWithTheReason(other: (String, String), words: String) {
        let error = #expect(throws: OptionError.self) {
            try configuration([(key: "encoder", text: "v4l2"), (key: other.0, text: other.1)])
        }
        #expect(error?.description.contains(words) == true)
        #expect(error.map { Set($0.settings) } == [other.0, "encoder"])
        #expect(throws: Never.self) {
            try configuration([(key: "encoder", text: "x264"), (key: other.0, text: other.1)])
        }
    }
}
