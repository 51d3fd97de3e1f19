public import MediaTypes
import RealTime

/// Keeps one camera or microphone alive for recordings of several days: a device that fails is closed and retried until
/// it is back.
///
/// The initializer opens the device. The first opening and the first start throw if they fail. Later failures are
/// reported by events, and the device is retried until `stop`.
///
/// ```swift
/// let keeper = try DeviceKeeper(name: "camera") { () throws(MediaError) in try V4L2Camera(device: "/dev/video0") }
/// try keeper.start { event in
///     if case .sample(let frame) = event { _ = try? input.append(frame) }
/// }
/// keeper.stop()
/// ```
///
/// A device that failed is closed on a separate thread, since its driver may hang. If it is not closed after ten
/// seconds, it is abandoned, which is reported as another `gone`. Then the device is opened again: first at once, later
/// every two seconds. A device counts as back when its first sample arrives, not when it opens.
public final class DeviceKeeper: Sendable {
    // `DeviceRecovery` decides and `AbsenceAccount` counts; this class carries out their decisions outside the lock.
    // The keeper's thread does not retain the keeper, so that releasing it closes the device.

    /// Opens the device: first as requested, later the same device again, under its current name. May block until a
    /// driver responds.
    public typealias Open = @Sendable () throws(MediaError) -> any CaptureSource

    /// The facts about a source that remain known after the source is closed.
    struct SourceDescription: Sendable {
        var format: FormatDescription
        var frameRate: FrameRate?
        var summary: String

        init(_ source: any CaptureSource) {
            format = source.format
            frameRate = source.frameRate
            summary = source.summary
        }
    }

    /// The receiver function, wrapped in a structure. Reading a bare function through a generic function would allocate
    /// a closure each time.
    struct Receiver: Sendable {
        let emit: @Sendable (DeviceEvent) -> Void
    }

    struct Shared: Sendable {
        var recovery = DeviceRecovery()
        /// The absence account as it was at the last disconnect. While the device is present, its feed has the current
        /// account.
        var absence: AbsenceAccount
        /// The description of the source that delivered last; before the first sample, that of the opened source.
        var described: SourceDescription
        /// The open source; nil once it is closed.
        var source: (any CaptureSource)?
        /// The feed of the current source.
        var feed: DeviceFeed?
        var receiver: Receiver?
        /// The reason for the absence.
        var error: MediaError?
        /// The proof that a rejected device has to give before it counts as back.
        var proof: Proof?
        var hasThread = false
        /// Called once when the keeper stops.
        var interruption: Interruption?
    }

    /// Decides whether a rejected device can be used again.
    struct Proof: Sendable {
        /// The reason for the rejection.
        let error: MediaError
        let isUsable: @Sendable (SampleBuffer) -> Bool
    }

    /// A function in a structure, for the same reason as `Receiver`.
    struct Interruption: Sendable {
        let run: @Sendable () -> Void
    }

    /// "camera" or "microphone".
    public let name: String
    private let clock = MonotonicClock()
    private let closePatience: Int64
    private let open: Open
    private let shared: Locked<Shared>
    /// The observation of hot-plug hints, which keeps the watcher alive.
    private let hints: DeviceWatcher.Observation?

    /// Opens the device.
    ///
    /// - Parameters:
    ///   - name: A short name for the threads and messages.
    ///   - hotplug: A watcher whose hints bring the next attempt forward. Without a watcher, attempts follow only the
    ///     clock, at intervals of at most two seconds.
    ///   - closePatience: The time that the driver has to close the device.
    /// - Throws: The error of `open`: a device that is missing at the beginning is an error.
    public init(
        name: String, hotplug: DeviceWatcher? = nil, closePatience: MediaTime = MediaTime(value: 10, timescale: 1),
        open: @escaping Open
    ) throws(MediaError) {
        self.name = name
        self.closePatience = closePatience.nanoseconds
        self.open = open
        let source = try open()
        let described = SourceDescription(source)
        let absence = AbsenceAccount(
            start: MediaTime(nanoseconds: clock.nanoseconds), format: described.format, frameRate: described.frameRate)
        let shared = Locked(Shared(absence: absence, described: described, source: source))
        self.shared = shared
        hints = hotplug?.observe { Self.hint(shared) }
    }

    deinit { requestStop() }

