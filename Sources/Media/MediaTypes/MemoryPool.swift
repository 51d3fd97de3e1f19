import RealTime

/// A pool of reusable pieces of memory of one size. Any thread may take and return pieces.
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

    /// Takes the piece that was returned last, because the processor's caches may still contain it. Not zeroed.
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

    /// - Parameter piece: the start of the piece.
    func giveBack(_ piece: UnsafeRawPointer?) {
        if !state.withLock({ $0.free.giveBack(UInt(bitPattern: piece)) }) { piece?.deallocate() }
    }

    /// Deallocates the free pieces that have not been used since the last call.
    ///
    /// - Returns: the number of bytes deallocated.
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

    /// Removes a pool, which is identified by its address. Another pool can get this address only after the `deinit` of
    /// this pool has ended.
    static func remove(_ pool: MemoryPool) { entries.withLock { $0[ObjectIdentifier(pool)] = nil } }

    /// Deallocates, in all pools, the pieces that have stayed free since the last call, i.e. memory left over from a
    /// peak. Do not call this on a capture thread, because unmapping memory takes time.
    ///
    /// - Returns: the number of bytes deallocated.
    @discardableResult
    package static func deallocateUnused() -> Int {
        // The pools are used outside the lock. The last reference to a pool may be dropped here, and its `deinit` needs
        // the lock.
        let pools = entries.withLock { $0.values.compactMap(\.pool) }
        return pools.reduce(0) { $0 + $1.deallocateUnused() }
    }
}
