import MediaTypes
import Testing

@testable import NetworkCapture

@Suite struct LawDecoderTests {
    private func decoded(_ law: LawDecoder.Law, _ bytes: [UInt8]) -> [Int16] {
        let data = LawDecoder(law).decode(MediaData(bytes))
        return (0..<(data.count / 2)).map {
            Int16(littleEndian: data.bytes.loadUnaligned(fromByteOffset: $0 * 2, as: Int16.self))
        }
    }

    // ITU-T G.711, tables 1a to 2b, in 16 bits as ITU-T G.191 (STL) has them.
    @Test func decoder_endsOfTheScale_areThoseOfTheStandard() {
        #expect(decoded(.mu, [0xFF, 0x7F, 0x80, 0x00, 0xFE]) == [0, 0, 32_124, -32_124, 8])
        #expect(decoded(.a, [0xD5, 0x55, 0xAA, 0x2A]) == [8, -8, 32_256, -32_256])
    }

    @Test func decoder_longBlock_isComplete() {
        #expect(decoded(.mu, [UInt8](repeating: 0xFF, count: 20_000)) == [Int16](repeating: 0, count: 20_000))
    }
}
