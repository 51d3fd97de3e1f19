import Glibc
import MediaTypes
import RealTime

/// Drives a stateful encoder: puts frames in, takes packets out, drains it, and starts it again after an error.
///
/// If the device fails during encoding, the frames that the encoder holds are lost and counted in `lostFrames`. The
/// encoder then starts again, with the next frame as a keyframe. It ends only if the device disappears or fails
/// repeatedly. For one thread at a time.
final class StatefulEncoder {
    /// A result of the encoder. The bytes are valid until the call returns.
    enum Output {
        /// Parameter sets in a buffer of their own.
        case header(UnsafeRawBufferPointer)
        /// The packet of the frame that was encoded with `ticks`.
        case packet(UnsafeRawBufferPointer, ticks: Int64, isKeyframe: Bool)
    }

    /// Accepts a result. If it throws, the encoder ends.
    typealias Sink = (Output) throws(MediaError) -> Void

    /// The number of failures in a row that end the encoder.
    private static let mostFailures = 3
    /// The number of frames without packets after which the encoder counts as stalled. No encoder looks that far ahead.
    private static let mostHeld = 64
    /// The number of packets after which an earlier failure no longer counts. They may come from several starts,
    /// because an encoder without keyframe requests starts again for each keyframe.
    static let recovery: Int64 = 30
    /// The maximum wait for a buffer, in nanoseconds.
    private static let patience: Int64 = 2_000_000_000
    /// The maximum wait for a frame's packet if `holdsNothing` is set, in nanoseconds.
    private static let packetPatience: Int64 = 300_000_000
    /// The maximum wait for the packets before a requested keyframe, in nanoseconds.
    private static let keyframePatience: Int64 = 100_000_000

    let queues: any EncoderQueues
    let inspect: (UnsafeRawBufferPointer) -> StatefulEncoderState.Content
    private let holdsNothing: Bool
    private let clock: any HostClock
    var state: StatefulEncoderState
    /// The decision whether frames are copied or imported, and the imported frames that the encoder has.
    var transfer: FrameTransfer
    /// The reason why frames are copied instead of imported; nil if there is none. Set once.
    var copyReason: MediaError?
    var failures = 0
    var needsSetup = false
    /// The number of packets that were returned before the latest failure.
    private(set) var packetsBefore: Int64 = 0
    /// The latest failure; nil if there was none.
    private(set) var latestFault: MediaError?
    var requests = EncoderKeyframeRequests()
    /// The number of frames that the encoder keeps, however long `encode` waits for their packets.
    private var lookAhead = 0
    /// The number of frames that were queued since the latest start.
    private var framesSinceStart = 0

    /// - Parameters:
    ///   - holdsNothing: True if `encode` should wait for the packet of its frame, as far as the encoder allows that.
    ///   - inspect: Returns what a buffer contains.
    init(
        _ queues: any EncoderQueues, holdsNothing: Bool, clock: any HostClock = MonotonicClock(),
        inspect: @escaping (UnsafeRawBufferPointer) -> StatefulEncoderState.Content
    ) {
        self.queues = queues
        self.inspect = inspect
        self.holdsNothing = holdsNothing
        self.clock = clock
        state = StatefulEncoderState(
            frameBuffers: queues.frameBufferCount, packetBuffers: queues.packetBufferCount)
        transfer = FrameTransfer(frameBuffers: queues.frameBufferCount)
    }

    deinit { queues.stop() }

    /// The number of frames that were passed in but will never be returned as packets.
    var lostFrames: Int64 { state.lostFrames }
    /// The number of frames that the encoder holds.
    var heldFrames: Int { state.heldFrames }

    /// Encodes a frame. Waits until a buffer is free for it.
    ///
    /// - Parameters:
    ///   - microseconds: The time of the frame, positive, for the encoder's rate control.
    ///   - ticks: The time to return with the packet.
    ///   - isKeyframe: Forces a keyframe.
    /// - Throws: `deviceLost` if the device disappeared; `codecFailure` if it fails again and again; the sink's error.
    func encode(
        _ pixels: PixelBuffer, microseconds: Int64, ticks: Int64, isKeyframe: Bool, output: Sink
    ) throws(MediaError) {
        do throws(EncoderFailure) {
            try submit(pixels, microseconds, ticks, isKeyframe: isKeyframe || requests.owesKeyframe, output)
        } catch {
            try recover(from: error)
            return
        }
        do throws(EncoderFailure) {
            try collect(output)
            if holdsNothing { try waitForOwnPacket(output) }
        } catch {
            try recover(from: error)
        }
    }

    /// Returns the packets of all frames that the encoder holds, and stops it. The next frame starts it again, with a
    /// keyframe.
    ///
    /// - Throws: The errors of `encode`. Frames whose packets are not returned count as lost.
    func finish(output: Sink) throws(MediaError) {
        do throws(EncoderFailure) { try drain(output) } catch { return try recover(from: error) }
        stop()
    }

