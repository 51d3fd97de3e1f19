/// Memory for bytes of up to one size that is used again and again: blocks of sound, copied packets.
///
/// Any thread may take a piece; it comes back by itself when its last user drops it. The pool never makes its caller
/// wait: with nothing free it allocates, and keeps at most `capacity` free pieces afterwards.
public final class MediaDataPool: Sendable {
    private let memory: MemoryPool

    /// - Parameters:
    ///   - byteCount: the size of each piece.
    ///   - capacity: pieces that are kept while nobody uses them.
    public init(byteCount: Int, capacity: Int = 8) {
        memory = MemoryPool(byteCount: byteCount, capacity: capacity)
    }

    /// The size of each piece.
    public var byteCount: Int { memory.byteCount }

    /// How many times memory was taken from the system: flat once the pipeline runs.
    public var allocationCount: Int { memory.allocationCount }

    /// Lets `fill` write into a piece and say how many bytes it wrote; nil when it wrote none.
    ///
    /// - Parameter fill: gets the whole piece, not zeroed; called once, before this returns.
    public func makeData(_ fill: (UnsafeMutableRawBufferPointer) -> Int) -> MediaData? {
        let piece = memory.take()
        let count = min(fill(piece), piece.count)
        guard count > 0 else {
            memory.giveBack(piece.baseAddress)
            return nil
        }
        return MediaData(piece: piece, count: count, of: memory)
    }

    /// The same bytes in a piece; in memory of their own where they do not fit into one.
    package func copy(_ bytes: UnsafeRawBufferPointer) -> MediaData {
        guard bytes.count <= byteCount else { return MediaData(copying: bytes) }
        let piece = memory.take()
        if !bytes.isEmpty { piece.copyMemory(from: bytes) }
        return MediaData(piece: piece, count: bytes.count, of: memory)
    }
}
