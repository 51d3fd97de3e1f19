import MediaTypes
import Testing

/// The codecs parameter that a browser is asked with.
@Suite struct CodecParameterTests {
    private static func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap { $0.hexDigitValue }.map { UInt8($0) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// The beginning of a record, and its parameter. The first two are of x265, with eight and with ten bits per sample;
    /// the others are the examples of ISO/IEC 14496-15, E.3.
    @Test(arguments: [
        ("0101600000009000000000003cf000fcfdf8f800000f", "hvc1", "hvc1.1.6.L60.90"),
        ("0102200000009000000000001ef000fcfdfafa00000f", "hvc1", "hvc1.2.4.L30.90"),
        ("010140000000b000000000005d", "hev1", "hev1.1.2.L93.B0"),
        ("016482000000b0230000000078", "hev1", "hev1.A4.41.H120.B0.23"),
        ("01c100000001000500000000ba", "hvc1", "hvc1.C1.80000000.L186.0.5"),
        ("0101600000000000000000003c", "hvc1", "hvc1.1.6.L60"),
    ])
    func hevc_record_hasItsParameter(record: String, code: String, parameter: String) {
        #expect(CodecParameter.hevc(code, Self.bytes(record)) == parameter)
    }

    @Test func hevc_truncatedRecord_hasNone() {
        let record = Self.bytes("0101600000009000000000003c")
        for count in record.indices { #expect(CodecParameter.hevc("hvc1", Array(record.prefix(count))) == nil) }
    }

    /// The first one is of SVT-AV1.
    @Test(arguments: [
        ("81010c000a0b", "av01.0.01M.08"), ("810d4c00", "av01.0.13M.10"), ("8133ec00", "av01.1.19H.12"),
    ])
    func av1_record_hasItsParameter(record: String, parameter: String) {
        #expect(CodecParameter.av1("av01", Self.bytes(record)) == parameter)
        #expect(CodecParameter.av1("av01", Array(Self.bytes(record).prefix(3))) == nil)
    }

    @Test func h264_record_hasItsParameter() {
        #expect(CodecParameter.h264("avc1", [1, 0x64, 0, 0x1F, 0xFF]) == "avc1.64001f")
        #expect(CodecParameter.h264("avc3", [1, 0x42, 0xC0, 0x0A]) == "avc3.42c00a")
        #expect(CodecParameter.h264("avc1", [1, 0x64, 0]) == nil)
    }
}
