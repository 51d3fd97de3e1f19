import RealTime

/// Pieces of memory of one size that are used again. Any thread takes and gives back.
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

    /// The piece that was given back last, which the processor's caches may still hold. Not zeroed.
    func take() -> UnsafeMutableRawBufferPointer {
        let recycled: UInt? = state.withLock { state in
            if let address = state.free.popLast() { return address }
            state.allocations += 1
            return nil
        }
        guard let recycled, let base = UnsafeMutableRawPointer(bitPattern: recycled) else {
            return .allocate(byteCount: byteCount, alignment: MediaData.alignment)
        }
        return UnsafeMutableRawBufferPointer(start: base, count: byteCount)
    }

    /// - Parameter piece: where it begins.
    func giveBack(_ piece: UnsafeRawPointer?) {
        let isKept = state.withLock { state in
            guard state.free.count < capacity else { return false }
            state.free.append(UInt(bitPattern: piece))
            return true
        }
        if !isKept { piece?.deallocate() }
    }

    deinit {
        state.withLock { state in
            for address in state.free { UnsafeMutableRawPointer(bitPattern: address)?.deallocate() }
        }
    }
}
