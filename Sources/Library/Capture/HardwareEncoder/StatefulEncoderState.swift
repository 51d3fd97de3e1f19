/// The state of a stateful encoder: which buffers the driver owns, which frames it holds, and the rules that its
/// packets have to follow. A pure value that calls no driver; `StatefulEncoder` carries out its decisions.
///
/// Every frame that is passed in is counted once: as a returned packet, or in `lostFrames`.
///
/// Source: the Linux media API, "Memory-to-Memory Stateful Video Encoder Interface".
struct StatefulEncoderState: Sendable {
    enum Phase: Sendable, Hashable {
        /// Both queues are off, and every buffer belongs to this program.
        case stopped
        case running
        /// The encoder was asked for the packets of all frames that it holds.
        case draining
        /// The last buffer was returned. The encoder accepts frames again only after it was stopped.
        case drained
    }

    /// The contents of a returned buffer.
    enum Content: Sendable, Hashable {
        /// No bytes.
        case nothing
        /// Parameter sets without a frame.
        case header
        case frame(isKeyframe: Bool)
        /// Bytes that are not a packet of the codec.
        case invalid
    }

    /// A buffer that the driver returned from the queue of packets.
    struct Returned: Sendable, Hashable {
        var index: Int
        /// The timestamp that the driver copied from the frame, in microseconds.
        var stamp: Int64
        var content: Content
        /// True if it is the last one of a drain (`V4L2_BUF_FLAG_LAST`).
        var isLast = false
        /// True if the driver reports damage (`V4L2_BUF_FLAG_ERROR`).
        var isCorrupt = false
    }

    /// The step that a returned buffer leads to.
    enum Decision: Sendable, Hashable {
        /// The packet of the frame with this time, in ticks of the track.
        case packet(ticks: Int64, isKeyframe: Bool)
        case header
        case nothing
        /// The packets from here on cannot be decoded, so the encoder has to start again with a keyframe.
        case restart(Violation)
    }

    /// A violation of the rules by the driver.
    enum Violation: String, Sendable, Hashable, CaseIterable {
        case foreignBuffer = "it returned a buffer that it did not have"
        case corrupt = "it reports a damaged packet"
        case invalid = "it returned bytes that are no packet"
        case doubled = "it returned a frame twice"
        case reordered = "it returned frames in another order"
        case unknownTime = "it returned a packet with a time that no frame has"
        case noKeyframe = "it did not begin with a keyframe"
        case noFrames = "it returns buffers without frames"
        case unexpectedEnd = "it ended without a request"
    }

    private struct Frame: Sendable {
        var stamp: Int64
        var ticks: Int64
    }

    /// The number of consecutive buffers without a frame after which the encoder counts as broken. Without this limit,
    /// it could return such buffers forever, as fast as it gets them.
    private static let mostWithoutFrames = 32

    private enum Owner: Sendable { case program, driver }

    private(set) var phase = Phase.stopped
    private var frameOwners: [Owner]
    private var packetOwners: [Owner]
    /// The frames that the encoder holds, in order.
    private var held: [Frame] = []
    private var latestStamp: Int64 = 0
    /// The timestamps of the first frame, and of the latest frame whose packet was returned.
    private var firstStamp: Int64?
    private var latestPacket: Int64?
    /// True until the first keyframe after a start.
    private var awaitsKeyframe = true
    /// The number of frames that were passed in but will never be returned as packets.
    private(set) var lostFrames: Int64 = 0
    /// The number of buffers without a frame since the latest buffer with a frame.
    private var withoutFrames = 0
    /// The number of packets that were returned, over all starts.
    private(set) var packetCount: Int64 = 0

    init(frameBuffers: Int, packetBuffers: Int) {
        frameOwners = Array(repeating: .program, count: max(0, frameBuffers))
        packetOwners = Array(repeating: .program, count: max(0, packetBuffers))
    }

    /// The number of frames that the encoder holds.
    var heldFrames: Int { held.count }

    /// The index of a buffer for the next frame; nil if the driver owns all of them, or if the encoder does not run.
    var freeFrameBuffer: Int? { phase == .running ? frameOwners.firstIndex(of: .program) : nil }

    /// The index of a packet buffer to queue; nil if the driver owns all of them, or must not get one.
    var freePacketBuffer: Int? {
        phase == .stopped || phase == .drained ? nil : packetOwners.firstIndex(of: .program)
    }

    /// Records that both queues are on.
    mutating func start() {
        phase = .running
        awaitsKeyframe = true
        withoutFrames = 0
    }