    /// The format of the samples. For a disconnected device, the format of its last samples.
    public var format: FormatDescription { shared.withLock { $0.described.format } }
    public var frameRate: FrameRate? { shared.withLock { $0.described.frameRate } }
    /// The negotiated setup in one line for the user.
    public var summary: String { shared.withLock { $0.described.summary } }

    public var state: DeviceState {
        shared.withLock { state in
            switch state.recovery.phase {
            case .opened: .opened
            case .stopped: .stopped
            case .running: .running
            case .lost, .closing, .waiting, .opening, .proving:
                state.error.map { .away(since: state.absence.end, $0) } ?? .running
            }
        }
    }

    // MARK: The owner

    /// Begins streaming.
    ///
    /// - Parameter receiver: A closure called for one event at a time. Samples, losses, `back` and `gone` arrive on the
    ///   device's own thread, as from `CaptureSource`, where it must do constant work and must not block. A later
    ///   `gone` of the same absence arrives on the keeper's thread.
    /// - Throws: The device's error, after which the device is closed; `invalidState` the second time and after `stop`;
    ///   `ioFailure` if no thread can be created.
    public func start(_ receiver: @escaping @Sendable (DeviceEvent) -> Void) throws(MediaError) {
        let now = MediaTime(nanoseconds: clock.nanoseconds)
        let begun: (any CaptureSource, DeviceFeed)? = shared.withLock { state in
            guard state.recovery.phase == .opened, let source = state.source else { return nil }
            state.recovery.started()
            state.receiver = Receiver(emit: receiver)
            state.absence = AbsenceAccount(
                start: now, format: state.described.format, frameRate: state.described.frameRate)
            state.hasThread = true
            return (source, newFeed(&state, receiver))
        }
        guard let (source, feed) = begun else {
            throw MediaError(.invalidState, "cannot start the \(name)", reason: "it was started or stopped before")
        }
        do throws(ThreadError) { try startThread() } catch {
            shared.withLock { $0.hasThread = false }
            stop()
            throw MediaError(
                .ioFailure, "cannot start the \(name)", reason: "no thread is available",
                underlying: .errno(error.errno))
        }
        do throws(MediaError) { try source.start { feed.receive($0) } } catch {
            stop()
            throw error
        }
    }

    /// Calls a closure when the keeper stops, so that it can interrupt an `open` that waits. The closure must not
    /// block.
    package func whenStopping(_ body: @escaping @Sendable () -> Void) {
        shared.withLock { $0.interruption = Interruption(run: body) }
    }

    /// Retries at once if the device is disconnected.
    public func tryNow() { Self.hint(shared) }

    /// Rejects the device, because its samples cannot be used: it counts as disconnected, is closed and opened again. It
    /// is back when it delivers a sample that can be used. Has no effect while the device is disconnected.
    ///
    /// - Parameters:
    ///   - error: The reason, which `gone` reports with the next event of the device.
    ///   - isUsable: Returns true for a sample that can be used. Called on the device's thread, for each sample until
    ///     one can be used.
    package func reject(_ error: MediaError, until isUsable: @escaping @Sendable (SampleBuffer) -> Bool) {
        shared.withLock { state in
            guard state.recovery.phase == .running, let feed = state.feed else { return }
            state.proof = Proof(error: error, isUsable: isUsable)
            feed.reject()
        }
    }

    private static func hint(_ shared: Locked<Shared>) {
        let now = MonotonicClock().nanoseconds
        shared.withLock { $0.recovery.hinted(at: now) }
        shared.broadcast()
    }

    /// Stops streaming and closes the device. Returns once its threads have ended; no event follows. A driver that
    /// hangs is abandoned after ten seconds. Idempotent; never call it from the receiver.
    public func stop() {
        requestStop()
        // The thread itself waits for a driver that hangs while closing; a driver that hangs while opening blocks the
        // thread.
        _ = shared.waiting(atMost: closePatience + 1_000_000_000) { $0.hasThread ? nil : true }
        shared.withLock { $0.cutFeed() }
    }

    /// Requests the end. If the keeper's thread exists, that thread closes the device, and this returns at once.
    /// Otherwise closes the device.
    private func requestStop() {
        let (leftover, interruption) = shared.withLock { state -> ((any CaptureSource)?, Interruption?) in
            state.recovery.stop()
            defer { state.interruption = nil }
            return (state.hasThread ? nil : state.takeSource(), state.interruption)
        }
        shared.broadcast()
        interruption?.run()
        if let leftover { close(leftover) }
    }

