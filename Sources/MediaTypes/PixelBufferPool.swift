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
        MutablePixelBuffer(
            layout: layout, color: color, data: MediaData(piece: memory.take(), count: memory.byteCount, of: memory))
    }

    /// How many times memory was taken from the system: flat once the pipeline runs.
    public var allocationCount: Int { memory.allocationCount }
}