    /// Records that a buffer for a packet was queued.
    mutating func recordQueuedPacketBuffer(_ index: Int) {
        guard packetOwners.indices.contains(index) else { return }
        packetOwners[index] = .driver
    }

    /// Returns the timestamp for a frame at `microseconds`. It is greater than all earlier ones, so it identifies the
    /// frame.
    func stamp(for microseconds: Int64) -> Int64 {
        let next = latestStamp == .max ? latestStamp : latestStamp + 1
        return max(microseconds, next)
    }

    /// Records that a frame was queued.
    mutating func recordQueuedFrame(_ index: Int, stamp: Int64, ticks: Int64) {
        guard frameOwners.indices.contains(index) else { return }
        frameOwners[index] = .driver
        latestStamp = max(latestStamp, stamp)
        firstStamp = firstStamp ?? stamp
        held.append(Frame(stamp: stamp, ticks: ticks))
    }

    /// Records that the driver has read a frame and returned its buffer.
    ///
    /// - Returns: The violation, if the driver did not own the buffer.
    mutating func recordReturnedFrame(_ index: Int) -> Violation? {
        guard frameOwners.indices.contains(index), frameOwners[index] == .driver else { return .foreignBuffer }
        frameOwners[index] = .program
        return nil
    }

    /// Records that the driver returned a buffer from the queue of packets, and decides about its contents.
    mutating func recordReturnedPacket(_ returned: Returned) -> Decision {
        guard packetOwners.indices.contains(returned.index), packetOwners[returned.index] == .driver else {
            return .restart(.foreignBuffer)
        }
        packetOwners[returned.index] = .program
        if returned.isLast, phase != .draining { return .restart(.unexpectedEnd) }
        let decision = decide(returned)
        if case .restart = decision { return decision }
        if returned.isLast { recordLast() }
        return decision
    }

    /// Records the end of a drain. Frames whose packets did not come are lost.
    mutating func recordLast() {
        guard phase == .draining else { return }
        phase = .drained
        loseHeld()
    }

    private mutating func decide(_ returned: Returned) -> Decision {
        if returned.isCorrupt, !(returned.isLast && returned.content == .nothing) {
            return .restart(.corrupt)
        }
        if case .frame = returned.content { withoutFrames = 0 } else { withoutFrames += 1 }
        guard withoutFrames <= Self.mostWithoutFrames else { return .restart(.noFrames) }
        switch returned.content {
        case .header: return .header
        case .invalid: return .restart(.invalid)
        case .nothing:
            // Drivers older than V4L2_BUF_FLAG_LAST return an empty buffer as the last one.
            if phase == .draining, held.isEmpty { recordLast() }
            // The encoder skipped this frame: nothing refers to it, so the packets after it can be decoded.
            if !returned.isLast, let place = place(of: returned.stamp) { lose(upTo: place + 1) }
            return .nothing
        case .frame(let isKeyframe):
            guard let place = place(of: returned.stamp) else { return .restart(violation(at: returned.stamp)) }
            if awaitsKeyframe, !isKeyframe { return .restart(.noKeyframe) }
            let ticks = held[place].ticks
            lose(upTo: place)
            held.removeFirst()
            latestPacket = returned.stamp
            awaitsKeyframe = false
            packetCount += 1
            return .packet(ticks: ticks, isKeyframe: isKeyframe)
        }
    }

    /// Returns the violation of a packet whose timestamp is not that of any held frame.
    private func violation(at stamp: Int64) -> Violation {
        if stamp == latestPacket { return .doubled }
        guard let firstStamp, stamp >= firstStamp, stamp <= latestStamp else { return .unknownTime }
        return .reordered
    }

    private func place(of stamp: Int64) -> Int? { held.firstIndex { $0.stamp == stamp } }

    /// Counts the first `count` held frames as lost.
    private mutating func lose(upTo count: Int) {
        lostFrames += Int64(count)
        held.removeFirst(count)
    }

    /// Records that the encoder was asked for the packets of all frames that it holds.
    mutating func drain() {
        if phase == .running { phase = .draining }
    }

    /// Records that both queues are off: every buffer belongs to this program again, and the frames that the encoder
    /// held are lost.
    mutating func stop() {
        phase = .stopped
        for index in frameOwners.indices { frameOwners[index] = .program }
        for index in packetOwners.indices { packetOwners[index] = .program }
        loseHeld()
    }

    /// Counts a frame that never reached the encoder.
    mutating func loseFrame() { lostFrames += 1 }

    private mutating func loseHeld() { lose(upTo: held.count) }
}