    private func newFeed(_ state: inout Shared, _ emit: @escaping @Sendable (DeviceEvent) -> Void) -> DeviceFeed {
        let feed = DeviceFeed(
            absence: state.absence, isReturning: state.recovery.phase == .proving, proof: state.proof, keeper: shared,
            emit: emit)
        state.feed = feed
        return feed
    }

    // MARK: The keeper's thread

    private func startThread() throws(ThreadError) {
        _ = try NamedThread("keep-\(name)") { [weak self, shared, name, closePatience] in
            while true {
                switch Self.nextStep(shared) {
                case .close: self?.closeFailed()
                case .open: self?.reopen()
                case .end:
                    if let source = shared.withLock({ $0.takeSource() }) {
                        _ = source.stop(within: closePatience, thread: "close-\(name)")
                    }
                    shared.withLock { state in
                        state.cutFeed()
                        state.hasThread = false
                    }
                    return shared.broadcast()
                }
            }
        }
    }

    private static func nextStep(_ shared: Locked<Shared>) -> DeviceRecovery.Step {
        let clock = MonotonicClock()
        while true {
            let due = shared.withLock { $0.recovery.due }
            // Also returns, without a step, when an event has changed the time of the next step.
            let look: (inout Shared) -> DeviceRecovery.Step?? = { state in
                if let step = state.recovery.step(at: clock.nanoseconds) { return step }
                return state.recovery.due == due ? nil : .some(nil)
            }
            let step =
                if let due {
                    shared.waiting(atMost: due - clock.nanoseconds, until: look) ?? nil
                } else {
                    shared.waiting(until: look)
                }
            if let step { return step }
        }
    }

    private func closeFailed() {
        if let source = shared.withLock({ $0.takeSource() }), !close(source) {
            return emit(
                MediaError(
                    .ioFailure, "cannot close the \(name) \(summary)", reason: "its driver hangs",
                    wayOut: "unplug it; if that does not help, restart the machine")
            ) { $0.abandoned($1, at: $2) }
        }
        shared.withLock { $0.recovery.closed(at: clock.nanoseconds) }
    }

    private func reopen() {
        do throws(MediaError) {
            let source = try open()
            let feed: DeviceFeed? = shared.withLock { state in
                guard state.recovery.reopened(), let receiver = state.receiver else { return nil }
                state.source = source
                return newFeed(&state, receiver.emit)
            }
            guard let feed else {
                close(source)
                return
            }
            try source.start { feed.receive($0) }
        } catch {
            if let source = shared.withLock({ $0.takeSource() }) { close(source) }
            emit(error) { $0.refused($1, at: $2) }
        }
    }

    /// Closes a source.
    ///
    /// - Returns: false if its driver hangs; all further events of the source are then ignored.
    @discardableResult private func close(_ source: any CaptureSource) -> Bool {
        if source.stop(within: closePatience, thread: "close-\(name)") { return true }
        shared.withLock { $0.cutFeed() }
        return false
    }

    /// Records why the device stays disconnected, and reports the reason if it is new.
    private func emit(_ error: MediaError, _ isNews: (inout DeviceRecovery, MediaError, Int64) -> Bool) {
        let now = clock.nanoseconds
        let receiver: Receiver? = shared.withLock { state in
            state.error = error
            return isNews(&state.recovery, error, now) ? state.receiver : nil
        }
        receiver?.emit(.gone(error))
    }
}

extension DeviceKeeper.Shared {
    mutating func takeSource() -> (any CaptureSource)? {
        defer { source = nil }
        return source
    }

    /// Ignores all further events of the current source.
    mutating func cutFeed() {
        feed?.cut()
        feed = nil
    }
}

extension CaptureSource {
    /// Stops on a thread of its own.
    ///
    /// - Returns: false if the driver hangs for longer than `patience` nanoseconds; the thread is then abandoned.
    fileprivate func stop(within patience: Int64, thread name: String) -> Bool {
        let isStopped = Locked(false)
        do throws(ThreadError) {
            _ = try NamedThread(name) {
                self.stop()
                isStopped.withLock { $0 = true }
                isStopped.broadcast()
            }
        } catch {
            // No thread can be created: waiting for the driver is better than leaving the device open.
            stop()
            return true
        }
        return isStopped.waiting(atMost: patience, until: { $0 ? true : nil }) != nil
    }
}
