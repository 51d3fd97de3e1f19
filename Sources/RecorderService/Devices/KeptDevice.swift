import Capture
import MediaTypes
import RealTime

/// The running side of a keeper: its thread, and the way of an event from the source of the day to the receiver.
///
/// `DeviceRecovery` decides, `AbsenceAccount` counts; this does what they say, outside the lock.
final class KeptDevice: Sendable {
    struct Facts: Sendable {
        var format: FormatDescription
        var frameRate: FrameRate?
        var summary: String

        init(_ source: any CaptureSource) {
            format = source.format
            frameRate = source.frameRate
            summary = source.summary
        }
    }

    /// A function in a structure: by itself each reading of it through a generic function would make a closure.
    private struct Receiver: Sendable {
        let tell: @Sendable (DeviceEvent) -> Void
    }

    private struct Shared: Sendable {
        var recovery = DeviceRecovery()
        var absence: AbsenceAccount
        /// Of the source that last delivered; at first of the one that was opened.
        var facts: Facts
        /// nil once it is closed.
        var source: (any CaptureSource)?
        /// Of the source whose events count; those of one that was given up do not.
        var generation = 0
        var receiver: Receiver?
        /// Why it is away.
        var error: MediaError?
        var hasThread = false
    }

    private let name: String
    private let clock: any HostClock
    private let closePatience: Int64
    private let open: DeviceKeeper.Open
    private let shared: Locked<Shared>

    /// - Parameters:
    ///   - closePatience: nanoseconds.
    ///   - source: open, not started.
    init(
        name: String, clock: any HostClock, closePatience: Int64, source: any CaptureSource,
        open: @escaping DeviceKeeper.Open
    ) {
        self.name = name
        self.clock = clock
        self.closePatience = closePatience
        self.open = open
        let facts = Facts(source)
        let absence = AbsenceAccount(
            start: MediaTime(nanoseconds: clock.nanoseconds), format: facts.format, frameRate: facts.frameRate)
        shared = Locked(Shared(absence: absence, facts: facts, source: source))
    }

    var facts: Facts { shared.withLock { $0.facts } }

    var state: DeviceState {
        shared.withLock { shared in
            switch shared.recovery.phase {
            case .opened: .opened
            case .stopped: .stopped
            case .running: .running
            case .lost, .closing, .waiting, .opening, .proving:
                shared.error.map { .away(since: shared.absence.end, $0) } ?? .running
            }
        }
    }

    // MARK: The owner

    func start(_ receiver: @escaping @Sendable (DeviceEvent) -> Void) throws(MediaError) {
        let now = MediaTime(nanoseconds: clock.nanoseconds)
        let source: (any CaptureSource)? = shared.withLock { shared in
            guard shared.recovery.phase == .opened else { return nil }
            shared.recovery.started()
            shared.receiver = Receiver(tell: receiver)
            shared.absence = AbsenceAccount(start: now, format: shared.facts.format, frameRate: shared.facts.frameRate)
            shared.hasThread = true
            return shared.source
        }
        guard let source else {
            throw MediaError(.invalidState, "cannot start the \(name)", reason: "it was started or stopped before")
        }
        do throws(ThreadError) {
            _ = try NamedThread("keep-\(name)") { [self] in run() }
        } catch {
            shared.withLock { $0.hasThread = false }
            stop()
            throw MediaError(
                .ioFailure, "cannot start the \(name)", reason: "no thread to be had", underlying: .errno(error.errno))
        }
        do throws(MediaError) {
            try source.start { [self] in forward($0, of: 0) }
        } catch {
            stop()
            throw error
        }
    }

    /// Something was plugged in: any thread.
    func hint() {
        let now = clock.nanoseconds
        shared.withLock { $0.recovery.hinted(at: now) }
        shared.broadcast()
    }

    /// Returns at once where there is a thread that closes the device.
    func requestStop() {
        let leftover: (any CaptureSource)? = shared.withLock { shared in
            shared.recovery.stop()
            guard !shared.hasThread else { return nil }
            defer { shared.source = nil }
            return shared.source
        }
        shared.broadcast()
        if let leftover { _ = close(leftover) }
    }

    func stop() {
        requestStop()
        // The thread itself waits for a driver that hangs while it closes; one that hangs while it opens holds the thread.
        _ = shared.waiting(atMost: closePatience + 1_000_000_000) { $0.hasThread ? nil : true }
        shared.withLock { shared in
            shared.receiver = nil
            shared.generation += 1
        }
    }

    // MARK: The source's thread

    /// What becomes of an event.
    private enum Passage {
        case ignored
        case passed
        /// The device is back with it.
        case returned(DeviceEvent, missing: Int64)
        /// A picture from before the absence.
        case stale
    }

