import CV4L2
import Glibc
import MediaTypes

/// The queues of an encoder's device, set up for one size.
///
/// Source: the Linux media API, "Memory-to-Memory Stateful Video Encoder Interface", "Initialization".
final class V4L2EncoderQueues: EncoderQueues {
    /// The least number of frames in the device. With fewer, an encoder that works in steps waits for the next frame.
    private static let leastFrames = 4
    private static let packetCount = 4
    /// A buffer for a packet is queued without bytes.
    private static let noBytes = [UInt32](repeating: 0, count: Int(CV4L2_PLANES))

    let name: String
    /// The layout of the frames that the encoder accepts.
    let layout: PixelFormat
    let canForceKeyframes: Bool
    private let node: EncoderNode
    private let setup: EncoderSetup
    private var planes: EncoderPlanes
    /// The bytes that a frame uses in each plane of memory, as the kernel gets them. Kept, so that a frame allocates
    /// nothing.
    private var used: [UInt32]
    private let frames: PlaneBuffers
    private let packets: PlaneBuffers

    /// Opens an encoder and claims it.
    ///
    /// - Throws: `deviceUnsuitable` if it lacks the codec, a pixel format or the size; `invalidSettings` for a bit rate
    ///   that it refuses; otherwise as `EncoderNode`.
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
        let planes = try Self.places(node, setup, format, layout, frames)
        self.planes = planes
        used = planes.used.map { UInt32(clamping: $0) }
    }

    /// Returns the number of frames in the device: two more than it keeps while it works.
    private static func frameCount(of node: EncoderNode) -> Int {
        var kept: Int64 = 0
        guard cv4l2_get_control(node.descriptor, CV4L2_CID_MIN_BUFFERS_FOR_OUTPUT, 0, &kept) == 0 else {
            return leastFrames
        }
        return max(leastFrames, Int(min(max(0, kept), 30)) + 2)
    }

    /// Sets the formats, the rate and the controls.
    private static func configure(
        _ node: EncoderNode, _ setup: EncoderSetup
    ) throws(MediaError) -> (cv4l2_queue_format, PixelFormat) {
        try setPacketFormat(node, setup)
        let (format, layout) = try setFrameFormat(node, setup)
        let time = setup.frameTime
        // An encoder without a rate assumes one. Its bit rate is then wrong by the factor between the two.
        _ = cv4l2_set_frame_time(node.frames, time.numerator, time.denominator)
        for control in setup.controls {
            if control.isRequired { try checkBitRate(control.value, node.range(of: control.id), node.path) }
            let code = node.set(control.id, to: control.value)
            guard code != 0, control.isRequired else { continue }
            throw MediaError(
                .invalidSettings, "cannot encode with \(node.path)",
                reason: "it refuses the bit rate \(control.value)", underlying: .errno(code),
                wayOut: "write another --bit-rate, or --encoder x264")
        }
        return (format, layout)
    }

    private static func places(
        _ node: EncoderNode, _ setup: EncoderSetup, _ format: cv4l2_queue_format, _ layout: PixelFormat,
        _ frames: PlaneBuffers
    ) throws(MediaError) -> EncoderPlanes {
        let strides = (0..<format.plane_count).map { plane in
            withUnsafePointer(to: format) { Int(cv4l2_stride($0, plane)) }
        }
        let lengths = (frames.memory.first ?? []).map(\.count)
        let fitting = EncoderPlanes(
            format: layout, width: setup.width, height: setup.height, strides: strides, lengths: lengths,
            codedHeight: Int(format.height))
        guard let planes = fitting else {
            throw MediaError(
                .deviceUnsuitable, "cannot encode with \(node.path)",
                reason: "its buffers of \(lengths) bytes with rows of \(strides) do not hold a frame of "
                    + "\(setup.width)×\(setup.height)", wayOut: "write --encoder x264")
        }
        return planes
    }

    /// A bit rate that the encoder does not have is an error, as with other encoders: a setting is never ignored.
    static func checkBitRate(_ rate: Int64, _ range: ClosedRange<Int64>?, _ path: String) throws(MediaError) {
        if let range, range.contains(rate) { return }
        let limits = range.map { "its bit rates are \($0.lowerBound) to \($0.upperBound) bits per second" }
        throw MediaError(
            .invalidSettings, "cannot encode \(rate) bits per second with \(path)",
            reason: limits ?? "it has no control for a bit rate", wayOut: "write another --bit-rate, or --encoder x264")
    }

    private static func setPacketFormat(_ node: EncoderNode, _ setup: EncoderSetup) throws(MediaError) {
        var format = cv4l2_queue_format()
        format.pixel_format = setup.coded
        format.width = UInt32(clamping: setup.width)
        format.height = UInt32(clamping: setup.height)
        format.plane_count = 1
        // Room for a keyframe that does not compress.
        let pixels = UInt32(clamping: Int64(setup.width) * Int64(setup.height))
        cv4l2_set_size(&format, max(1 << 18, pixels))
        let code = cv4l2_set_queue_format(node.packets, &format)
        guard code == 0 else { throw Self.failure(code, node, "it refuses the codec") }
        guard format.pixel_format == setup.coded else { throw Self.failure(nil, node, "it does not have the codec") }
    }

    private static func setFrameFormat(
        _ node: EncoderNode, _ setup: EncoderSetup
    ) throws(MediaError) -> (cv4l2_queue_format, PixelFormat) {
        let offered = Set(node.pixelFormats(node.frames).map(\.code))
        guard let best = EncoderSetup.frameFormats.first(where: { offered.contains($0.code) }) else {
            throw Self.failure(nil, node, "it accepts neither NV12 nor YUV420")
        }
        let tags = setup.tags
        var format = cv4l2_queue_format()
        format.pixel_format = best.code
        format.width = UInt32(clamping: setup.width)
        format.height = UInt32(clamping: setup.height)
        (format.colorspace, format.transfer) = (tags.colorspace, tags.transfer)
        (format.encoding, format.quantization) = (tags.encoding, tags.quantization)
        let code = cv4l2_set_queue_format(node.frames, &format)
        guard code == 0 else { throw Self.failure(code, node, "it refuses frames") }
        guard format.pixel_format == best.code, (1...UInt32(CV4L2_PLANES)).contains(format.plane_count) else {
            throw Self.failure(nil, node, "it changed the pixel format")
        }
        guard Int(format.width) >= setup.width, Int(format.height) >= setup.height else {
            throw MediaError(
                .deviceUnsuitable, "cannot encode \(setup.width)×\(setup.height) with \(node.path)",
                reason: "its frames have at most \(format.width)×\(format.height)",
                wayOut: "use a smaller --size, or --encoder x264")
        }
        // Without it, the padding of the driver's frames would be visible; the parameter sets tell.
        _ = cv4l2_set_crop(node.frames, UInt32(clamping: setup.width), UInt32(clamping: setup.height))
        return (format, best.format)
    }

    private static func failure(_ code: Int32?, _ node: EncoderNode, _ reason: String) -> MediaError {
        MediaError(
            code == EBUSY ? .busy : .deviceUnsuitable, "cannot encode with \(node.path)", reason: reason,
            underlying: code.map { MediaError.Underlying.errno($0) },
            wayOut: "`recorder devices` lists what the encoders can do")
    }

    var frameBufferCount: Int { frames.count }
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
        stop()
        frames.release()
        packets.release()
        do throws(MediaError) {
            let (format, layout) = try Self.configure(node, setup)
            guard layout == self.layout else { return EINVAL }
            try frames.allocate(Self.frameCount(of: node))
            try packets.allocate(Self.packetCount)
            planes = try Self.places(node, setup, format, layout, frames)
            used = planes.used.map { UInt32(clamping: $0) }
            return 0
        } catch {
            guard case .errno(let code) = error.underlying else { return EIO }
            return code
        }
    }

    func queueFrame(_ index: Int, _ pixels: PixelBuffer, stamp: Int64) -> Int32 {
        guard frames.memory.indices.contains(index), planes.copy(pixels, into: frames.memory[index]) else {
            return EINVAL
        }
        return cv4l2_queue_planes(node.frames, UInt32(index), UInt32(used.count), used, stamp)
    }

    func queuePacketBuffer(_ index: Int) -> Int32 {
        guard packets.memory.indices.contains(index) else { return EINVAL }
        return cv4l2_queue_planes(node.packets, UInt32(index), UInt32(packets.memory[index].count), Self.noBytes, 0)
    }

    func dequeueFrame() -> DequeuedFrame {
        var returned = cv4l2_returned()
        switch cv4l2_dequeue_planes(node.frames, &returned) {
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
        // A queue without buffers is an error too, but then there is nothing to wait for.
        guard events & (POLLIN | POLLOUT) == 0 else { return 0 }
        // The kernel hangs up when the device was unplugged.
        if events & POLLHUP != 0 { return ENODEV }
        return events & (POLLERR | POLLNVAL) != 0 ? EIO : 0
    }
}
