import CommandInterface
import MediaTypes

/// How memory goes back to the system. May take milliseconds: not for a capture thread.
struct MemoryReturn: Sendable {
    /// Deallocates the pieces of pools that nobody has taken since the last call.
    var deallocateUnused: @Sendable () -> Void
    /// Gives the free pages of the heaps back.
    var trimHeaps: @Sendable () -> Void
    /// Bytes of this process that are in memory.
    var resident: @Sendable () -> Int?

    static let process = MemoryReturn(
        deallocateUnused: { MemoryPools.deallocateUnused() }, trimHeaps: { Heap.trim() },
        resident: { Heap.residentByteCount })
}
