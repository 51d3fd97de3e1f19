import MediaTypes
import Synchronization

/// The buffers of one camera: lends their memory to frames, and collects the buffers that were released. For the
/// camera's thread; a lent frame may be released on any thread.
///
/// As with V4L2, the release of a frame only sets a bit. The camera's thread returns the buffer to the camera when the
/// next frame arrives. If the camera has only few buffers left, a frame is copied instead of lent. Otherwise the camera
/// could run out of buffers, and no next frame would arrive.
final class FrameMemory {
    /// A buffer as it is lent. Created once, so that a frame allocates no closure. It keeps the memory mapped.
    private final class Loan: LentBuffer {
        let parts: [DMABuf]
        private let index: Int
        private let memory: BufferMemory
        private let released: Released

        init(_ index: Int, _ plan: BufferPlan, _ memory: BufferMemory, released: Released) {
            parts = memory.parts(plan)
            self.index = index
            self.memory = memory
            self.released = released
        }

        func giveBack() { _ = released.bits.bitwiseOr(1 << UInt32(index), ordering: .releasing) }
    }

    /// A bit for each buffer that was lent and released, and is not returned yet.
    private final class Released: Sendable {
        let bits = Atomic<UInt32>(0)
    }

    private struct Buffer {
        let plan: BufferPlan
        let memory: BufferMemory
        let loan: Loan
    }

    private let format: VideoFormat
    private let released = Released()
    private var buffers: [Int: Buffer] = [:]
    private let frames: PixelBufferPool?
    private let packets: MediaDataPool?

    /// If the camera has at most this many buffers, a frame is copied.
    static let fewestQueued = 2

    /// - Parameters:
    ///   - stride: Bytes per row of the first plane.
    ///   - byteCount: The size of the largest compressed frame.
    init(_ format: VideoFormat, stride: Int, byteCount: Int) {
        self.format = format
        frames = format.pixelFormat.map {
            let layout = PixelLayout(format: $0, width: format.width, height: format.height, bytesPerRow: stride)
            return PixelBufferPool(layout: layout, color: format.color)
        }
        packets = format.pixelFormat == nil ? MediaDataPool(byteCount: byteCount) : nil
    }

    func add(_ index: Int, _ plan: BufferPlan, _ memory: BufferMemory) {
        let loan = Loan(index, plan, memory, released: released)
        buffers[index] = Buffer(plan: plan, memory: memory, loan: loan)
    }

    /// Returns the content of a frame, lent or copied.
    ///
    /// - Returns: The content, nil for an unknown buffer; and true if it was copied, so that the buffer is free.
    func content(of frame: CapturedFrame, queuedCount: Int) -> (content: SampleBuffer.Content?, isCopied: Bool) {
        guard let buffer = buffers[frame.buffer] else { return (nil, true) }
        buffer.memory.beginReading()
        guard queuedCount > Self.fewestQueued else {
            let content = copy(buffer, frame.byteCount)
            buffer.memory.endReading()
            return (content, true)
        }
        if let layout = buffer.plan.layout {
            let data = MediaData(borrowing: buffer.memory.bytes, from: buffer.loan)
            return (.pixels(PixelBuffer(layout: layout, color: format.color, data: data)), false)
        }
        let bytes = packet(buffer, frame.byteCount)
        return (.data(MediaData(borrowing: bytes, from: buffer.loan)), false)
    }

    /// Calls a closure for each buffer that was released since the last call.
    func forEachReleased(_ body: (Int) -> Void) {
        var bits = released.bits.exchange(0, ordering: .acquiring)
        while bits != 0 {
            let index = bits.trailingZeroBitCount
            bits &= bits - 1
            buffers[index]?.memory.endReading()
            body(index)
        }
    }

    private func packet(_ buffer: Buffer, _ byteCount: Int) -> UnsafeRawBufferPointer {
        let plane = buffer.plan.planes[0]
        return UnsafeRawBufferPointer(
            rebasing: buffer.memory.bytes[plane.lowerBound..<(plane.lowerBound + min(byteCount, plane.count))])
    }

    private func copy(_ buffer: Buffer, _ byteCount: Int) -> SampleBuffer.Content? {
        guard let layout = buffer.plan.layout, let frames else {
            guard let packets else { return nil }
            return .data(packets.copy(packet(buffer, byteCount)))
        }
        let frame = frames.makeBuffer()
        for index in layout.planes.indices {
            let plane = layout.planes[index]
            let end = plane.offset + plane.bytesPerRow * plane.rows
            frame.plane(index).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: buffer.memory.bytes[plane.offset..<end]))
        }
        return .pixels(frame.finish())
    }
}