    private func submit(
        _ pixels: PixelBuffer, _ microseconds: Int64, _ ticks: Int64, isKeyframe: Bool, _ output: Sink
    ) throws(EncoderFailure) {
        var isQueued = false
        // If the frame was queued, it is counted with the other frames that the encoder holds.
        defer { if !isQueued { state.loseFrame() } }
        let isChanged = try changeTransfer(for: pixels, isKeyframe: isKeyframe, output)
        if isKeyframe, !isChanged { try prepareKeyframe(output) }
        try start()
        var index = try waitForRoom(output)
        guard state.heldFrames < Self.mostHeld else { throw EncoderFailure.stalled }
        // A frame that the encoder has returned does not count as look-ahead.
        if framesSinceStart >= lookAhead { lookAhead = min(lookAhead, state.heldFrames) }
        let stamp = state.stamp(for: microseconds)
        var code = queues.queueFrame(index, pixels, stamp: stamp)
        if code != 0, try copiesAfterRefusal(code, output) {
            index = try waitForRoom(output)
            code = queues.queueFrame(index, pixels, stamp: stamp)
        }
        guard code == 0 else { throw EncoderFailure.device(code) }
        state.recordQueuedFrame(index, stamp: stamp, ticks: ticks)
        transfer.recordQueued(pixels, in: index)
        framesSinceStart += 1
        isQueued = true
        if isKeyframe { requests.recordQueued(at: ticks) }
    }

    /// Makes the next frame a keyframe. A request is not tied to a frame in the queue, so the packets of earlier frames
    /// have to be returned first. Some encoders lack the control, refuse it, ignore it, or apply it to other frames.
    /// Such an encoder is started again, because every start begins with a keyframe.
    private func prepareKeyframe(_ output: Sink) throws(EncoderFailure) {
        guard state.phase == .running else { return }
        if queues.canForceKeyframes, requests.areEffective {
            try waitForPackets(output, leaving: lookAhead, atMost: Self.keyframePatience)
            if queues.forceKeyframe() == 0 { return }
            requests.recordRefusal()
        }
        try drain(output)
        stop()
    }

    func start() throws(EncoderFailure) {
        guard state.phase == .stopped else { return }
        var code = needsSetup ? queues.reinitialize() : 0
        if code == 0 { code = queues.start() }
        guard code == 0 else { throw EncoderFailure.device(code) }
        needsSetup = false
        state.start()
        requests.forget()
        framesSinceStart = 0
        // A stream begins with a keyframe, but some drivers do not begin a new stream when their queues start again.
        // The first packet shows whether this driver does.
        if queues.canForceKeyframes { _ = queues.forceKeyframe() }
        try queuePacketBuffers()
    }

    func stop() {
        guard state.phase != .stopped else { return }
        queues.stop()
        state.stop()
        transfer.recordStop()
        requests.forget()
    }

    func queuePacketBuffers() throws(EncoderFailure) {
        while let index = state.freePacketBuffer {
            let code = queues.queuePacketBuffer(index)
            guard code == 0 else { throw EncoderFailure.device(code) }
            state.recordQueuedPacketBuffer(index)
        }
    }

    private func waitForRoom(_ output: Sink) throws(EncoderFailure) -> Int {
        let deadline = clock.nanoseconds + Self.patience
        while true {
            try collect(output)
            if let index = state.freeFrameBuffer { return index }
            guard try pause(until: deadline) else { throw EncoderFailure.stalled }
        }
    }

    /// Waits for the packet of the latest frame. An encoder that looks ahead returns an earlier packet instead. Each
    /// wait that fails raises `lookAhead`, so that later calls wait only for packets that the encoder will return.
    private func waitForOwnPacket(_ output: Sink) throws(EncoderFailure) {
        try waitForPackets(output, leaving: lookAhead, atMost: Self.packetPatience)
        lookAhead = max(lookAhead, state.heldFrames)
    }

    /// Waits until the encoder holds at most `count` frames. An encoder may look ahead and keep more, so the wait is
    /// short.
    private func waitForPackets(_ output: Sink, leaving count: Int, atMost patience: Int64) throws(EncoderFailure) {
        let deadline = clock.nanoseconds + patience
        while state.heldFrames > count, clock.nanoseconds < deadline {
            let before = state.heldFrames
            try collect(output)
            if state.heldFrames == before { _ = try pause(until: deadline) }
        }
    }

    func drain(_ output: Sink) throws(EncoderFailure) {
        guard state.phase == .running else { return }
        state.drain()
        let code = queues.drain()
        // If the driver lacks the command, the encoder is empty once every packet was returned.
        let hasCommand = code != ENOTTY && code != EINVAL
        guard code == 0 || !hasCommand else { throw EncoderFailure.device(code) }
        let deadline = clock.nanoseconds + Self.patience
        while state.phase == .draining {
            if !hasCommand, state.heldFrames == 0 { return state.recordLast() }
            let before = state.heldFrames
            try collect(output)
            guard state.phase == .draining, state.heldFrames == before, try !pause(until: deadline) else { continue }
            // If only the last buffer is missing, nothing is lost.
            guard state.heldFrames == 0 else { throw EncoderFailure.stalled }
            state.recordLast()
        }
    }

    /// Waits for the device.
    ///
    /// - Returns: False if the deadline has passed.
    private func pause(until deadline: Int64) throws(EncoderFailure) -> Bool {
        let left = deadline - clock.nanoseconds
        guard left > 0 else { return false }
        let code = queues.wait(milliseconds: Int32(clamping: (left + 999_999) / 1_000_000))
        guard code == 0 else { throw EncoderFailure.device(code) }
        return true
    }

    /// Stops the encoder, so that the next frame starts it again.
    ///
    /// - Throws: The error of the failure, if a new start would not help.
    private func recover(from failure: EncoderFailure) throws(MediaError) {
        stop()
        failures += 1
        packetsBefore = state.packetCount
        needsSetup = needsSetup || failure.needsSetup || failures > 1
        let error = failure.error(of: queues.name)
        latestFault = error
        // After the next start, frames are copied.
        if transfer.mode == .imported { copyFrames(because: .failure) }
        switch failure {
        case .refused, .device(ENODEV), .device(ENXIO): throw error
        case .device, .stalled, .violation: if failures > Self.mostFailures { throw error }
        }
    }
}
