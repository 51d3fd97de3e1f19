import MediaTypes
import RealTime
import Synchronization

/// The path of events from one opened source to the receiver of its keeper.
///
/// A source begins to deliver once and fails once, and so does its feed. A device that reconnects gets a new feed.
/// State that changes per frame belongs to the source's thread: only the first and the last event need the keeper's
/// lock.
final class DeviceFeed: @unchecked Sendable {
    // Unchecked: `absence`, `lastDelivery` and `isProven` are used only by the source's thread. Before that thread
    // runs, the thread that creates the feed uses them. The keeper's lock is taken between one feed and the next.
    private var absence: AbsenceAccount
    private var lastDelivery: Int64?
    /// False from the opening of a reconnected device to its first sample.
    private var isProven: Bool

    private let emit: @Sendable (DeviceEvent) -> Void
    private let keeper: Locked<DeviceKeeper.Shared>
    private let clock = MonotonicClock()
    private let isCut = Atomic(false)

    /// - Parameter isReturning: true if the device was disconnected, and counts as back with its first sample.
    init(
        absence: AbsenceAccount, isReturning: Bool, keeper: Locked<DeviceKeeper.Shared>,
        emit: @escaping @Sendable (DeviceEvent) -> Void
    ) {
        self.absence = absence
        isProven = !isReturning
        self.keeper = keeper
        self.emit = emit
    }

    /// Ignores all further events of the source. Call it with the keeper's lock held.
    func cut() { isCut.store(true, ordering: .relaxed) }

    func receive(_ event: DeviceEvent) {
        guard !isCut.load(ordering: .relaxed) else { return }
        switch event {
        case .sample(let sample):
            let time = sample.presentationTime
            guard !absence.isStale(sample) else { return emit(.lost(count: 1, cause: .device, near: time)) }
            arrived(at: time)
            absence.add(sample)
            emit(event)
        case .lost(_, let cause, let near):
            // A damaged frame does not prove that the device is back. With the first sample, all frames since the
            // disconnect are counted as missing.
            guard isProven else { return }
            if cause == .corrupt { absence.addBroken(at: near) }
            emit(event)
        case .gone(let error): ended(error)
        // A source does not reconnect by itself.
        case .back: break
        }
    }

    /// Handles a sample that was captured at `time`: if the device was disconnected, it is now back.
    private func arrived(at time: MediaTime) {
        let now = clock.nanoseconds
        lastDelivery = now
        guard !isProven else { return }
        isProven = true
        let described: DeviceKeeper.SourceDescription? = keeper.withLock { state in
            guard !isCut.load(ordering: .relaxed), state.recovery.delivered(at: now), let source = state.source else {
                return nil
            }
            state.described = DeviceKeeper.SourceDescription(source)
            state.error = nil
            return state.described
        }
        guard let described else { return }
        let (since, missing) = (absence.end, absence.missing(before: time))
        absence.expect(described.format, described.frameRate)
        emit(
            .back(
                format: described.format, frameRate: described.frameRate, summary: described.summary, awaySince: since))
        if missing > 0 { emit(.lost(count: missing, cause: .device, near: time)) }
    }

    private func ended(_ error: MediaError) {
        let now = clock.nanoseconds
        let isNews = keeper.withLock { state in
            guard !isCut.load(ordering: .relaxed) else { return false }
            if let lastDelivery { _ = state.recovery.delivered(at: lastDelivery) }
            state.absence = absence
            state.error = error
            return state.recovery.failed(error, at: now)
        }
        if isNews { emit(.gone(error)) }
        // Wake the keeper only now, so that later events are reported after `gone`.
        keeper.broadcast()
    }
}
