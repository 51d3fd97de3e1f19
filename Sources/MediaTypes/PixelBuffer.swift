/// A finished picture in memory. Nobody can change it any more; copies of the value share the memory.
public struct PixelBuffer: Sendable {
    public let layout: PixelLayout
    public let color: ColorDescription
    public let data: MediaData

    /// - Precondition: `data` holds at least `layout.byteCount` bytes.
    public init(layout: PixelLayout, color: ColorDescription = .init(), data: MediaData) {
        precondition(data.count >= layout.byteCount, "a picture's memory is smaller than its layout")
        self.layout = layout
        self.color = color
        self.data = data
    }

    public var width: Int { layout.width }
    public var height: Int { layout.height }
    public var format: PixelFormat { layout.format }
    public var videoFormat: VideoFormat { VideoFormat(pixelFormat: format, width: width, height: height, color: color) }

    /// The rows of one plane, valid while this value lives.
    public func plane(_ index: Int) -> UnsafeRawBufferPointer {
        let plane = layout.planes[index]
        return UnsafeRawBufferPointer(
            rebasing: data.bytes[plane.offset..<(plane.offset + plane.bytesPerRow * plane.rows)])
    }
}

/// A picture that is still being drawn: owned by exactly one place, by type.
///
/// `finish()` consumes it and gives the immutable `PixelBuffer`; dropped unfinished, its memory goes back to the pool.
public struct MutablePixelBuffer: ~Copyable {
    public let layout: PixelLayout
    public var color: ColorDescription
    /// Nobody else has it yet, which is why it may be written.
    private let data: MediaData

    init(layout: PixelLayout, color: ColorDescription, data: MediaData) {
        self.layout = layout
        self.color = color
        self.data = data
    }

    /// A picture with memory of its own, outside any pool. The memory is not zeroed.
    public init(layout: PixelLayout, color: ColorDescription = .init()) {
        self.init(layout: layout, color: color, data: MediaData(byteCount: layout.byteCount) { _ in })
    }

    /// The rows of one plane, to be written while this value lives.
    public func plane(_ index: Int) -> UnsafeMutableRawBufferPointer {
        let plane = layout.planes[index]
        return UnsafeMutableRawBufferPointer(
            mutating: UnsafeRawBufferPointer(
                rebasing: data.bytes[plane.offset..<(plane.offset + plane.bytesPerRow * plane.rows)]))
    }

    public consuming func finish() -> PixelBuffer { PixelBuffer(layout: layout, color: color, data: data) }
}

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