    private func forward(_ event: CaptureEvent, of generation: Int) {
        let now = clock.nanoseconds
        let (passage, receiver) = shared.withLock { shared in
            let isCurrent = shared.generation == generation
            return (isCurrent ? Self.passage(of: event, at: now, &shared) : .ignored, shared.receiver)
        }
        if case .failed(let error) = event {
            if case .passed = passage { receiver?.tell(.gone(error)) }
            // Only now: what comes after an absence is told after it.
            shared.broadcast()
            return
        }
        guard let receiver, let (told, time) = DeviceEvent.passing(event) else { return }
        switch passage {
        case .ignored: break
        case .passed: receiver.tell(told)
        case .stale: receiver.tell(.lost(count: 1, cause: .device, near: time))
        case .returned(let back, let missing):
            receiver.tell(back)
            if missing > 0 { receiver.tell(.lost(count: missing, cause: .device, near: time)) }
            receiver.tell(told)
        }
    }

    private static func passage(of event: CaptureEvent, at now: Int64, _ shared: inout Shared) -> Passage {
        switch event {
        case .failed(let error):
            shared.error = error
            return shared.recovery.failed(error, at: now) ? .passed : .ignored
        case .sample(let sample):
            if shared.absence.isStale(sample) { return .stale }
            let passage = passage(at: sample.presentationTime, now, &shared)
            shared.absence.add(sample)
            return passage
        case .lost(_, let cause, let near):
            let passage = passage(at: near, now, &shared)
            if cause == .corrupt { shared.absence.addBroken(at: near) }
            return passage
        }
    }

    /// Whether the device is back with something that happened at `time`.
    private static func passage(at time: MediaTime, _ now: Int64, _ shared: inout Shared) -> Passage {
        guard shared.recovery.delivered(at: now), let source = shared.source else { return .passed }
        let (since, missing) = (shared.absence.end, shared.absence.missing(before: time))
        shared.facts = Facts(source)
        shared.error = nil
        shared.absence.expect(shared.facts.format, shared.facts.frameRate)
        let facts = shared.facts
        return .returned(
            .back(format: facts.format, frameRate: facts.frameRate, summary: facts.summary, awaySince: since),
            missing: missing)
    }

    // MARK: The keeper's thread

    private func run() {
        while true {
            switch nextStep() {
            case .close: closeFailed()
            case .open: reopen()
            case .end:
                if let source = takeSource() { _ = close(source) }
                shared.withLock { $0.hasThread = false }
                return shared.broadcast()
            }
        }
    }

    private func nextStep() -> DeviceRecovery.Step {
        while true {
            let due = shared.withLock { $0.recovery.due }
            // Also ends, with nothing to do, when an event has changed until when to wait.
            let look: (inout Shared) -> DeviceRecovery.Step?? = { [clock] shared in
                if let step = shared.recovery.step(at: clock.nanoseconds) { return step }
                return shared.recovery.due == due ? nil : .some(nil)
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
        guard let source = takeSource() else { return shared.withLock { $0.recovery.closed(at: clock.nanoseconds) } }
        if close(source) { return shared.withLock { $0.recovery.closed(at: clock.nanoseconds) } }
        let summary = facts.summary
        tell(
            MediaError(
                .ioFailure, "cannot close the \(name) \(summary)", reason: "its driver hangs",
                wayOut: "unplug it; if that does not help, only a restart of the machine will")
        ) { $0.abandoned($1, at: $2) }
    }

    private func reopen() {
        do throws(MediaError) {
            let source = try open()
            let generation: Int? = shared.withLock { shared in
                guard shared.recovery.reopened() else { return nil }
                shared.source = source
                shared.generation += 1
                return shared.generation
            }
            guard let generation else {
                _ = close(source)
                return
            }
            try source.start { [self] in forward($0, of: generation) }
        } catch {
            if let source = takeSource() { _ = close(source) }
            tell(error) { $0.refused($1, at: $2) }
        }
    }

    /// Takes note of why the device stays away, and tells it where that is news.
    private func tell(_ error: MediaError, _ isNews: (inout DeviceRecovery, MediaError, Int64) -> Bool) {
        let now = clock.nanoseconds
        let receiver: Receiver? = shared.withLock { shared in
            shared.error = error
            return isNews(&shared.recovery, error, now) ? shared.receiver : nil
        }
        receiver?.tell(.gone(error))
    }

    private func takeSource() -> (any CaptureSource)? {
        shared.withLock { shared in
            defer { shared.source = nil }
            return shared.source
        }
    }

    /// Closes a source, on a thread of its own.
    ///
    /// - Returns: false when its driver hangs; nothing that it still says counts then.
    private func close(_ source: any CaptureSource) -> Bool {
        let isClosed = Locked(false)
        do throws(ThreadError) {
            _ = try NamedThread("close-\(name)") {
                source.stop()
                isClosed.withLock { $0 = true }
                isClosed.broadcast()
            }
        } catch {
            // Out of threads: better to wait for the driver than to leave the device open.
            source.stop()
            return true
        }
        if isClosed.waiting(atMost: closePatience, until: { $0 ? true : nil }) != nil { return true }
        shared.withLock { $0.generation += 1 }
        return false
    }
}
