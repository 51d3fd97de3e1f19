import CV4L2
import Glibc
import MediaTypes
import TestSupport
import Testing

@testable import Capture

/// The kernel's vicodec: an encoder of FWHT, a format of its own, and the decoder. It follows the protocol of hardware
/// encoders, and has no control for keyframes.
enum LabEncoder {
    static let size = (width: 640, height: 360)

    /// Loads the driver with one of its two interfaces.
    static func load(isMultiplanar: Bool) throws {
        let parameters = "multiplanar=\(isMultiplanar ? 1 : 0)"
        try #require(LabCommand.run("modprobe -r vicodec && modprobe vicodec \(parameters)") == 0)
        try #require(eventually { !EncoderDiscovery.encoders().isEmpty })
    }

    static func unplug() -> Int32 {
        LabCommand.run("echo vicodec.0 > /sys/bus/platform/drivers/vicodec/unbind")
    }

    static func plugIn() throws {
        try #require(LabCommand.run("echo vicodec.0 > /sys/bus/platform/drivers/vicodec/bind") == 0)
        try #require(eventually { !EncoderDiscovery.encoders().isEmpty })
    }

    static func setup(width: Int = LabEncoder.size.width, height: Int = LabEncoder.size.height) -> EncoderSetup {
        EncoderSetup(coded: CV4L2_PIX_FWHT, width: width, height: height, frameRate: 30, keyframeInterval: 10)
    }

    /// Returns what a buffer of FWHT contains: the flags are the sixth number of its header (codec-fwht.h, struct
    /// fwht_cframe_hdr), and bit 10 marks a keyframe.
    static func content(_ bytes: UnsafeRawBufferPointer) -> StatefulEncoderState.Content {
        guard bytes.count >= 24, bytes[..<4].allSatisfy({ $0 == 0x4F }), bytes[4..<8].allSatisfy({ $0 == 0xFF }) else {
            return .invalid
        }
        return .frame(isKeyframe: bytes[22] & 0x04 != 0)
    }

    /// Returns a frame that has its number in sixteen black or white squares at its top, above gray stripes of four
    /// pixels. The stripes stay as they are, so vicodec encodes them as the difference from the frame before. It would
    /// encode flat blocks of eight pixels alone, and mark a frame of only such blocks as a keyframe.
    static func frame(_ number: Int, layout format: PixelFormat, width: Int, height: Int) -> PixelBuffer {
        let layout = PixelLayout(format: format, width: width, height: height)
        var bytes = [UInt8](repeating: 128, count: layout.byteCount)
        let stride = layout.planes[0].bytesPerRow
        for row in 0..<height {
            for column in 0..<width {
                let gray = column / 4 % 2 == 0 ? 96 : 160
                let bit = (number >> (column / 32)) & 1
                let square = bit == 1 ? 235 : 16
                let value = row < 32 && column < 512 ? square : gray
                bytes[row * stride + column] = UInt8(truncatingIfNeeded: value)
            }
        }
        return PixelBuffer(layout: layout, data: MediaData(bytes))
    }

    /// Returns the number in a frame's squares.
    static func number(in luma: UnsafeRawBufferPointer, bytesPerRow: Int) -> Int {
        var found = 0
        for bit in 0..<16 where luma[16 * bytesPerRow + bit * 32 + 16] > 128 { found |= 1 << bit }
        return found
    }
}

/// The decoder of vicodec. It gets one packet after the other, and returns each frame before the next packet.
final class LabDecoder {
    private let node: EncoderNode
    private let packets: PlaneBuffers
    private var frames: PlaneBuffers?
    private var bytesPerRow = 0
    private let size: (width: Int, height: Int)

    init(width: Int = LabEncoder.size.width, height: Int = LabEncoder.size.height) throws {
        size = (width, height)
        let found = Self.open()
        let node = try #require(found)
        self.node = node
        var format = cv4l2_queue_format()
        (format.pixel_format, format.plane_count) = (CV4L2_PIX_FWHT, 1)
        (format.width, format.height) = (UInt32(width), UInt32(height))
        try Self.check(cv4l2_set_queue_format(node.frames, &format))
        packets = try PlaneBuffers(node, node.frames, count: 2)
    }

    /// Opens the node that accepts FWHT and returns frames.
    private static func open() -> EncoderNode? {
        for number in 0..<64 {
            guard let node = try? EncoderNode(path: "/dev/video\(number)") else { continue }
            if node.pixelFormats(node.frames).contains(where: { $0.code == CV4L2_PIX_FWHT }) { return node }
        }
        return nil
    }

    /// Returns the number in the decoded frame, and the timestamp with which it came back.
    func decode(_ packet: [UInt8], stamp: Int64) throws -> (number: Int, stamp: Int64) {
        let memory = packets.memory[0][0]
        try #require(packet.count <= memory.count)
        memory.copyBytes(from: packet)
        let used = [UInt32(packet.count), 0, 0, 0]
        try Self.check(cv4l2_queue_planes(node.frames, 0, 1, used, stamp, nil, nil))
        if frames == nil { try start() }
        let frame = try take(node.packets)
        let isDamaged = frame.flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0
        try #require(!isDamaged)
        let index = Int(frame.index)
        let first = frames?.memory[index].first
        let luma = try #require(first)
        let number = LabEncoder.number(in: UnsafeRawBufferPointer(luma), bytesPerRow: bytesPerRow)
        try Self.check(cv4l2_queue_planes(node.packets, UInt32(index), 1, [0, 0, 0, 0], 0, nil, nil))
        _ = try take(node.frames)
        return (number, frame.stamp)
    }

    /// Starts both queues. The decoder reads the size in the first packet.
    private func start() throws {
        try Self.check(cv4l2_stream(node.frames, 1))
        var format = cv4l2_queue_format()
        (format.pixel_format, format.plane_count) = (CV4L2_PIX_YUV420, 1)
        (format.width, format.height) = (UInt32(size.width), UInt32(size.height))
        try Self.check(cv4l2_set_queue_format(node.packets, &format))
        bytesPerRow = withUnsafePointer(to: format) { Int(cv4l2_stride($0, 0)) }
        let buffers = try PlaneBuffers(node, node.packets, count: 3)
        frames = buffers
        for index in 0..<buffers.count {
            try Self.check(cv4l2_queue_planes(node.packets, UInt32(index), 1, [0, 0, 0, 0], 0, nil, nil))
        }
        try Self.check(cv4l2_stream(node.packets, 1))
    }

    private static func check(_ code: Int32) throws(MediaError) {
        guard code == 0 else { throw MediaError(errno: code, "cannot decode with vicodec") }
    }

    private func take(_ queue: cv4l2_queue) throws -> cv4l2_returned {
        var returned = cv4l2_returned()
        for _ in 0..<100 {
            let code = cv4l2_dequeue_planes(queue, &returned)
            if code == 0 { return returned }
            if code != EAGAIN { try Self.check(code) }
            let events = Int16(queue.is_capture != 0 ? POLLIN : POLLOUT)
            var entry = pollfd(fd: node.descriptor, events: events, revents: 0)
            _ = poll(&entry, 1, 100)
        }
        throw MediaError(.ioFailure, "cannot decode a packet", reason: "the decoder returns nothing")
    }
}
