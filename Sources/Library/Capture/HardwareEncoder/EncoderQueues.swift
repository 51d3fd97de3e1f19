import MediaTypes

/// The two queues of an encoder's device: frames go in, packets come out. `V4L2EncoderQueues` is the real one; tests
/// have encoders that misbehave.
///
/// Used by one thread at a time. No call waits except `wait`. Errors are errnos, 0 for none.
protocol EncoderQueues: AnyObject {
    /// The name for errors, such as `/dev/video11`.
    var name: String { get }
    var frameBufferCount: Int { get }
    var packetBufferCount: Int { get }
    /// True if the next frame can be made a keyframe while the encoder runs.
    var canForceKeyframes: Bool { get }

    /// Switches both queues on.
    func start() -> Int32
    /// Switches both queues off. The driver returns every buffer, and forgets the frames that it holds.
    func stop()
    /// Frees all buffers and sets the device up again, which a driver may need after a fatal failure. Both queues are
    /// off. Frames are copied after that.
    func reinitialize() -> Int32
    /// Returns true if the device could read a frame where it is: it is in a camera's dma-bufs and, while frames are
    /// imported, laid out as those are.
    func canImport(_ pixels: PixelBuffer) -> Bool
    /// Sets the device up again to import frames that are laid out like `pixels`, until `reinitialize`. Both queues are
    /// off.
    ///
    /// - Returns: nil on success. After an obstacle the device is unusable until `reinitialize`.
    func beginImporting(_ pixels: PixelBuffer) -> FrameTransfer.Obstacle?
    /// Queues a frame, copied into a buffer or imported. The caller keeps an imported frame until its buffer is
    /// dequeued or the queues are off.
    ///
    /// - Parameter stamp: The timestamp that comes back with the packet, in microseconds.
    func queueFrame(_ index: Int, _ pixels: PixelBuffer, stamp: Int64) -> Int32
    /// Queues a buffer for a packet.
    func queuePacketBuffer(_ index: Int) -> Int32
    /// Takes back the buffer of a frame that the encoder has read.
    func dequeueFrame() -> DequeuedFrame
    /// Takes back a buffer that the encoder has filled.
    func dequeuePacket() -> DequeuedPacket
    /// The bytes of a packet, valid until its buffer is queued again. Empty if the buffer does not have all of them.
    func bytes(of packet: EncoderPacket) -> UnsafeRawBufferPointer
    /// Makes the next frame that is queued a keyframe.
    func forceKeyframe() -> Int32
    /// Asks for everything that the encoder holds.
    func drain() -> Int32
    /// Waits until a buffer can be taken back.
    ///
    /// - Returns: 0 also if the time has passed.
    func wait(milliseconds: Int32) -> Int32
}

enum DequeuedFrame: Sendable {
    case buffer(Int)
    case nothingYet
    case failed(errno: Int32)
}

enum DequeuedPacket: Sendable {
    case packet(EncoderPacket)
    case nothingYet
    /// The last packet of a drain was taken before.
    case ended
    case failed(errno: Int32)
}

/// A buffer that the encoder filled.
struct EncoderPacket: Sendable, Hashable {
    var index: Int
    var start = 0
    var byteCount: Int
    /// The timestamp of its frame, in microseconds.
    var stamp: Int64
    var isLast = false
    var isCorrupt = false
}
