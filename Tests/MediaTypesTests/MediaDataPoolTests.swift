import MediaTypes
import Testing

@Suite struct MediaDataPoolTests {
    @Test func memoryIsUsedAgain() {
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
    }
}
