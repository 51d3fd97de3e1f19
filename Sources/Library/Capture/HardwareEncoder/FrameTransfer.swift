import MediaTypes

/// Decides how frames reach an encoder. A copied frame is in one of the encoder's own buffers. An imported frame stays
/// in the camera's buffer, and the encoder reads it there. This value also holds the imported frames that the encoder
/// has. A pure value; `StatefulEncoder` carries out its decisions.
///
/// All buffers of a queue are of one kind. Therefore each change empties the encoder and starts it again, with a
/// keyframe. Frames are imported if all of them come in a camera's dma-bufs. The first other frame ends the import,
/// because that frame has to be copied. Each later attempt to import needs twice as many frames in dma-bufs as the
/// attempt before, and waits for a frame that becomes a keyframe anyway. Once the driver has refused a dma-buf, there
/// is no further attempt.
struct FrameTransfer: Sendable {
    enum Mode: Sendable, Hashable { case copied, imported }

    /// The reason why frames are copied instead of imported.
    enum Obstacle: Sendable, Hashable {
        /// The driver does not import for this queue.
        case refused(errno: Int32)
        /// The driver does not import this frame's dma-buf.
        case refusedFrame(errno: Int32)
        /// The encoder needs rows of another length, or at other offsets.
        case layout
        /// A frame came in memory that is not a dma-buf.
        case otherMemory
        /// The encoder failed while it imported.
        case failure
    }

    /// The number of frames in dma-bufs before the second attempt to import.
    static let fewestFrames = 300
    private static let mostFrames = 1 << 20

    private(set) var mode = Mode.copied
    /// The first obstacle; nil if there was none.
    private(set) var obstacle: Obstacle?
    /// True if there is no further attempt to import.
    private var hasEnded = false
    /// The number of frames in dma-bufs before the next attempt.
    private var needed = 1
    /// The number of frames in dma-bufs since the latest other frame, or since the latest obstacle.
    private var importable = 0
    /// The imported frames that the driver has, by the index of the queue's buffer. When a frame is removed here and
    /// nothing else uses it, the camera gets its buffer back.
    private var leases: [PixelBuffer?]

    /// - Parameter frameBuffers: The number of buffers of the encoder's queue.
    init(frameBuffers: Int) { leases = Array(repeating: nil, count: max(0, frameBuffers)) }

    /// The number of imported frames that the driver has.
    var leaseCount: Int { leases.reduce(0) { $1 == nil ? $0 : $0 + 1 } }

    /// Returns the mode for the next frame. If it differs from `mode`, the caller makes the change and records it.
    ///
    /// - Parameters:
    ///   - isImportable: True if the encoder could read the frame in its present memory.
    ///   - mayImport: True if the encoder can start again without an additional keyframe.
    mutating func next(isImportable: Bool, mayImport: Bool) -> Mode {
        guard isImportable else {
            importable = 0
            return .copied
        }
        importable = min(importable + 1, Self.mostFrames)
        if mode == .imported { return .imported }
        return !hasEnded && mayImport && importable >= needed ? .imported : .copied
    }

    /// Records that the queue has buffers for imported frames.
    mutating func recordImporting() { mode = .imported }

    /// Records that frames are copied from here on. The caller sets the encoder up again, with buffers of its own.
    ///
    /// - Returns: True for the first obstacle.
    @discardableResult mutating func record(_ obstacle: Obstacle) -> Bool {
        mode = .copied
        importable = 0
        switch obstacle {
        case .refused, .refusedFrame: hasEnded = true
        case .layout, .otherMemory, .failure: needed = min(max(Self.fewestFrames, needed * 2), Self.mostFrames)
        }
        guard self.obstacle == nil else { return false }
        self.obstacle = obstacle
        return true
    }

    /// Keeps a frame that was queued, until the driver returns it. A copied frame is not kept.
    mutating func recordQueued(_ frame: PixelBuffer, in index: Int) {
        guard mode == .imported, leases.indices.contains(index) else { return }
        leases[index] = frame
    }

    /// Releases the frame of a buffer that the driver returned.
    mutating func recordReturned(_ index: Int) {
        if leases.indices.contains(index) { leases[index] = nil }
    }

    /// Releases all frames, after the queues were switched off.
    mutating func recordStop() {
        for index in leases.indices { leases[index] = nil }
    }
}

extension FrameTransfer.Obstacle {
    /// Returns the reason as a notice about the encoder with this name, such as `/dev/video11`.
    func notice(of name: String) -> MediaError {
        let action = "cannot pass frames to \(name) without a copy"
        let wayOut = "frames are copied, and none was lost"
        return switch self {
        case .refused(let code):
            MediaError(
                .unsupported, action, reason: "its driver imports no dma-bufs", underlying: .errno(code),
                wayOut: wayOut)
        case .refusedFrame(let code):
            MediaError(
                .unsupported, action, reason: "its driver refuses the camera's dma-buf", underlying: .errno(code),
                wayOut: wayOut)
        case .layout:
            MediaError(
                .unsupported, action, reason: "it cannot use the row layout that the camera delivers", wayOut: wayOut)
        case .otherMemory:
            MediaError(
                .unsupported, action,
                reason: "a frame came in other memory: the camera had few buffers left, or the frame was changed",
                wayOut: wayOut)
        case .failure:
            MediaError(
                .unsupported, action, reason: "the encoder failed while it read the camera's buffers",
                wayOut: "frames are copied")
        }
    }
}
