import RealTime

/// Pieces of memory of one size that are used again. Any thread takes and gives back.
final class MemoryPool: Sendable {
    private struct State {
        var free: FreePieces
        var allocations = 0
    }

    let byteCount: Int
    private let state: Locked<State>

    init(byteCount: Int, capacity: Int) {
        self.byteCount = byteCount
        state = Locked(State(free: FreePieces(capacity: capacity)))
        MemoryPools.add(self)
    }

    var allocationCount: Int { state.withLock { $0.allocations } }

    /// The piece that was given back last, which the processor's caches may still hold. Not zeroed.
    func take() -> UnsafeMutableRawBufferPointer {
        let recycled: UInt? = state.withLock { state in
            if let address = state.free.take() { return address }
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
        if !state.withLock({ $0.free.giveBack(UInt(bitPattern: piece)) }) { piece?.deallocate() }
    }

    /// Deallocates the free pieces that nobody has taken since the last call.
    ///
    /// - Returns: bytes.
    func deallocateUnused() -> Int {
        let unused = state.withLock { $0.free.removeUnused() }
        for address in unused { UnsafeMutableRawPointer(bitPattern: address)?.deallocate() }
        return unused.count * byteCount
    }

    deinit {
        MemoryPools.remove(self)
        state.withLock { state in
            for address in state.free.addresses { UnsafeMutableRawPointer(bitPattern: address)?.deallocate() }
        }
    }
}

/// All pools of this process.
package enum MemoryPools {
    private struct Entry {
        weak var pool: MemoryPool?
    }

    private static let entries = Locked<[ObjectIdentifier: Entry]>([:])

    static func add(_ pool: MemoryPool) { entries.withLock { $0[ObjectIdentifier(pool)] = Entry(pool: pool) } }

    /// By its address, which another pool has only once this one's `deinit` has ended.
    static func remove(_ pool: MemoryPool) { entries.withLock { $0[ObjectIdentifier(pool)] = nil } }

    /// Deallocates the pieces of all pools that were free and that nobody has taken since the last call: what pools hold after a
    /// peak. Not for a capture thread, since the system takes its time to unmap memory.
    ///
    /// - Returns: bytes.
    @discardableResult
    package static func deallocateUnused() -> Int {
        // Used outside the lock: the last reference to a pool may be dropped here.
        let pools = entries.withLock { $0.values.compactMap(\.pool) }
        return pools.reduce(0) { $0 + $1.deallocateUnused() }
    }
}
