import MediaTypes
import RealTime
import TestSupport
import Testing

@Suite struct PoolTests {
    private let layout = PixelLayout(format: .nv12, width: 64, height: 48)

    @Test func pool_manyFrames_reusesMemory() {
        let pool = PixelBufferPool(layout: layout, capacity: 4)
        for _ in 0..<100 { _ = pool.makeBuffer().finish() }
        #expect(pool.allocationCount == 1)
        for _ in 0..<100 {
            let held = (0..<4).map { _ in pool.makeBuffer().finish() }
            #expect(held.count == 4)
        }
        #expect(pool.allocationCount == 4)
    }

    @Test func pool_frameInUse_isNotOverwritten() {
        let pool = PixelBufferPool(layout: layout)
        func flat(_ value: UInt8) -> PixelBuffer {
            let buffer = pool.makeBuffer()
            _ = buffer.plane(0).initializeMemory(as: UInt8.self, repeating: value)
            return buffer.finish()
        }
        let first = flat(1)
        let second = flat(2)
        #expect(first.plane(0)[0] == 1 && second.plane(0)[0] == 2)
        #expect(first.plane(0).baseAddress != second.plane(0).baseAddress)
    }

    @Test func pool_unfinishedFrame_returnsItsMemory() {
        let pool = PixelBufferPool(layout: layout)
        for _ in 0..<10 { _ = pool.makeBuffer() }
        #expect(pool.allocationCount == 1)
    }

    @Test func pool_moreThanTheCapacity_keepsOnlyTheCapacity() {
        let pool = PixelBufferPool(layout: layout, capacity: 2)
        for _ in 0..<3 { _ = (0..<5).map { _ in pool.makeBuffer().finish() } }
        // Five at once, two of them kept: three new ones in each later round.
        #expect(pool.allocationCount == 5 + 3 + 3)
    }

    @Test func pool_released_keepsItsBuffersValid() {
        var pool: PixelBufferPool? = PixelBufferPool(layout: layout)
        let buffer = pool!.makeBuffer()
        _ = buffer.plane(0).initializeMemory(as: UInt8.self, repeating: 9)
        let frame = buffer.finish()
        pool = nil
        #expect(frame.plane(0).allSatisfy { $0 == 9 })
    }

    @Test func pool_severalThreads_shareItSafely() throws {
        let pool = PixelBufferPool(layout: layout, capacity: 8)
        let threads = try (0..<4).map { number in
            try NamedThread("taker-\(number)") {
                for _ in 0..<500 {
                    let buffer = pool.makeBuffer()
                    _ = buffer.plane(0).initializeMemory(as: UInt8.self, repeating: UInt8(number))
                    let frame = buffer.finish()
                    precondition(frame.plane(0).last == UInt8(number))
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(pool.allocationCount <= 4)
    }

    @Test func borrowing_lastUserGone_releasesOnce() {
        let releases = Locked(0)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 1)
        defer { bytes.deallocate() }
        var data: MediaData? = MediaData(borrowing: UnsafeRawBufferPointer(bytes)) { releases.withLock { $0 += 1 } }
        var copy = data
        data = nil
        #expect(releases.withLock { $0 } == 0 && copy?.count == 4)
        copy = nil
        #expect(releases.withLock { $0 } == 1)
    }
}
