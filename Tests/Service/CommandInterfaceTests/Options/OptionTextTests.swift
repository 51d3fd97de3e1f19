import MediaTypes
import Testing

@testable import CommandInterface

@Suite struct OptionTextTests {
    @Test(arguments: [
        ("90", 90_000), ("1.5", 1500), ("1m30s", 90_000), ("00:01:30.5", 90_500), ("01:30", 90_000), ("250ms", 250),
        ("1h", 3_600_000), ("2h0m1s", 7_201_000), ("1d", 86_400_000), ("90m", 5_400_000), ("99:59", 5_999_000),
        ("0.001", 1), ("1m0.25s", 60_250),
    ])
    func duration_anyForm_isParsed(text: String, milliseconds: Int64) throws {
        #expect(try DurationText.parse(text) == MediaTime(value: milliseconds, timescale: 1000))
    }

    @Test(arguments: [
        "", "0", "0s", "-5", "+5", "abc", "10x", "s", "1s1m", "1m1m", "1 m", "1:2:3:4", ":", "1:", ":30", "1:60",
        "00:99:00",
        "1.", ".5", "1..5", "1e3", "١٠", "99999999999999999999", "400d", "nan", "inf", "1m30", "0x10", "00:01:30.5s",
    ])
    func duration_invalidText_isRefused(text: String) {
        #expect(throws: OptionError.self) { try DurationText.parse(text) }
    }

    @Test(arguments: [
        ("2G", 2_000_000_000), ("500M", 500_000_000), ("1.5k", 1500), ("1Ki", 1024), ("2GiB", 2 << 30), ("7", 7),
        ("1T", 1_000_000_000_000), ("3MB", 3_000_000),
    ])
    func size_anyUnit_isParsed(text: String, bytes: Int64) throws {
        #expect(try QuantityText.parseSize(text) == bytes)
    }

    @Test(arguments: ["", "0", "G", "-1G", "2GG", "1.5", "2 G", "two", "99999999999T", "B", "1e9"])
    func size_invalidText_isRefused(text: String) {
        #expect(throws: OptionError.self) { try QuantityText.parseSize(text) }
    }

    @Test(arguments: [("6M", 6_000_000), ("128k", 128_000), ("2.5M", 2_500_000), ("64000", 64_000)])
    func bitRate_anyUnit_isParsed(text: String, bits: Int) throws {
        #expect(try QuantityText.parseBitRate(text) == bits)
    }

    @Test(arguments: ["", "0", "999", "2T", "fast", "-6M", "6Mbit", "M6"])
    func bitRate_invalidText_isRefused(text: String) {
        #expect(throws: OptionError.self) { try QuantityText.parseBitRate(text) }
    }

    @Test func frameSizeAndRate_text_areParsed() throws {
        #expect(try FrameText.parseSize("1280x720").width == 1280)
        #expect(try FrameText.parseFrameRate("29.97").interval == MediaTime(value: 1001, timescale: 30_000))
    }

    @Test(arguments: ["", "12", "x", "0x0", "-1x5", "1280x", "x720", "1280x720x1", "big"])
    func frameSize_invalidText_isRefused(text: String) {
        #expect(throws: OptionError.self) { try FrameText.parseSize(text) }
    }

    @Test(arguments: ["", "0", "-30", "fast", "30/0", "1/2/3", "nan", "inf"])
    func frameRate_invalidText_isRefused(text: String) {
        #expect(throws: OptionError.self) { try FrameText.parseFrameRate(text) }
    }

    @Test(arguments: ["-1", "52", "x", "", "1e1", "23."])
    func quality_invalidText_isRefused(text: String) {
        #expect(throws: OptionError.self) { try EncodingText.parseQuality(text) }
    }

    @Test func rateFactor_ofAnyCodec_isParsed() throws {
        #expect(try EncodingText.parseRateFactor("63") == 63)
        #expect(throws: OptionError.self) { try EncodingText.parseRateFactor("64") }
        for codec in ["h264", "hevc", "av1", "passthrough"] {
            #expect(try EncodingText.parseCodec(codec).rawValue == codec)
        }
        #expect(throws: OptionError.self) { try EncodingText.parseCodec("HEVC") }
    }

    @Test func retentionLimit_noUnit_isRefused() throws {
        for text in ["30", "0.5", "00:30", "1:00:00", "", "0", "d", "5w", "0d"] {
            #expect(throws: OptionError.self, "\(text)") { try DurationText.parseWithUnits(text) }
        }
        for text in ["1", "1500000", "0.5", "", "G", "0G"] {
            #expect(throws: OptionError.self, "\(text)") { try QuantityText.parseSizeWithUnit(text) }
        }
        #expect(try DurationText.parseWithUnits("1h30m") == MediaTime(value: 5400, timescale: 1))
        #expect(try QuantityText.parseSizeWithUnit("1B") == 1)
        for size: Int64 in [1, 1234, 5_000_000, 1 << 40] {
            #expect(try QuantityText.parseSizeWithUnit(QuantityText.sizeWithUnit(size)) == size)
        }
    }
}
