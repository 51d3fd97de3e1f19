import Glibc
import Testing

@testable import MediaCodecs

/// Mappings in huge pages, on systems with small pages of any size.
@Suite struct HugePagesTests {
    /// The system can cut mappings only at its own pages.
    static let pageSizes: [Int] = [4096, 16_384, 65_536].filter { $0 >= Int(getpagesize()) }

    @Test(arguments: HugePagesTests.pageSizes)
    func mapping_smallPagesOfAnySize_hasFullOnes(pageSize: Int) throws {
        let pages = try #require(HugePages(byteCount: (5 << 20) + 1, pageSize: pageSize))
        defer { pages.free() }
        #expect(pages.byteCount == (5 << 20) + pageSize)
        #expect(Int(bitPattern: pages.start).isMultiple(of: HugePages.size))
        // It fails with ENOMEM if a page is missing (msync(2)).
        #expect(msync(pages.start, pages.byteCount, MS_ASYNC) == 0)
        #expect(pages.start.load(fromByteOffset: pages.byteCount - 1, as: UInt8.self) == 0)
    }
}
