import MediaTypes
import Testing

@testable import MovieFile

@Suite struct ByteReaderTests {
    @Test func reader_numbers_areBigEndian() {
        var reader = ByteReader([1, 2, 3, 4, 5, 6, 7, 0xFF, 0xFF, 0xFF, 0xFE])
        #expect(reader.u8() == 1 && reader.u16() == 0x0203 && reader.u32() == 0x0405_0607 && reader.s32() == -2)
        #expect(reader.remaining == 0)
    }

    @Test func reader_pastTheEnd_returnsNilAndDoesNotMove() {
        var reader = ByteReader([1, 2, 3])
        #expect(reader.u32() == nil && reader.u64() == nil && reader.code() == nil && reader.remaining == 3)
        #expect(reader.slice(4) == nil && !reader.skip(4) && reader.u16() == 0x0102 && reader.u16() == nil)
        #expect(reader.u8() == 3 && reader.u8() == nil)
    }

    @Test func reader_negativeCount_isRefused() {
        var reader = ByteReader([1, 2, 3])
        #expect(!reader.skip(-1) && reader.slice(-1) == nil && !reader.skip(.min))
        #expect(reader.skip(0) && reader.slice(0)?.isEmpty == true)
    }

    @Test func reader_slice_beginsAtItsOwnStart() {
        var reader = ByteReader([9, 9, 1, 2, 3, 4][2...])
        #expect(reader.slice(2) == [1, 2] && reader.u16() == 0x0304 && reader.remaining == 0)
    }
}
