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
    /// Frees all buffers and sets the device up again, which a driver may need after a fatal failure. Both queues must
    /// be off. From then on, frames are copied.
    func reinitialize() -> Int32
    /// Returns true if the device could read a frame in its present memory. The frame must be in a camera's dma-bufs.
    /// While frames are imported, it must also have the layout of those frames.
    func canImport(_ pixels: PixelBuffer) -> Bool
    /// Sets the device up again to import frames that are laid out like `pixels`, until `reinitialize`. Both queues
    /// must be off.
    ///
    /// - Returns: nil on success. After an obstacle the device is unusable until `reinitialize`.
    func beginImporting(_ pixels: PixelBuffer) -> FrameTransfer.Obstacle?
    /// Queues a frame, copied into a buffer or imported. The caller keeps an imported frame until its buffer is
    /// dequeued or the queues are off.
    ///
    /// - Parameter stamp: The timestamp that the driver returns with the packet, in microseconds.
    func queueFrame(_ index: Int, _ pixels: PixelBuffer, stamp: Int64) -> Int32
    /// Queues a buffer for a packet.
    func queuePacketBuffer(_ index: Int) -> Int32
    /// Dequeues the buffer of a frame that the encoder has read.
    func dequeueFrame() -> DequeuedFrame
    /// Dequeues a buffer that the encoder has filled.
    func dequeuePacket() -> DequeuedPacket
    /// The bytes of a packet, valid until its buffer is queued again. Empty if the buffer does not contain the whole
    /// packet.
    func bytes(of packet: EncoderPacket) -> UnsafeRawBufferPointer
    /// Makes the next frame that is queued a keyframe.
    func forceKeyframe() -> Int32
    /// Asks the encoder for the packets of all frames that it holds.
    func drain() -> Int32
    /// Waits until a buffer can be dequeued.
    ///
    /// - Returns: The errno, or 0. A timeout returns 0 too.
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
    /// The last packet of a drain was dequeued earlier.
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
