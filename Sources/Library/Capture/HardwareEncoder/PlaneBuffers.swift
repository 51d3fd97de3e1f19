import CV4L2
import Glibc
import MediaTypes

/// The buffers of one queue. They are either the driver's buffers, mapped into memory, or buffers without memory, for
/// imported frames. For one thread at a time.
final class PlaneBuffers {
    private let node: EncoderNode
    private(set) var queue: cv4l2_queue
    /// The number of buffers for imported frames.
    private var importCount = 0
    /// The planes of memory of each buffer.
    private(set) var memory: [[UnsafeMutableRawBufferPointer]] = []

    /// - Throws: As `allocate`.
    init(_ node: EncoderNode, _ queue: cv4l2_queue, count: Int) throws(MediaError) {
        self.node = node
        self.queue = queue
        try allocate(count)
    }

    /// Requests buffers, after earlier ones were released.
    ///
    /// - Throws: `busy` if other programs use all of the device's capacity; `ioFailure` otherwise.
    func allocate(_ count: Int) throws(MediaError) {
        var granted = UInt32(clamping: count)
        let code = cv4l2_request_buffers(queue, &granted)
        guard code == 0 else { throw Self.failure(code, node) }
        guard granted > 0 else { throw Self.failure(ENOMEM, node) }
        do throws(MediaError) {
            for index in 0..<min(Int(granted), 32) { memory.append(try map(index)) }
        } catch {
            release()
            throw error
        }
    }

    /// Requests buffers for imported frames, after earlier ones were released.
    ///
    /// - Throws: As `allocate`. The queue is then set up for the driver's buffers again.
    func allocateImports(_ count: Int) throws(MediaError) {
        queue.is_imported = 1
        var granted = UInt32(clamping: count)
        let code = cv4l2_request_buffers(queue, &granted)
        guard code == 0, Int(granted) >= count else {
            release()
            throw Self.failure(code == 0 ? ENOMEM : code, node)
        }
        importCount = count
    }

    deinit { release() }

    var count: Int { memory.isEmpty ? importCount : memory.count }

    private func map(_ index: Int) throws(MediaError) -> [UnsafeMutableRawBufferPointer] {
        var planeCount: UInt32 = 0
        var lengths = [UInt32](repeating: 0, count: Int(CV4L2_PLANES))
        var offsets = lengths
        let code = cv4l2_locate_buffer(queue, UInt32(index), &planeCount, &lengths, &offsets)
        guard code == 0 else { throw Self.failure(code, node) }
        var planes: [UnsafeMutableRawBufferPointer] = []
        for plane in 0..<min(Int(planeCount), lengths.count) {
            guard lengths[plane] > 0,
                let start = cv4l2_map_plane(node.descriptor, UInt(lengths[plane]), offsets[plane])
            else {
                let number = lengths[plane] > 0 ? errno : ENOMEM
                for mapped in planes { munmap(mapped.baseAddress, mapped.count) }
                throw Self.failure(number, node)
            }
            planes.append(UnsafeMutableRawBufferPointer(start: start, count: Int(lengths[plane])))
        }
        guard !planes.isEmpty else { throw Self.failure(EIO, node) }
        return planes
    }

    /// Unmaps and frees the buffers. The queue must be off.
    func release() {
        for plane in memory.joined() { munmap(plane.baseAddress, plane.count) }
        (memory, importCount) = ([], 0)
        var none: UInt32 = 0
        _ = cv4l2_request_buffers(queue, &none)
        queue.is_imported = 0
    }

    private static func failure(_ code: Int32, _ node: EncoderNode) -> MediaError {
        switch code {
        case EBUSY, ENODEV, ENXIO: EncoderNode.error(code, node.path)
        default:
            MediaError(
                .ioFailure, "cannot encode with \(node.path)", reason: "its driver granted no buffers",
                underlying: .errno(code))
        }
    }
}
