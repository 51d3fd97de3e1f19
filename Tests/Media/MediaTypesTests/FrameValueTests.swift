import MediaTypes
import Testing

@Suite struct FrameRateTests {
    @Test(
        arguments: [
            ("30", 30, 1), ("29.97", 30_000, 1001), ("59.94", 60_000, 1001), ("23.976", 24_000, 1001), ("12.5", 25, 2),
            ("7.5", 15, 2), ("30000/1001", 30_000, 1001), ("0.2", 1, 5), ("1000", 1000, 1),
        ] as [(String, Int32, Int32)])
    func frameRate_text_isReadAsARatio(text: String, frames: Int32, seconds: Int32) {
        #expect(FrameRate(text) == FrameRate(frames, per: seconds))
    }

    @Test(arguments: ["", "0", "-5", "abc", "30/0", "1/2/3", "nan", "inf", "1e9"])
    func frameRate_invalidText_isRefused(text: String) { #expect(FrameRate(text) == nil) }

    @Test func frameRate_description_isShort() {
        #expect(FrameRate(30).description == "30")
        #expect(FrameRate(30_000, per: 1001).description == "29.97")
        #expect(FrameRate(25, per: 2).description == "12.5")
        #expect(FrameRate(1, per: 1000).description == "1/1000")
    }
}

@Suite struct FrameSizeTests {
    @Test func frameSize_text_isReadWithXOrTimesSign() {
        #expect(FrameSize("1280x720") == FrameSize(1280, 720))
        #expect(FrameSize("1280×720") == FrameSize(1280, 720))
    }

    @Test(arguments: ["", "x", "1280", "1280x", "x720", "-1x5", "0x5", "1x2x3", "999999x2", "12a0x720"])
    func frameSize_invalidText_isRefused(text: String) { #expect(FrameSize(text) == nil) }
}
