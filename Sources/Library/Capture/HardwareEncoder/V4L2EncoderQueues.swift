import CV4L2
import Glibc
import MediaTypes

/// The queues of an encoder's device, set up for one size.
///
/// Source: the Linux media API, "Memory-to-Memory Stateful Video Encoder Interface", "Initialization".
final class V4L2EncoderQueues: EncoderQueues {
    /// The minimum number of frame buffers. With fewer, an encoder that works in stages would wait for the next frame.
    private static let leastFrames = 4
    private static let packetCount = 4
    /// The byte counts for queueing a packet buffer, which is empty.
    private static let noBytes = [UInt32](repeating: 0, count: Int(CV4L2_PLANES))

    let name: String
    /// The layout of the frames that the encoder accepts.
    let layout: PixelFormat
    let canForceKeyframes: Bool
    let frameBufferCount: Int
    private let node: EncoderNode
    private let setup: EncoderSetup
    private var planes: EncoderPlanes
    /// The bytes that a frame uses in each plane of memory, in the kernel's type. Stored here so that a frame allocates
    /// nothing.
    private var used: [UInt32]
    /// The dma-bufs of the latest imported frame, and their sizes. Stored here for the same reason.
    private var descriptors = [Int32](repeating: -1, count: Int(CV4L2_PLANES))
    private var lengths = [UInt32](repeating: 0, count: Int(CV4L2_PLANES))
    private var isImporting = false
    private let frames: PlaneBuffers
    private let packets: PlaneBuffers

    /// Opens an encoder and claims it.
    ///
    /// - Throws: `deviceUnsuitable` if it lacks the codec, a pixel format or the size; `invalidSettings` for a bit rate
    ///   that it refuses; otherwise the errors of `EncoderNode`.
    init(_ node: EncoderNode, _ setup: EncoderSetup) throws(MediaError) {
        self.node = node
        self.setup = setup
        name = node.path
        let (format, layout) = try Self.configure(node, setup)
        self.layout = layout
        canForceKeyframes = node.range(of: CV4L2_CID_FORCE_KEY_FRAME) != nil
        let frames = try PlaneBuffers(node, node.frames, count: Self.frameCount(of: node))
        self.frames = frames
        packets = try PlaneBuffers(node, node.packets, count: Self.packetCount)
        frameBufferCount = frames.count
        let planes = try Self.places(node, setup, format, layout, lengths: Self.lengths(of: frames))
        self.planes = planes
        used = planes.used.map { UInt32(clamping: $0) }
    }

    /// Returns the number of frame buffers to request: two more than the device keeps while it works.
    private static func frameCount(of node: EncoderNode) -> Int {
        var kept: Int64 = 0
        guard cv4l2_get_control(node.descriptor, CV4L2_CID_MIN_BUFFERS_FOR_OUTPUT, 0, &kept) == 0 else {
            return leastFrames
        }
        return max(leastFrames, Int(min(max(0, kept), 30)) + 2)
    }

    /// Returns the sizes of a driver's buffer.
    private static func lengths(of frames: PlaneBuffers) -> [Int] { (frames.memory.first ?? []).map(\.count) }

    var packetBufferCount: Int { packets.count }

    func start() -> Int32 {
        var code = cv4l2_stream(node.frames, 1)
        if code == 0 { code = cv4l2_stream(node.packets, 1) }
        // Neither queue runs without the other one.
        if code != 0 { stop() }
        return code
    }

    func stop() {
        _ = cv4l2_stream(node.frames, 0)
        _ = cv4l2_stream(node.packets, 0)
    }

    func reinitialize() -> Int32 {
        do throws(MediaError) {
            let format = try prepareSetup(strides: [])
            try frames.allocate(Self.frameCount(of: node))
            try packets.allocate(Self.packetCount)
            use(try Self.places(node, setup, format, layout, lengths: Self.lengths(of: frames)))
            return 0
        } catch {
            return Self.code(of: error)
        }
    }

    func canImport(_ pixels: PixelBuffer) -> Bool {
        if isImporting { return planes.canImport(pixels) }
        // The row layout is checked later: `beginImporting` requests the frame's layout from the encoder.
        guard pixels.format == layout, pixels.width == setup.width, pixels.height == setup.height,
            let buffer = pixels.data.lentBuffer
        else { return false }
        return !buffer.parts.isEmpty
    }

    func beginImporting(_ pixels: PixelBuffer) -> FrameTransfer.Obstacle? {
        let rows = pixels.layout.planes.map(\.bytesPerRow)
        do throws(MediaError) {
            let format = try prepareSetup(strides: Array(rows.prefix(used.count)))
            let lengths = Self.sizes(of: format)
            guard let imported = EncoderPlanes(format, layout, setup, lengths: lengths), imported.canImport(pixels)
            else { return .layout }
            try frames.allocateImports(frameBufferCount)
            try packets.allocate(Self.packetCount)
            use(imported)
            isImporting = true
            return nil
        } catch {
            return .refused(errno: Self.code(of: error))
        }
    }

