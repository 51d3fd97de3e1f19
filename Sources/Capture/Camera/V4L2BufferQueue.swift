import CV4L2
import Glibc
import MediaTypes
import Synchronization

/// The driver's buffers of one stream: mapped, queued, taken, lent and queued again.
///
/// Used by one thread at a time: the one that opens the camera, then the camera's own. Only that thread ever talks to
/// the driver. Whoever lets go of a lent buffer, on whichever thread, just sets its bit; the camera's
/// thread queues it with the next frame. So nothing stale can reach the driver after the stream ended or the camera
/// went away, and nobody waits for anybody.
///
/// Source: the Linux media API, "Streaming I/O (Memory Mapping)".
final class V4L2BufferQueue {
    /// A buffer that the driver filled.
    struct Filled {
        var index: Int
        var byteCount: Int
        var sequence: UInt32
        /// Microseconds.
        var stamp: Int64
        var flags: UInt32

        var isCorrupt: Bool { flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0 }
        var isKeyFrame: Bool { flags & UInt32(V4L2_BUF_FLAG_KEYFRAME) != 0 }
        /// Stamped with CLOCK_MONOTONIC by the kernel.
        var isMonotonic: Bool { V4L2BufferQueue.isMonotonic(flags) }
        /// Stamped when exposure began, as USB cameras do; otherwise when the frame's last pixel had arrived.
        var isStampedAtStart: Bool {
            flags & UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_MASK) == UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_SOE)
        }
    }

    enum Outcome {
        case filled(Filled)
        case nothingYet
        case failed(errno: Int32)
    }

    /// One buffer's memory. It stays mapped while anybody holds it, also after the camera is closed.
    private final class Mapping: @unchecked Sendable {
        // Unchecked: the pointer never changes; its bytes are written by the driver only while the buffer is queued.
        let bytes: UnsafeMutableRawBufferPointer
        init(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }
        deinit { v4l2_munmap(bytes.baseAddress, bytes.count) }
    }

    /// What happens when the last user of a buffer lets go. Made once: a frame costs no closure.
    private struct Loan: Sendable {
        let giveBack: @Sendable () -> Void
    }

    /// A bit for each buffer that was lent and given back, and is not queued yet.
    private final class Returned: Sendable {
        let bits = Atomic<UInt64>(0)
    }

    private let device: V4L2Device
    /// One for each mapping.
    private var loans: [Loan] = []
    private var mappings: [Mapping] = []
    private let returned = Returned()
    /// Those that have come back, and those that the driver refused: to be queued by the thread that owns this.
    private var waiting: [Int] = []

    /// libv4l2 converts: its buffers are not the driver's.
    private var isConverted = false

    /// How many buffers the driver has to fill.
    private(set) var queuedCount = 0

    /// The kernel stamps frames with CLOCK_MONOTONIC, as far as the empty buffers tell.
    private(set) var isMonotonic = false

    /// For poll(2): readable when a buffer is filled.
    var descriptor: Int32 { device.descriptor }

    /// Asks the driver for buffers and maps them. From here on the camera is taken.
    ///
    /// - Throws: `busy` when another program has it; `ioFailure` otherwise.
    init(device: V4L2Device, count: Int) throws(MediaError) {
        self.device = device
        var request = v4l2_requestbuffers()
        request.count = UInt32(count)
        request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        request.memory = V4L2_MEMORY_MMAP.rawValue
        let code = device.call(CV4L2_REQBUFS, &request)
        guard code == 0 else { throw Self.error(code, device, "cannot record from \(device.path)") }
        do throws(MediaError) {
            for index in 0..<min(Int(request.count), UInt64.bitWidth) { mappings.append(try map(index)) }
        } catch {
            releaseBuffers()
            throw error
        }
        loans = mappings.indices.map { index in
            let (mapping, returned) = (mappings[index], returned)
            return Loan {
                // Keeps the memory mapped until here.
                withExtendedLifetime(mapping) {
                    _ = returned.bits.bitwiseOr(1 << UInt64(index), ordering: .releasing)
                }
            }
        }
        waiting.reserveCapacity(mappings.count)
    }

    // libv4l2 wants its buffers unmapped before it closes.
    deinit { (mappings, loans) = ([], []) }

    private func map(_ index: Int) throws(MediaError) -> Mapping {
        var buffer = Self.emptyBuffer(index)
        let code = device.call(CV4L2_QUERYBUF, &buffer)
        guard code == 0 else { throw Self.error(code, device, "cannot record from \(device.path)") }
        isMonotonic = Self.isMonotonic(buffer.flags)
        var own = Self.emptyBuffer(index)
        if device.callDriver(CV4L2_QUERYBUF, &own) != 0 || own.m.offset != buffer.m.offset { isConverted = true }
        guard let memory = cv4l2_map(device.descriptor, UInt(buffer.length), cv4l2_offset(&buffer)) else {
            throw MediaError(errno: errno, "cannot map a buffer of \(device.path)")
        }
        return Mapping(UnsafeMutableRawBufferPointer(start: memory, count: Int(buffer.length)))
    }

    /// Queues every buffer and starts the stream.
    func start() throws(MediaError) {
        for index in mappings.indices {
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

    /// Takes the next filled buffer, without waiting. It must then be lent, or queued again.
    func dequeue() -> Outcome {
        var buffer = Self.emptyBuffer(0)
        let code = exchange(CV4L2_DQBUF, &buffer)
        guard code == 0 else { return code == EAGAIN ? .nothingYet : .failed(errno: code) }
        queuedCount -= 1
        let index = Int(buffer.index)
        guard mappings.indices.contains(index) else { return .failed(errno: EIO) }
        return .filled(
            Filled(
                index: index, byteCount: min(Int(buffer.bytesused), mappings[index].bytes.count),
                sequence: buffer.sequence,
                stamp: Int64(buffer.timestamp.tv_sec) &* 1_000_000 &+ Int64(buffer.timestamp.tv_usec),
                flags: buffer.flags))
    }

    /// The bytes of a buffer that was taken, valid until it is queued again.
    func bytes(of filled: Filled) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: mappings[filled.index].bytes[..<filled.byteCount])
    }

    /// Lends a buffer. It is queued again, by the camera's thread, once the last user has let go.
    func lend(_ filled: Filled) -> MediaData {
        let bytes = UnsafeRawBufferPointer(rebasing: mappings[filled.index].bytes[..<filled.byteCount])
        return MediaData(borrowing: bytes, release: loans[filled.index].giveBack)
    }

    /// Queues a buffer that was taken and not lent.
    func giveBack(_ filled: Filled) { waiting.append(filled.index) }

    /// Queues everything that has come back. What the driver refuses is tried again the next time.
    ///
    /// - Returns: the errno when the camera is gone, else 0.
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

    /// Ends the stream and gives the camera free; lent buffers stay valid until their users let go.
    func stop() {
        var type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        _ = device.call(CV4L2_STREAMOFF, &type)
        releaseBuffers()
    }

    private func releaseBuffers() {
        (mappings, loans) = ([], [])
        // A mapping that is still lent holds the open file (mmap(2)): asking for no buffers is what frees the camera.
        var request = v4l2_requestbuffers()
        request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        request.memory = V4L2_MEMORY_MMAP.rawValue
        if device.call(CV4L2_REQBUFS, &request) == EBUSY {
            // libv4l2 will not while a buffer is mapped; the kernel does (since 4.20).
            _ = withUnsafeMutablePointer(to: &request) { cv4l2_raw_ioctl(device.descriptor, CV4L2_REQBUFS, $0) }
        }
    }

    private func queue(_ index: Int) -> Int32 {
        var buffer = Self.emptyBuffer(index)
        let code = exchange(CV4L2_QBUF, &buffer)
        if code == 0 { queuedCount += 1 }
        return code
    }

    /// Gives a buffer to the driver, or takes one from it.
    private func exchange(_ request: UInt, _ buffer: inout v4l2_buffer) -> Int32 {
        isConverted ? device.call(request, &buffer) : device.callDriver(request, &buffer)
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
