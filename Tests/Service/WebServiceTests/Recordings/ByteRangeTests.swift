import Testing

@testable import WebService

/// Ranges of RFC 9110, 14.
@Suite struct ByteRangeTests {
    @Test func range_beyondTheEnd_isTrimmed() {
        for (header, range) in [
            ("bytes=0-0", 0..<1), ("bytes=0-99", 0..<100), ("bytes=10-", 10..<100), ("bytes=90-5000", 90..<100),
            ("bytes=-5", 95..<100), ("bytes=-500", 0..<100), ("Bytes= 1-2", 1..<3),
            ("bytes=5-99999999999999999999", 5..<100), ("bytes=-99999999999999999999", 0..<100),
        ] as [(String, Range<Int64>)] {
            #expect(ByteRange(header, size: 100) == .part(range), "\(header)")
        }
    }

    @Test func range_outsideTheFile_isOutside() {
        for header in ["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999-"] {
            #expect(ByteRange(header, size: 100) == .outside, "\(header)")
        }
        #expect(ByteRange("bytes=0-", size: 0) == .outside)
        #expect(ByteRange("bytes=-1", size: 0) == .outside)
    }

    @Test func range_invalidOrSeveral_isTheWholeFile() {
        for header in [
            nil, "", "bytes", "bytes=", "bytes=-", "bytes=--5", "bytes=5-2", "bytes=a-b", "bytes=1-2,4-5", "items=0-1",
            "bytes=+1-2", "bytes=0x1-2", "bytes=1.5-2", "bytes=1-2-3", "bytes=٣-",
        ] {
            #expect(ByteRange(header, size: 100) == .whole, "\(header ?? "none")")
        }
    }
}
