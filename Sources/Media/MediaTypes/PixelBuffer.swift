/// A finished frame in memory, immutable; copies of the value share the memory.
public struct PixelBuffer: Sendable {
    public let layout: PixelLayout
    public let color: ColorDescription
    public let data: MediaData

    /// - Precondition: `data` holds at least `layout.byteCount` bytes.
    public init(layout: PixelLayout, color: ColorDescription = .init(), data: MediaData) {
        precondition(data.count >= layout.byteCount, "the memory of a frame is smaller than its layout")
        self.layout = layout
        self.color = color
        self.data = data
    }

    public var width: Int { layout.width }
    public var height: Int { layout.height }
    public var format: PixelFormat { layout.format }
    public var videoFormat: VideoFormat { VideoFormat(pixelFormat: format, width: width, height: height, color: color) }

    /// Returns the rows of one plane, valid while this value lives.
    public func plane(_ index: Int) -> UnsafeRawBufferPointer {
        let plane = layout.planes[index]
        return UnsafeRawBufferPointer(
            rebasing: data.bytes[plane.offset..<(plane.offset + plane.bytesPerRow * plane.rows)])
    }
}

/// A frame that is still being written; the type guarantees exactly one owner.
///
/// `finish()` consumes the frame and returns the immutable `PixelBuffer`. If the frame is dropped unfinished, its
/// memory returns to the pool.
public struct MutablePixelBuffer: ~Copyable {
    public let layout: PixelLayout
    public var color: ColorDescription
    /// The memory of the frame. The memory may be written, because no other code has a reference to it yet.
    private let data: MediaData

    init(layout: PixelLayout, color: ColorDescription, data: MediaData) {
        self.layout = layout
        self.color = color
        self.data = data
    }

    /// Creates a frame with its own memory, outside any pool. The memory is not zeroed.
    public init(layout: PixelLayout, color: ColorDescription = .init()) {
        self.init(layout: layout, color: color, data: MediaData(byteCount: layout.byteCount) { _ in })
    }

    /// Opens a finished frame again, to draw on it.
    ///
    /// Only the owner of the memory may call this, and only while no other code has a reference to the frame. Other
    /// code relies on finished frames that never change.
    package init(reopening frame: PixelBuffer) {
        self.init(layout: frame.layout, color: frame.color, data: frame.data)
    }

    /// Returns the rows of one plane for writing, valid while this value lives.
    public func plane(_ index: Int) -> UnsafeMutableRawBufferPointer {
        let plane = layout.planes[index]
        return UnsafeMutableRawBufferPointer(
            mutating: UnsafeRawBufferPointer(
                rebasing: data.bytes[plane.offset..<(plane.offset + plane.bytesPerRow * plane.rows)]))
    }

    public consuming func finish() -> PixelBuffer { PixelBuffer(layout: layout, color: color, data: data) }
}

/// Reusable memory for frames of one layout, so that a running pipeline allocates no frames.
///
/// Any thread may take a buffer. Its memory returns to the pool when its last user drops it. The pool never blocks its
/// caller: if no piece is free, it allocates another. It keeps at most `capacity` free pieces.
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

    /// The number of allocations from the system. It stays constant once the pipeline runs.
    public var allocationCount: Int { memory.allocationCount }
}
