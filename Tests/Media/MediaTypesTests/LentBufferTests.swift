import MediaTypes
import RealTime
import Testing

/// Frames in the buffers of devices.
@Suite struct LentBufferTests {
    private final class Buffer: LentBuffer, @unchecked Sendable {
        // Unchecked: nothing is written after `init`.
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 24, alignment: 64)
        let parts = [DMABuf(descriptor: -1, start: 0, byteCount: 24)]
        let returns = Locked(0)

        init() { _ = memory.initializeMemory(as: UInt8.self, repeating: 7) }

        deinit { memory.deallocate() }

        func giveBack() { returns.withLock { $0 += 1 } }

        func lend() -> PixelBuffer {
            let data = MediaData(borrowing: UnsafeRawBufferPointer(memory), from: self)
            return PixelBuffer(layout: PixelLayout(format: .nv12, width: 4, height: 4), data: data)
        }

        var returnCount: Int { returns.withLock { $0 } }
    }

    @Test func frame_copiesOfTheValue_returnTheBufferOnceAfterTheLastUse() {
        let buffer = Buffer()
        var frames = [buffer.lend()]
        frames.append(frames[0])
        let isLent = frames[1].data.lentBuffer === buffer
        let isWhole = frames[1].data.bytes.allSatisfy { $0 == 7 }
        #expect(isLent && isWhole && !frames[1].data.isPooled)
        frames.removeLast()
        #expect(buffer.returnCount == 0)
        frames.removeLast()
        #expect(buffer.returnCount == 1)
    }

    @Test func frame_lentAgain_returnsTheBufferOnceForEachLoan() {
        let buffer = Buffer()
        for loan in 1...3 {
            var frames = [buffer.lend()]
            #expect(buffer.returnCount == loan - 1)
            frames.removeAll()
            #expect(buffer.returnCount == loan)
        }
    }

    @Test func frame_inOtherMemory_hasNoBuffer() {
        let layout = PixelLayout(format: .nv12, width: 4, height: 4)
        let copied = MediaData([UInt8](repeating: 7, count: layout.byteCount))
        let pooled = PixelBufferPool(layout: layout).makeBuffer().finish()
        let isLent = copied.lentBuffer != nil || pooled.data.lentBuffer != nil
        #expect(!isLent && pooled.data.isPooled)
    }
}
