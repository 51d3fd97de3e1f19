@testable import LibcameraCapture

/// Messages of a helper, as bytes. Each can be changed before it is handed in.
struct HelperBytes {
    private(set) var message: MessageBytes
    var bytes: [UInt8] { message.bytes }

    init(_ kind: HelperKind, descriptors: Int = 0) {
        message = MessageBytes(kind: kind.rawValue)
        message.put(UInt32(descriptors), at: MessageLayout.descriptorsAt)
    }

    /// Returns the same message with a 32-bit number changed.
    func with(_ value: UInt32, at offset: Int) -> HelperBytes {
        var copy = self
        copy.message.put(value, at: offset)
        return copy
    }

    /// Returns the same message with a 64-bit number changed.
    func with(long value: UInt64, at offset: Int) -> HelperBytes {
        var copy = self
        copy.message.put(value, at: offset)
        return copy
    }

    /// Returns the same message with another text.
    func with(text: String) -> HelperBytes {
        var copy = self
        let isWritten = copy.message.put(text, at: MessageLayout.textAt, size: MessageLayout.textSize)
        precondition(isWritten, "the text is too long")
        return copy
    }

    static func hello() -> HelperBytes { HelperBytes(.hello).with(text: "0.4.0") }

    /// 1280×720 NV12 at a fixed 30 frames a second, in rows of 1,280 bytes, unless changed.
    static func configured(
        _ format: FrameFormat = .nv12, buffers: Int = 4, stride: Int = 1280, interval: UInt64 = 33_333_333
    ) -> HelperBytes {
        HelperBytes(.configured)
            .with(1280, at: MessageLayout.widthAt).with(720, at: MessageLayout.heightAt)
            .with(format.rawValue, at: MessageLayout.formatAt).with(UInt32(buffers), at: MessageLayout.buffersAt)
            .with(UInt32(stride), at: MessageLayout.strideAt).with(1, at: MessageLayout.orientationAt)
            .with(long: interval, at: MessageLayout.shortestIntervalAt)
            .with(long: interval, at: MessageLayout.longestIntervalAt)
    }

    /// Both planes of NV12 in one dma-buf, one after the other.
    static func buffer(_ index: Int, descriptors: Int = 1) -> HelperBytes {
        HelperBytes(.buffer, descriptors: descriptors)
            .with(UInt32(index), at: MessageLayout.bufferAt).with(2, at: MessageLayout.planesAt)
            .plane(0, descriptor: 0, offset: 0, length: 1280 * 720)
            .plane(1, descriptor: 0, offset: 1280 * 720, length: 1280 * 360)
    }

    func plane(_ index: Int, descriptor: UInt32, offset: UInt32, length: UInt32) -> HelperBytes {
        let start = MessageLayout.planeAt + index * MessageLayout.planeSize
        return with(descriptor, at: start).with(offset, at: start + 4).with(length, at: start + 8)
    }

    /// A whole frame of the format above. The camera has buffers left.
    static func frame(
        _ buffer: Int, sequence: UInt32, sensor: Int64, status: FrameMessage.Status = .good
    ) -> HelperBytes {
        HelperBytes(.frame)
            .with(UInt32(buffer), at: MessageLayout.bufferAt).with(2, at: MessageLayout.planesAt)
            .with(status.rawValue, at: MessageLayout.statusAt).with(sequence, at: MessageLayout.sequenceAt)
            .with(1280 * 720, at: MessageLayout.usedAt).with(1280 * 360, at: MessageLayout.usedAt + 4)
            .with(3, at: MessageLayout.queuedAt)
            .with(long: UInt64(sensor), at: MessageLayout.timestampAt)
            .with(long: UInt64(sensor), at: MessageLayout.sensorAt)
    }

    static func failure(_ cause: HelperFailure.Cause, errno: Int32 = 0, _ reason: String) -> HelperBytes {
        HelperBytes(.failure)
            .with(cause.rawValue, at: MessageLayout.causeAt)
            .with(UInt32(bitPattern: errno), at: MessageLayout.errnoAt).with(text: reason)
    }

    /// The size of a dma-buf with one NV12 frame of the format above.
    static let frameBytes = Int64(1280 * 720 * 3 / 2)
}
