import CommandInterface
import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

@Suite struct RecordingOptionTests {
    @Test func pixelFormat_unknown_isRefused() throws {
        #expect(try FrameText.parsePixelFormat("YUYV") == .yuyv)
        #expect(throws: OptionError.self) { try FrameText.parsePixelFormat("YUYW") }
    }

    @Test func cameraControl_invalid_isRefused() throws {
        #expect(try CameraControl(parsing: "exposure_auto=1") == CameraControl(name: "exposure_auto", value: 1))
        #expect(try CameraControl(parsing: "tilt=-3600").value == -3600)
        for text in ["", "=", "a=", "=1", "a=b", "a b=1", "a=1=2", "a"] {
            #expect(throws: OptionError.self, "\(text)") { try CameraControl(parsing: text) }
        }
    }

    @Test(arguments: ["default", "front-door", "cam.2", "A_b", "7"])
    func recordingName_valid_isAccepted(text: String) throws {
        #expect(try RecordingName(parsing: text).description == text)
    }

    @Test(arguments: [
        "", ".", "..", "../x", "a/b", "-a", ".hidden", "a b", "ä", "a\n", String(repeating: "a", count: 49),
    ])
    func recordingName_invalid_isRefused(text: String) {
        #expect(throws: OptionError.self) { try RecordingName(parsing: text) }
    }

    @Test func options_contradictory_areRefused() throws {
        #expect(throws: OptionError.self) {
            try EncodingText.video(.h264, preset: nil, crf: 20, bitRate: 1_000_000, keyframeInterval: nil)
        }
        #expect(throws: OptionError.self) {
            try EncodingText.video(.passthrough, preset: "fast", crf: nil, bitRate: nil, keyframeInterval: nil)
        }
        for codec in [VideoCodecChoice.h264, .hevc] {
            let error = #expect(throws: OptionError.self) {
                try EncodingText.video(codec, preset: nil, crf: 60, bitRate: nil, keyframeInterval: nil)
            }
            #expect(error?.description.hasSuffix("--codec \(codec.rawValue): write 0 to 51") == true)
        }
        #expect(throws: OptionError.self) {
            try EncodingText.video(.av1, preset: nil, crf: 0, bitRate: nil, keyframeInterval: nil)
        }
        #expect(throws: OptionError.self) {
            try EncodingText.audio(.alac, bitRate: 128_000, channels: nil, sampleRate: nil)
        }
        var configuration = RecordingConfiguration()
        configuration.camera = .none
        #expect(throws: Never.self) { try configuration.validate() }
        configuration.microphone = .none
        #expect(throws: OptionError.self) { try configuration.validate() }
    }

    @Test(arguments: [
        (VideoCodecChoice.h264, VideoCodec.h264, "veryfast", 23.0),
        (VideoCodecChoice.hevc, VideoCodec.hevc, "ultrafast", 22.0),
        (VideoCodecChoice.av1, VideoCodec.av1, "superfast", 34.0),
    ])
    func video_nothingChosen_hasDefaultsOfTheCodec(
        choice: VideoCodecChoice, codec: VideoCodec, preset: String, factor: Double
    ) throws {
        let interval = MediaTime(value: 2, timescale: 1)
        let usual = try EncodingText.video(choice, preset: nil, crf: nil, bitRate: nil, keyframeInterval: nil)
        #expect(
            usual
                == .encoded(codec, preset: preset, rateControl: .constantQuality(factor), keyframeInterval: interval))
        #expect(usual.choice == choice)
        let chosen = try EncodingText.video(
            choice, preset: "fast", crf: nil, bitRate: 1_000_000, keyframeInterval: interval)
        #expect(
            chosen
                == .encoded(codec, preset: "fast", rateControl: .bitRate(1_000_000), keyframeInterval: interval))
    }

    @Test(arguments: ["every", "skip-identical"]) func video_framesStoredAtOnce_refusesAV1(key: String) throws {
        let texts = ["every": "10s", "skip-identical": "yes"]
        func finish(_ codec: String) throws -> RecordingConfiguration {
            var draft = RecordingDraft()
            for (name, text) in [("codec", codec), (key, texts[key] ?? "")] {
                try #require(RecordingSetting.named(name)).read(text, &draft)
            }
            return try draft.finished()
        }
        #expect(try finish("hevc").video.choice == .hevc)
        let error = #expect(throws: OptionError.self) { try finish("av1") }
        #expect(error?.settings == ["codec", key] && error?.description.contains("--codec hevc") == true)
    }

    /// The camera's HEVC is never decoded: it is stored, or refused before the camera is opened.
    @Test(arguments: [
        ("codec", "h264", "add --codec passthrough"), ("substream", "320x180@5", "camera's HEVC is not decoded"),
        ("stamp", "%H:%M", "camera's HEVC is not decoded"),
    ])
    func pixelFormat_HEVCThatWouldBeDecoded_isRefused(key: String, text: String, words: String) throws {
        var draft = RecordingDraft()
        for (key, text) in [("pixel-format", "hevc"), (key, text)] {
            try #require(RecordingSetting.named(key)).read(text, &draft)
        }
        let error = #expect(throws: OptionError.self) { try draft.finished() }
        #expect(error?.description.contains(words) == true)
    }

    @Test func pixelFormat_HEVCInPassthrough_isAccepted() throws {
        var draft = RecordingDraft()
        for (key, text) in [("pixel-format", "h265"), ("codec", "passthrough")] {
            try #require(RecordingSetting.named(key)).read(text, &draft)
        }
        let configuration = try draft.finished()
        #expect(configuration.pixelFormat == .hevc && configuration.video == .passthrough)
    }

    @Test func audio_moreThanTwoChannels_hasALayout() throws {
        for count in 1...8 {
            let settings = try EncodingText.audio(.aac, bitRate: nil, channels: count, sampleRate: nil)
            #expect(count <= 2 || settings.layout?.channelCount == count)
        }
    }
}
