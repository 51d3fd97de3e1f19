import CV4L2
import Glibc
import MediaTypes
import Synchronization

/// The driver's buffers of one stream: mapped, queued, dequeued, lent and queued again.
///
/// Used by one thread at a time: first the thread that opens the camera, then the camera's own. Only that thread calls
/// the driver. Any thread may release a lent buffer, which only sets the buffer's bit. The camera's thread queues the
/// buffer with the next frame. So no stale buffer can reach the driver after the stream ended or the camera
/// disconnected, and no thread waits for another.
///
/// Source: the Linux media API, "Streaming I/O (Memory Mapping)".
final class V4L2BufferQueue {
    /// A buffer that the driver filled.
    struct Filled {
        var index: Int
        var byteCount: Int
        var sequence: UInt32
        /// The driver's timestamp, in microseconds.
        var stamp: Int64
        var flags: UInt32

        var isCorrupt: Bool { flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0 }
        var isKeyframe: Bool { flags & UInt32(V4L2_BUF_FLAG_KEYFRAME) != 0 }
        /// True if the kernel's timestamp is in CLOCK_MONOTONIC.
        var isMonotonic: Bool { V4L2BufferQueue.isMonotonic(flags) }
        /// True if the timestamp is the start of exposure, as with USB cameras. Otherwise it is the time of the frame's
        /// last pixel.
        var isStampedAtStart: Bool {
            flags & UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_MASK) == UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_SOE)
        }
    }

    enum Outcome {
        case filled(Filled)
        case nothingYet
        case failed(errno: Int32)
    }

    /// One buffer. Its memory stays mapped and its dma-buf open while it has an owner, even after the camera is closed.
    private final class Buffer: LentBuffer, @unchecked Sendable {
        // Unchecked: all members are constant, except for the atomic bits. The driver writes the bytes only while the
        // buffer is queued, and nothing reads them then.
        let bytes: UnsafeMutableRawBufferPointer
        let parts: [DMABuf]
        private let index: Int
        private let returned: Returned

        /// - Parameter parts: The dma-bufs of the memory. This object closes them.
        init(_ index: Int, _ bytes: UnsafeMutableRawBufferPointer, parts: [DMABuf], returned: Returned) {
            self.index = index
            self.bytes = bytes
            self.parts = parts
            self.returned = returned
        }

        deinit {
            v4l2_munmap(bytes.baseAddress, bytes.count)
            for part in parts { close(part.descriptor) }
        }

        func giveBack() { _ = returned.bits.bitwiseOr(1 << UInt64(index), ordering: .releasing) }
    }

    /// A bit for each buffer that was lent and released but is not queued yet.
    private final class Returned: Sendable {
        let bits = Atomic<UInt64>(0)
    }

    private let device: V4L2Device
    /// The buffers. They are created once, so that a frame allocates no closure.
    private var buffers: [Buffer] = []
    /// True if each buffer is exported as a dma-buf too, so that an encoder can read it.
    private let exports: Bool
    private let returned = Returned()
    /// The buffers that were released or that the driver refused. The owning thread queues them.
    private var waiting: [Int] = []

    /// True if libv4l2 converts the frames, so its buffers are not the driver's.
    private var isConverted = false

    /// The number of buffers that the driver can still fill.
    private(set) var queuedCount = 0

    /// True if the kernel stamps frames with CLOCK_MONOTONIC, according to the flags of the empty buffers.
    private(set) var isMonotonic = false

    /// The descriptor for poll(2): readable when a buffer is filled.
    var descriptor: Int32 { device.descriptor }

    /// Requests buffers from the driver and maps them. This claims the camera.
    ///
    /// - Parameter exports: True to export the buffers as dma-bufs too, if the driver can do that.
    /// - Throws: `busy` if another program uses the camera; `ioFailure` otherwise.
    init(device: V4L2Device, count: Int, exports: Bool = false) throws(MediaError) {
        self.device = device
        self.exports = exports
        var request = v4l2_requestbuffers()
        request.count = UInt32(count)
        request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        request.memory = V4L2_MEMORY_MMAP.rawValue
        let code = device.call(CV4L2_REQBUFS, &request)
        guard code == 0 else { throw Self.error(code, device, "cannot record from \(device.path)") }
        do throws(MediaError) {
            for index in 0..<min(Int(request.count), UInt64.bitWidth) { buffers.append(try map(index)) }
        } catch {
            releaseBuffers()
            throw error
        }
        waiting.reserveCapacity(buffers.count)
    }

    // libv4l2 requires its buffers to be unmapped before it closes the device.
    deinit { buffers = [] }

    private func map(_ index: Int) throws(MediaError) -> Buffer {
        var buffer = Self.emptyBuffer(index)
        let code = device.call(CV4L2_QUERYBUF, &buffer)
        guard code == 0 else { throw Self.error(code, device, "cannot record from \(device.path)") }
        isMonotonic = Self.isMonotonic(buffer.flags)
        var own = Self.emptyBuffer(index)
        if callDriver(CV4L2_QUERYBUF, &own) != 0 || own.m.offset != buffer.m.offset { isConverted = true }
        guard let memory = cv4l2_map(device.descriptor, UInt(buffer.length), cv4l2_offset(&buffer)) else {
            throw MediaError(errno: errno, "cannot map a buffer of \(device.path)")
        }
        let bytes = UnsafeMutableRawBufferPointer(start: memory, count: Int(buffer.length))
        // libv4l2's buffers are not the driver's.
        let parts = exports && !isConverted ? export(index, bytes.count) : []
        return Buffer(index, bytes, parts: parts, returned: returned)
    }

    /// Returns the dma-buf of a buffer; an empty array if the driver cannot export it.
    private func export(_ index: Int, _ byteCount: Int) -> [DMABuf] {
        let descriptor = cv4l2_export_buffer(device.descriptor, UInt32(index))
        guard descriptor >= 0 else { return [] }
        // The kernel allocates whole pages, and an encoder may want more bytes than the camera writes.
        let size = Int(lseek(descriptor, 0, SEEK_END))
        return [DMABuf(descriptor: descriptor, start: 0, byteCount: max(size, byteCount))]
    }

    /// Queues every buffer and starts the stream.
    func start() throws(MediaError) {
        for index in buffers.indices {
            let code = queue(index)
            guard code == 0 else { throw Self.error(code, device, "cannot record from \(device.path)") }
        }
        var type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        let code = device.call(CV4L2_STREAMON, &type)
        guard code == 0 else {
            releaseBuffers()
            throw Self.error(code, device, "cannot start \(device.path)")
        }
    }

    /// Dequeues the next filled buffer without waiting. The caller must lend it or queue it again.
    func dequeue() -> Outcome {
        var buffer = Self.emptyBuffer(0)
        let code = exchange(CV4L2_DQBUF, &buffer)
        guard code == 0 else { return code == EAGAIN ? .nothingYet : .failed(errno: code) }
        queuedCount -= 1
        let index = Int(buffer.index)
        guard buffers.indices.contains(index) else { return .failed(errno: EIO) }
        return .filled(
            Filled(
                index: index, byteCount: min(Int(buffer.bytesused), buffers[index].bytes.count),
                sequence: buffer.sequence,
                stamp: Int64(buffer.timestamp.tv_sec) &* 1_000_000 &+ Int64(buffer.timestamp.tv_usec),
                flags: buffer.flags))
    }

    /// Returns the bytes of a dequeued buffer, valid until it is queued again.
    func bytes(of filled: Filled) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: buffers[filled.index].bytes[..<filled.byteCount])
    }

    /// Lends a buffer. The camera's thread queues it again after its last user has released it.
    func lend(_ filled: Filled) -> MediaData {
        MediaData(borrowing: bytes(of: filled), from: buffers[filled.index])
    }

    /// Returns a dequeued buffer that was not lent, so that it is queued again.
    func giveBack(_ filled: Filled) { waiting.append(filled.index) }

    /// Queues all released buffers. A buffer that the driver refuses is retried the next time.
    ///
    /// - Returns: The errno if the camera is disconnected, else 0.
    func queueReturned() -> Int32 {
        var bits = returned.bits.exchange(0, ordering: .acquiring)
        while bits != 0 {
            waiting.append(bits.trailingZeroBitCount)
            bits &= bits - 1
        }
        while let index = waiting.last {
            let code = queue(index)
            if code == ENODEV { return code }
            if code != 0 { break }
            waiting.removeLast()
        }
        return 0
    }

    /// Stops the stream and releases the camera. Lent buffers stay valid until their users release them.
    func stop() {
        var type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        _ = device.call(CV4L2_STREAMOFF, &type)
        releaseBuffers()
    }

    private func releaseBuffers() {
        buffers = []
        // A lent mapping keeps the file open (mmap(2)), so only a request for zero buffers releases the camera.
        var request = v4l2_requestbuffers()
        request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        request.memory = V4L2_MEMORY_MMAP.rawValue
        if device.call(CV4L2_REQBUFS, &request) == EBUSY {
            // libv4l2 refuses this request while a buffer is mapped; the kernel accepts it (since 4.20).
            _ = callDriver(CV4L2_REQBUFS, &request)
        }
    }

    private func queue(_ index: Int) -> Int32 {
        var buffer = Self.emptyBuffer(index)
        let code = exchange(CV4L2_QBUF, &buffer)
        if code == 0 { queuedCount += 1 }
        return code
    }

    /// Passes a buffer to the driver, or dequeues one from it.
    private func exchange(_ request: UInt, _ buffer: inout v4l2_buffer) -> Int32 {
        isConverted ? device.call(request, &buffer) : callDriver(request, &buffer)
    }

    /// Calls one ioctl directly, bypassing libv4l2, which formats a log text for each call. Used per frame if nothing
    /// is converted.
    private func callDriver<Argument>(_ request: UInt, _ argument: inout Argument) -> Int32 {
        withUnsafeMutablePointer(to: &argument) { cv4l2_raw_ioctl(device.descriptor, request, $0) }
    }

    private static func isMonotonic(_ flags: UInt32) -> Bool {
        flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK) == UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
    }

    private static func emptyBuffer(_ index: Int) -> v4l2_buffer {
        var buffer = v4l2_buffer()
        buffer.index = UInt32(index)
        buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        buffer.memory = V4L2_MEMORY_MMAP.rawValue
        return buffer
    }

    private static func error(_ code: Int32, _ device: V4L2Device, _ action: String) -> MediaError {
        switch code {
        case EBUSY, ENODEV, ENXIO: V4L2Device.openError(code, path: device.path)
        case ENOSPC:
            MediaError(
                .deviceUnsuitable, action, reason: "its USB bus has no bandwidth left", underlying: .errno(code),
                wayOut: "choose mjpeg, a smaller size or a lower rate, or another USB port")
        default: MediaError(.ioFailure, action, reason: "the driver refused", underlying: .errno(code))
        }
    }
}
