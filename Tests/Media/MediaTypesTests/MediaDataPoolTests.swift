import RealTime
import Testing

@testable import MediaTypes

@Suite struct MediaDataPoolTests {
    @Test func makeData_manyTimes_reusesMemory() {
        let pool = MediaDataPool(byteCount: 100)
        for value in 0..<50 as Range<UInt8> {
            let data = pool.makeData { target in
                target[0] = value
                return 10
            }
            #expect(data?.count == 10 && data?.bytes[0] == value)
        }
        #expect(pool.allocationCount == 1)
        #expect(pool.makeData { _ in 0 } == nil)
        #expect(pool.makeData { _ in 1000 }?.count == 100)
        #expect(pool.allocationCount == 1)
    }

    @Test func copy_tooLargeForThePool_getsItsOwnMemory() {
        let pool = MediaDataPool(byteCount: 4)
        let copies = [[1, 2, 3, 4], [1, 2, 3, 4, 5], [] as [UInt8]].map { bytes in
            bytes.withUnsafeBytes { pool.copy($0) }
        }
        #expect(copies.map { Array($0.bytes) } == [[1, 2, 3, 4], [1, 2, 3, 4, 5], []])
        #expect(pool.allocationCount == 2)
    }

    @Test func borrowing_partOfOtherData_keepsItAlive() {
        let releases = Locked(0)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 1)
        defer { bytes.deallocate() }
        var whole: MediaData? = MediaData(borrowing: UnsafeRawBufferPointer(bytes)) { releases.withLock { $0 += 1 } }
        var part = whole.map { MediaData(borrowing: UnsafeRawBufferPointer(rebasing: $0.bytes[1..<3]), keeping: $0) }
        whole = nil
        #expect(releases.withLock { $0 } == 0 && part?.count == 2)
        part = nil
        #expect(releases.withLock { $0 } == 1)
    }
}
