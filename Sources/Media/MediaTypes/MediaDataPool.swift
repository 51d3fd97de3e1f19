/// Reusable memory for data of up to a fixed size: blocks of audio, copied packets.
///
/// Any thread may take a piece. A piece returns to the pool when its last user drops it. The pool never blocks its
/// caller: if no piece is free, it allocates another. It keeps at most `capacity` free pieces.
public final class MediaDataPool: Sendable {
    private let memory: MemoryPool

    /// - Parameters:
    ///   - byteCount: the size of each piece.
    ///   - capacity: the number of unused pieces that are kept.
    public init(byteCount: Int, capacity: Int = 8) {
        memory = MemoryPool(byteCount: byteCount, capacity: capacity)
    }

    /// The size of each piece.
    public var byteCount: Int { memory.byteCount }

    /// The number of allocations from the system. It stays constant once the pipeline runs.
    public var allocationCount: Int { memory.allocationCount }

    /// Creates data from a piece that `fill` writes; nil if `fill` wrote no bytes.
    ///
    /// - Parameter fill: receives the entire piece, not zeroed, and returns the number of bytes that it wrote. Called
    ///   once, before this function returns.
    public func makeData(_ fill: (UnsafeMutableRawBufferPointer) -> Int) -> MediaData? {
        let piece = memory.take()
        let count = min(fill(piece), piece.count)
        guard count > 0 else {
            memory.giveBack(piece.baseAddress)
            return nil
        }
        return MediaData(piece: piece, count: count, of: memory)
    }

    /// Copies bytes into a piece, or into newly allocated memory if they do not fit.
    package func copy(_ bytes: UnsafeRawBufferPointer) -> MediaData {
        guard bytes.count <= byteCount else { return MediaData(copying: bytes) }
        let piece = memory.take()
        if !bytes.isEmpty { piece.copyMemory(from: bytes) }
        return MediaData(piece: piece, count: bytes.count, of: memory)
    }
}
