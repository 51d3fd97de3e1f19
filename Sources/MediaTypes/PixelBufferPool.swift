import RealTime

/// Memory for pictures of one layout that is used again and again, so that a running pipeline allocates no frames.
///
/// Any thread may take a buffer; it comes back by itself when its last user drops it. The pool never makes its caller
/// wait: with nothing free it allocates, and keeps at most `capacity` free pieces afterwards.
public final class PixelBufferPool: Sendable {
    public let layout: PixelLayout
    public let color: ColorDescription
    private let memory: MemoryPool

    public init(layout: PixelLayout, color: ColorDescription = .init(), capacity: Int = 8) {
        self.layout = layout
        self.color = color
        memory = MemoryPool(byteCount: layout.byteCount, capacity: capacity)
    }

    public func makeBuffer() -> MutablePixelBuffer {
        MutablePixelBuffer(layout: layout, color: color, memory: memory.take())
    }

    /// How many times memory was taken from the system: flat once the pipeline runs.
    public var allocationCount: Int { memory.allocationCount }
}

/// Pieces of memory of one size that are used again.
final class MemoryPool: Sendable {
    private struct State {
        var free: [UInt] = []
        var allocations = 0
    }

    let byteCount: Int
    private let capacity: Int
    private let state: Locked<State>

    init(byteCount: Int, capacity: Int) {
        self.byteCount = byteCount
        self.capacity = capacity
        var initial = State()
        initial.free.reserveCapacity(capacity)
        state = Locked(initial)
    }

    var allocationCount: Int { state.withLock { $0.allocations } }

    func take() -> PooledMemory {
        let recycled: UInt? = state.withLock { state in
            if let address = state.free.popLast() { return address }
            state.allocations += 1
            return nil
        }
        guard let recycled, let base = UnsafeMutableRawPointer(bitPattern: recycled) else {
            return PooledMemory(byteCount: byteCount, pool: self)
        }
        return PooledMemory(bytes: UnsafeMutableRawBufferPointer(start: base, count: byteCount), pool: self)
    }

    fileprivate func giveBack(_ bytes: UnsafeMutableRawBufferPointer) {
        let isKept = state.withLock { state in
            guard state.free.count < capacity else { return false }
            state.free.append(UInt(bitPattern: bytes.baseAddress))
            return true
        }
        if !isKept { bytes.deallocate() }
    }

    deinit {
        state.withLock { state in
            for address in state.free { UnsafeMutableRawPointer(bitPattern: address)?.deallocate() }
        }
    }
}

/// One piece of memory; given back when the last reference goes.
final class PooledMemory: @unchecked Sendable {
    // Unchecked: written only through the one MutablePixelBuffer that owns it, read-only after `finish()`.
    let bytes: UnsafeMutableRawBufferPointer
    private let pool: MemoryPool?

    /// Rows start at multiples of 64 bytes, as the vector code of libyuv and x264 likes best.
    convenience init(byteCount: Int, pool: MemoryPool?) {
        self.init(bytes: .allocate(byteCount: byteCount, alignment: 64), pool: pool)
    }

    init(bytes: UnsafeMutableRawBufferPointer, pool: MemoryPool?) {
        self.bytes = bytes
        self.pool = pool
    }

    deinit {
        if let pool { pool.giveBack(bytes) } else { bytes.deallocate() }
    }
}
