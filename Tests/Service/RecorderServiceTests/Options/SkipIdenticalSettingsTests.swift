import CommandInterface
import MediaTypes
import Testing

@testable import RecorderStorage

/// `skip-identical` in the table of settings.
@Suite struct SkipIdenticalSettingsTests {
    private func configuration(_ texts: [(key: String, text: String)]) throws -> RecordingConfiguration {
        var draft = RecordingDraft()
        for (key, text) in texts { try #require(RecordingSetting.named(key)).read(text, &draft) }
        return try draft.finished()
    }

    @Test func setting_yesOrNo_isKept() throws {
        #expect(try configuration([]).skipsIdentical == false)
        #expect(try configuration([(key: "skip-identical", text: "yes")]).skipsIdentical)
        #expect(try configuration([(key: "skip-identical", text: "no")]).skipsIdentical == false)
        let error = #expect(throws: OptionError.self) {
            try configuration([(key: "skip-identical", text: "perhaps")])
        }
        #expect(error?.description.contains("yes or no") == true)
    }

    @Test(arguments: [
        (("codec", "passthrough"), "packets unchanged: write --codec h264"),
        (("pixel-format", "h264"), "not decoded: write --pixel-format mjpeg"),
        (("camera", "none"), "--camera is none"), (("every", "10s"), "remove --skip-identical or --every"),
    ])
    func setting_framesNotDecodedOrSelected_isRefusedWithTheReason(other: (String, String), words: String) {
        let error = #expect(throws: OptionError.self) {
            try configuration([(key: "skip-identical", text: "yes"), (key: other.0, text: other.1)])
        }
        #expect(error?.description.contains(words) == true)
        #expect(error?.settings == [other.0, "skip-identical"])
        #expect(throws: Never.self) {
            try configuration([(key: "skip-identical", text: "no"), (key: other.0, text: other.1)])
        }
    }

    @Test func notes_stamp_sayThatNothingIsSkipped() throws {
        let skips = (key: "skip-identical", text: "yes")
        #expect(try configuration([skips]).notes.isEmpty)
        #expect(try configuration([(key: "stamp", text: "%H:%M")]).notes.isEmpty)
        let notes = try configuration([skips, (key: "stamp", text: "%H:%M")]).notes
        #expect(notes.count == 1 && notes[0].contains("skip-identical has no effect"))
    }
}