    /// Frees all buffers and sets the formats again.
    ///
    /// - Parameter strides: The bytes per row to request for each plane of memory; empty to let the driver choose.
    /// - Throws: With an errno if the driver failed or now accepts another layout.
    private func prepareSetup(strides: [Int]) throws(MediaError) -> cv4l2_queue_format {
        stop()
        isImporting = false
        frames.release()
        packets.release()
        let (format, layout) = try Self.configure(node, setup, strides: strides)
        guard layout == self.layout else { throw MediaError(errno: EINVAL, "cannot encode with \(node.path)") }
        return format
    }

    private func use(_ planes: EncoderPlanes) {
        self.planes = planes
        used = planes.used.map { UInt32(clamping: $0) }
    }

    private static func code(of error: MediaError) -> Int32 {
        guard case .errno(let code) = error.underlying else { return EIO }
        return code
    }

    func queueFrame(_ index: Int, _ pixels: PixelBuffer, stamp: Int64) -> Int32 {
        if isImporting { return queueImported(index, pixels, stamp: stamp) }
        guard frames.memory.indices.contains(index), planes.copy(pixels, into: frames.memory[index]) else {
            return EINVAL
        }
        return cv4l2_queue_planes(frames.queue, UInt32(index), UInt32(used.count), used, stamp, nil, nil)
    }

    private func queueImported(_ index: Int, _ pixels: PixelBuffer, stamp: Int64) -> Int32 {
        guard (0..<frames.count).contains(index), let buffer = pixels.data.lentBuffer else { return EINVAL }
        for memory in used.indices {
            guard let part = planes.source(ofMemory: memory, pixels.layout, buffer.parts) else { return EINVAL }
            descriptors[memory] = part.descriptor
            lengths[memory] = UInt32(clamping: part.byteCount)
        }
        return cv4l2_queue_planes(
            frames.queue, UInt32(index), UInt32(used.count), used, stamp, descriptors, lengths)
    }

    func queuePacketBuffer(_ index: Int) -> Int32 {
        guard packets.memory.indices.contains(index) else { return EINVAL }
        let count = UInt32(packets.memory[index].count)
        return cv4l2_queue_planes(node.packets, UInt32(index), count, Self.noBytes, 0, nil, nil)
    }

    func dequeueFrame() -> DequeuedFrame {
        var returned = cv4l2_returned()
        switch cv4l2_dequeue_planes(frames.queue, &returned) {
        case 0: return .buffer(Int(returned.index))
        case EAGAIN: return .nothingYet
        case let code: return .failed(errno: code)
        }
    }

    func dequeuePacket() -> DequeuedPacket {
        var returned = cv4l2_returned()
        switch cv4l2_dequeue_planes(node.packets, &returned) {
        case 0: break
        case EAGAIN: return .nothingYet
        case EPIPE: return .ended
        case let code: return .failed(errno: code)
        }
        let (start, end) = (Int(returned.start), Int(returned.used))
        return .packet(
            EncoderPacket(
                index: Int(returned.index), start: start, byteCount: max(0, end - start), stamp: returned.stamp,
                isLast: returned.flags & UInt32(V4L2_BUF_FLAG_LAST) != 0,
                isCorrupt: returned.flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0))
    }

    func bytes(of packet: EncoderPacket) -> UnsafeRawBufferPointer {
        guard packets.memory.indices.contains(packet.index), let memory = packets.memory[packet.index].first,
            packet.start >= 0, packet.byteCount >= 0, packet.start <= memory.count,
            packet.byteCount <= memory.count - packet.start
        else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(rebasing: memory[packet.start..<packet.start + packet.byteCount])
    }

    func forceKeyframe() -> Int32 { cv4l2_set_control(node.descriptor, CV4L2_CID_FORCE_KEY_FRAME, 0, 1) }

    func drain() -> Int32 { cv4l2_drain(node.descriptor) }

    func wait(milliseconds: Int32) -> Int32 {
        var entry = pollfd(fd: node.descriptor, events: Int16(POLLIN | POLLOUT), revents: 0)
        let count = poll(&entry, 1, milliseconds)
        if count < 0 { return errno == EINTR ? 0 : errno }
        if count == 0 { return 0 }
        let events = Int32(entry.revents)
        // poll(2) also reports an error for a queue without buffers. If another buffer is ready, that error does not
        // matter.
        guard events & (POLLIN | POLLOUT) == 0 else { return 0 }
        // The kernel hangs up when the device was unplugged.
        if events & POLLHUP != 0 { return ENODEV }
        return events & (POLLERR | POLLNVAL) != 0 ? EIO : 0
    }
}
