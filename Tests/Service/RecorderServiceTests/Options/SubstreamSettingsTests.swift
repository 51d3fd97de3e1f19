import CommandInterface
import MediaTypes
import Testing

@testable import RecorderStorage

@Suite struct SubstreamSettingsTests {
    private func configuration(_ texts: [(key: String, text: String)]) throws -> RecordingConfiguration {
        var draft = RecordingDraft()
        for (key, text) in texts { try #require(RecordingSetting.named(key)).read(text, &draft) }
        return try draft.finished()
    }

    private func refusal(_ texts: [(key: String, text: String)]) -> OptionError? {
        #expect(throws: OptionError.self) { try configuration(texts) }
    }

    @Test func settings_sizeRateAndBitRate_areParsed() throws {
        let plain = try SubstreamSettings(parsing: "320x180@5")
        #expect(plain == SubstreamSettings(FrameSize(320, 180), frameRate: FrameRate(5)))
        let limited = try SubstreamSettings(parsing: "640x360@12.5:400k")
        #expect(limited == SubstreamSettings(FrameSize(640, 360), frameRate: FrameRate(25, per: 2), bitRate: 400_000))
        #expect(limited.text == "640x360@25/2:400k")
        #expect(try SubstreamSettings(parsing: limited.text) == limited)
    }

    @Test(arguments: ["", "@", "320x180", "@5", "320@5", "320x180@", "320x180@x", "320x180@5@5", "320x180@5:"])
    func settings_incomplete_areRefusedWithAnExample(text: String) {
        let error = #expect(throws: OptionError.self) { try SubstreamSettings(parsing: text) }
        #expect(error?.description.contains("write ") == true)
    }

    @Test(arguments: [
        (("codec", "passthrough"), "packets unchanged: write --codec h264"),
        (("pixel-format", "h264"), "not decoded: write --pixel-format mjpeg"),
        (("camera", "none"), "--camera is none"),
    ])
    func substream_framesNotDecoded_isRefusedWithTheReason(other: (String, String), words: String) {
        let error = refusal([(key: "substream", text: "320x180@5"), (key: other.0, text: other.1)])
        #expect(error?.description.contains(words) == true)
        #expect(error?.settings == [other.0, "substream"])
    }

    @Test func substream_default_isNone() throws {
        #expect(try configuration([]).substream == nil)
        #expect(try configuration([(key: "substream", text: "320x180@5")]).substream?.size == FrameSize(320, 180))
    }
}
