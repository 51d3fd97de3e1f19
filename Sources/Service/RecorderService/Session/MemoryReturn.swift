import CommandInterface
import MediaTypes

/// Returns memory to the system. May take milliseconds, so capture threads must not use it.
struct MemoryReturn: Sendable {
    /// Deallocates the blocks of memory pools that were not used since the last call.
    var deallocateUnused: @Sendable () -> Void
    /// Returns the free pages of the heaps to the system.
    var trimHeaps: @Sendable () -> Void
    /// Resident bytes of this process.
    var resident: @Sendable () -> Int?

    static let process = MemoryReturn(
        deallocateUnused: { MemoryPools.deallocateUnused() }, trimHeaps: { Heap.trim() },
        resident: { Heap.residentByteCount })
}
