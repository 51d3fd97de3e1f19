import Testing

@testable import CommandInterface

@Suite struct NumberTextTests {
    @Test func wholeSeconds_aboveAMinute_isShownInMinutes() {
        #expect(NumberText.wholeSeconds(12.7) == "12 s" && NumberText.wholeSeconds(125.9) == "2 min 05 s")
    }

    @Test func numbers_anyKind_areReadable() {
        #expect(NumberText.grouped(0) == "0")
        #expect(NumberText.grouped(999) == "999")
        #expect(NumberText.grouped(-1_234_567) == "−1,234,567")
        #expect(NumberText.bytes(999) == "999 B")
        #expect(NumberText.bytes(39_854) == "39.9 kB")
        #expect(NumberText.bytes(999_999) == "1.0 MB")
        #expect(NumberText.bytes(123_456_789) == "123 MB")
        #expect(NumberText.bytes(9_000_000_000_000) == "9.0 TB")
        #expect(NumberText.duration(9.969) == "9.97 s")
        #expect(NumberText.duration(125) == "2 min 05 s")
        #expect(NumberText.duration(3600) == "1 h 00 min 00 s")
        #expect(NumberText.clock(3731.9) == "01:02:11")
        #expect(NumberText.clock(-3731.9) == "-01:02:11")
        #expect(NumberText.frameRate(30) == "30 fps")
        #expect(NumberText.frameRate(30_000.0 / 1001) == "29.97 fps")
        #expect(NumberText.frameRate(999.92) == "1000 fps" && NumberText.frameRate(29.98) == "29.98 fps")
        #expect(NumberText.sampleRate(44_100) == "44.1 kHz")
        #expect(NumberText.channels(6) == "6 channels")
        #expect(NumberText.fixed(-0.04, places: 1, sign: true) == "0.0")
    }

    @Test func numbers_nanOrInfinity_areText() {
        #expect(NumberText.duration(.nan) == "nan s")
        #expect(!NumberText.clock(.infinity).isEmpty)
    }
}
