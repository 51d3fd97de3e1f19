/// The session with one helper, from its start to its end. A plain value; times are nanoseconds of the monotonic clock.
///
///     greeting ─ hello ─► opening ─ configured, buffers ─► ready ─ start ─► starting ─ started ─► streaming
///         │                  │                               │                 │                     │
///         └──────────────────┴──────── away, with its cause ─┴─────────────────┴─────────────────────┘
///
/// The owner passes in each received message and the time, and carries out the returned action. In `away` nothing is
/// accepted: the helper is ended, and `HelperPause` decides when another one is started.
package struct HelperSession: Sendable {
    package enum Phase: Sendable, Hashable {
        case greeting, opening, ready, starting, streaming
        case away(SessionEnd)
    }

    /// The time limit of each step before streaming.
    static let patience: Int64 = 10_000_000_000
    /// The shortest time without a frame after which the camera counts as hung.
    static let shortestHang: Int64 = 2_000_000_000
    /// The time limit for the first frame (`firstFrame`), and the limit of the longer wait for a camera whose frame
    /// interval may grow (`longestVariation`).
    static let firstFrame: Int64 = 5_000_000_000
    static let longestVariation: Int64 = 60_000_000_000
    /// The number of frame intervals without a frame after which the camera counts as hung.
    static let hangIntervals: Int64 = 30
    /// The shortest time for which all frames must be damaged before the camera counts as lost.
    static let shortestDamage: Int64 = 10_000_000_000

    package private(set) var phase = Phase.greeting
    /// libcamera's version; empty before the helper's first message.
    package private(set) var version = ""
    /// The configuration; nil before the camera is open.
    package private(set) var configuration: StreamConfiguration?

    private let request: StreamRequest
    private let pageSize: Int
    private var plans: [Int: BufferPlan] = [:]
    private var buffers = BufferTable()
    private var budget: MessageBudget
    private var timing: FrameTiming
    /// The start of the present step, or of the wait for the next frame.
    private var since: Int64
    private var hasFrame = false
    /// The time of the first damaged frame after the last undamaged one.
    private var damagedSince: Int64?
    /// True if the camera had no buffer at some time since the last frame.
    private var wasEmpty = false

    /// Begins the session, at the time when the helper was started.
    package init(_ request: StreamRequest, pageSize: Int, at now: Int64) {
        self.request = request
        self.pageSize = pageSize
        budget = MessageBudget(start: now)
        timing = FrameTiming(start: now, fixedInterval: nil)
        since = now
    }

    /// The time at which `passed(_:)` has to be called; nil if only a message can change anything.
    package var deadline: Int64? {
        switch phase {
        case .greeting, .opening, .starting: return since + Self.patience
        case .streaming:
            // Without a buffer the camera cannot deliver, so it does not count as hung.
            guard buffers.queuedCount > 0 else { return nil }
            return since + hangTime
        case .ready, .away: return nil
        }
    }

    /// The time without a frame after which the camera counts as hung.
    var hangTime: Int64 {
        let longest = 3 * (configuration?.longestInterval ?? 0)
        // A camera may report any duration. A wrong duration must not hide for hours that the camera hangs.
        let interval = min(timing.expectedInterval ?? 0, max(longest, Self.longestVariation / 3))
        let usual = min(Self.hangIntervals * interval, max(Self.longestVariation, 3 * interval))
        let variation = min(longest, Self.longestVariation)
        return max(usual, variation, hasFrame ? Self.shortestHang : Self.firstFrame)
    }

    /// The number of buffers that the camera can fill.
    package var queuedCount: Int { buffers.queuedCount }

    /// The number of frames whose timestamp was replaced.
    package var replacedStamps: Int64 { timing.replacedStamps }

    /// Begins to stream.
    ///
    /// - Returns: The message to send; nil unless the camera is open and not started.
    package mutating func start(at now: Int64) -> RecorderMessage? {
        guard phase == .ready, let configuration else { return nil }
        phase = .starting
        since = now
        timing = FrameTiming(
            start: now, fixedInterval: configuration.fixedInterval, shortestInterval: configuration.shortestInterval)
        return .start
    }

    /// Records that the last user of a buffer has released it.
    ///
    /// - Returns: The message to send; nil if there is none.
    package mutating func returned(_ buffer: Int, at now: Int64) -> RecorderMessage? {
        let hadNone = buffers.queuedCount == 0
        guard buffers.giveBack(buffer) else { return nil }
        // From now on the camera can deliver again.
        if hadNone, phase == .streaming { since = now }
        if case .away = phase { return nil }
        return .returned(buffer: buffer)
    }

    /// Ends the session if a time limit has passed.
    package mutating func passed(_ now: Int64) -> SessionAction {
        guard let deadline, now >= deadline else { return .nothing }
        switch phase {
        case .greeting: return end(.slow(.greeting, after: Self.patience))
        case .opening: return end(.slow(.opening, after: Self.patience))
        case .starting: return end(.slow(.starting, after: Self.patience))
        default: return end(.hung(after: hangTime))
        }
    }

    /// Records that the helper closed its socket or ended.
    package mutating func exited(_ exit: SessionEnd.Exit) -> SessionAction { end(.exited(exit)) }

    /// Records that the helper runs, but that nothing can be sent to it.
    package mutating func blocked() -> SessionAction { end(.blocked) }

    /// Records the arrival of one message, valid or not.
    ///
    /// - Parameters:
    ///   - sizes: The actual size of each dma-buf that came with the message, in bytes; negative for other files.
    ///   - suspended: Nanoseconds by which CLOCK_BOOTTIME is ahead of the monotonic clock.
    package mutating func received(
        _ bytes: [UInt8], sizes: [Int64] = [], at now: Int64, suspended: Int64 = 0
    ) -> SessionAction {
        if case .away = phase { return .nothing }
        guard budget.accept(at: now) else { return end(.flooded) }
        do throws(MessageFault) {
            return handle(try HelperMessage(bytes, descriptors: sizes.count), sizes, now, suspended)
        } catch {
            return end(.invalidMessage(error))
        }
    }

    private mutating func handle(
        _ message: HelperMessage, _ sizes: [Int64], _ now: Int64, _ suspended: Int64
    ) -> SessionAction {
        switch (message, phase) {
        case (.failure(let failure), .streaming) where failure.cause == .invalidControl:
            return .controlRefused(failure)
        case (.failure(let failure), _): return end(.refused(failure))
        case (.hello(let version), .greeting):
            self.version = version
            phase = .opening
            since = now
            return .send(.open(request))
        case (.configured(let configuration), .opening) where self.configuration == nil:
            self.configuration = configuration
            return .nothing
        case (.buffer(let buffer), .opening): return announced(buffer, sizes)
        case (.started, .starting):
            phase = .streaming
            since = now
            return .nothing
        case (.frame(let frame), .streaming): return captured(frame, now, suspended)
        default: return end(.unexpectedMessage(message.name))
        }
    }

    private mutating func announced(_ buffer: BufferDescription, _ sizes: [Int64]) -> SessionAction {
        guard let configuration, buffer.index < configuration.bufferCount, buffers.add(buffer.index) else {
            return end(.unexpectedMessage("a buffer"))
        }
        do throws(BufferFault) {
            let plan = try BufferPlan(buffer, sizes: sizes, configuration: configuration, pageSize: pageSize)
            plans[buffer.index] = plan
            guard buffers.count == configuration.bufferCount else { return .map(buffer: buffer.index, plan) }
            phase = .ready
            return .mapLast(buffer: buffer.index, plan)
        } catch {
            return end(.invalidBuffer(error))
        }
    }

    private mutating func captured(_ frame: FrameMessage, _ now: Int64, _ suspended: Int64) -> SessionAction {
        guard buffers.take(frame.buffer), let plan = plans[frame.buffer] else {
            return end(.invalidFrame(buffer: frame.buffer))
        }
        guard frame.status != .cancelled else { return .giveBack(buffer: frame.buffer) }
        guard frame.planeCount == plan.planes.count,
            plan.planes.indices.allSatisfy({ frame.used($0) <= plan.planes[$0].count })
        else { return end(.invalidFrame(buffer: frame.buffer)) }
        let judgement = timing.judge(frame, at: now, suspended: suspended, wasEmpty: wasEmpty)
        // If this thread was late, the camera may have had no buffer, although all have been returned since.
        wasEmpty = frame.queuedCount == 0 || buffers.queuedCount == 0
        hasFrame = true
        since = now
        let captured = CapturedFrame(
            buffer: frame.buffer, time: judgement.time, lost: judgement.lost, byteCount: frame.used0,
            exposure: frame.exposure)
        let isWhole = plan.planes.indices.allSatisfy { frame.used($0) >= plan.needed[$0] }
        if frame.status == .good, isWhole {
            damagedSince = nil
            return .deliver(captured)
        }
        let began = damagedSince ?? now
        damagedSince = began
        // A camera that sends some undamaged frames is not lost: starting it again would cost more frames.
        return now - began < max(Self.shortestDamage, 2 * hangTime)
            ? .damaged(captured) : end(.damaged(after: now - began))
    }

    private mutating func end(_ cause: SessionEnd) -> SessionAction {
        if case .away = phase { return .nothing }
        phase = .away(cause)
        return .end(cause)
    }
}
