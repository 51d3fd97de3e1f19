/// Reusable memory that grows to the largest requested size. For one thread at a time.
final class ScratchMemory {
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// Returns `count` bytes, which are not zeroed. They are valid until the next call.
    func bytes(_ count: Int) -> UnsafeMutableRawBufferPointer {
        if memory.count < count {
            memory.deallocate()
            memory = .allocate(byteCount: count, alignment: 64)
        }
        return UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
    }

    deinit { memory.deallocate() }
}
