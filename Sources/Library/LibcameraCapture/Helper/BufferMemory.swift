import CLinux
import Glibc
import MediaTypes

/// The dma-bufs of one buffer, mapped one after the other into one range of memory. The memory stays mapped while this
/// object has an owner, even after the helper has ended.
final class BufferMemory: @unchecked Sendable {
    // Unchecked: the range and the descriptors never change, and the camera writes only while it has the buffer.
    let bytes: UnsafeRawBufferPointer
    private let descriptors: [Int32]

    /// Maps a buffer.
    ///
    /// - Parameters:
    ///   - index: The number of the buffer.
    ///   - descriptors: The dma-bufs. This object owns and closes them, even if the initializer throws.
    /// - Throws: `unmappable`.
    init(_ index: Int, _ plan: BufferPlan, _ descriptors: [Int32]) throws(BufferFault) {
        let reserved = mmap(nil, plan.byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let start = reserved, start != MAP_FAILED else {
            let code = errno
            for descriptor in descriptors { close(descriptor) }
            throw .unmappable(buffer: index, errno: code)
        }
        bytes = UnsafeRawBufferPointer(start: start, count: plan.byteCount)
        self.descriptors = descriptors
        for segment in plan.segments {
            let mapped = mmap(
                start + segment.start, segment.byteCount, PROT_READ, MAP_SHARED | MAP_FIXED,
                descriptors[segment.descriptor], 0)
            // `deinit` unmaps the rest.
            guard mapped != MAP_FAILED else { throw .unmappable(buffer: index, errno: errno) }
        }
    }

    deinit {
        munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
        for descriptor in descriptors { close(descriptor) }
    }

    /// Returns the dma-bufs with their offsets in `bytes`. They are open while this object lives.
    func parts(_ plan: BufferPlan) -> [DMABuf] {
        plan.segments.map {
            DMABuf(descriptor: descriptors[$0.descriptor], start: $0.start, byteCount: $0.byteCount)
        }
    }

    /// Makes what the camera wrote visible to the processor. Call it before a frame is read.
    func beginReading() { for descriptor in descriptors { _ = clinux_dma_buf_reading(descriptor, 0) } }

    /// Ends the processor's access. Call it before the camera gets the buffer again.
    func endReading() { for descriptor in descriptors { _ = clinux_dma_buf_reading(descriptor, 1) } }
}
