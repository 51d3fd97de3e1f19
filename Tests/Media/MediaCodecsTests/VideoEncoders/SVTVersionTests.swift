import TestSupport
import Testing

@testable import MediaCodecs

@Suite struct SVTVersionTests {
    @Test(arguments: [("v1.4.1", false), ("v2.2.1", false), ("v2.3.0", true), ("v3.0.0-rc1", true), ("10.0", true)])
    func version_text_decidesHowUnusedEncodersEnd(text: String, closes: Bool) throws {
        #expect(try #require(SVTVersion(text)).closesUnusedEncoders == closes)
    }

    @Test(arguments: ["", "v", "two", "v2", "vx.y"]) func version_noNumbers_isUnknown(text: String) {
        #expect(SVTVersion(text) == nil)
    }

    @Test func loaded_withTheEncoder_isKnown() throws {
        let listed = try Command.run("ffmpeg", "-hide_banner", "-encoders")
        try #require(listed.text.contains("libsvtav1"), "\(listed.errors)")
        #expect(SVTVersion.loaded != nil)
    }
}
