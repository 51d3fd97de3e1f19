import MediaTypes
import RealTime
import Synchronization

/// The path of events from one opened source to the receiver of its keeper.
///
/// A source begins to deliver once and fails once, and so does its feed. A device that reconnects gets a new feed.
/// State that changes per frame belongs to the source's thread: only the first and the last event need the keeper's
/// lock.
final class DeviceFeed: @unchecked Sendable {
    // Unchecked: `absence`, `lastDelivery`, `isProven`, `proof` and `uselessSince` are used only by the source's thread.
    // Before that thread runs, the thread that creates the feed uses them. The keeper's lock is taken between one feed
    // and the next.
    private var absence: AbsenceAccount
    private var lastDelivery: Int64?
    /// False from the opening of a reconnected device to its first sample.
    private var isProven: Bool
    /// The proof that a rejected device has to give; nil for other devices.
    private var proof: DeviceKeeper.Proof?
    /// The time of the first sample that did not give the proof.
    private var uselessSince: MediaTime?

    private let emit: @Sendable (DeviceEvent) -> Void
    private let keeper: Locked<DeviceKeeper.Shared>
    private let clock = MonotonicClock()
    private let isCut = Atomic(false)
    private let isRejected = Atomic(false)

    /// The time after which a rejected device is opened again if none of its samples gave the proof.
    static let proofPatience = MediaTime(value: 10, timescale: 1)

    /// - Parameters:
    ///   - isReturning: true if the device was disconnected, and counts as back with its first sample.
    ///   - proof: the proof that the first sample of a rejected device has to give.
    init(
        absence: AbsenceAccount, isReturning: Bool, proof: DeviceKeeper.Proof? = nil,
        keeper: Locked<DeviceKeeper.Shared>, emit: @escaping @Sendable (DeviceEvent) -> Void
    ) {
        self.absence = absence
        isProven = !isReturning
        self.proof = proof
        self.keeper = keeper
        self.emit = emit
    }

    /// Ignores all further events of the source. Call it with the keeper's lock held.
    func cut() { isCut.store(true, ordering: .relaxed) }

    /// Treats the source as failed from its next event on.
    func reject() { isRejected.store(true, ordering: .relaxed) }

    func receive(_ event: DeviceEvent) {
        guard !isCut.load(ordering: .relaxed) else { return }
        if isRejected.load(ordering: .relaxed) {
            guard case .gone(let error) = event else { return endRejected() }
            return ended(error)
        }
        switch event {
        case .sample(let sample):
            let time = sample.presentationTime
            guard !absence.isStale(sample) else { return emit(.lost(count: 1, cause: .device, near: time)) }
            guard isUsable(sample) else { return }
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

    /// Returns true unless the device was rejected, and the sample does not prove that the device can be used again. If
    /// no sample proves it for some time, the device has to be opened again.
    private func isUsable(_ sample: SampleBuffer) -> Bool {
        guard !isProven, let proof, !proof.isUsable(sample) else { return true }
        let since = uselessSince ?? sample.presentationTime
        uselessSince = since
        if sample.presentationTime - since >= Self.proofPatience { endRejected() }
        return false
    }

    /// Ends a source that was rejected, and that does not know it.
    private func endRejected() {
        // The device may have been rejected again, for another reason.
        guard let error = keeper.withLock({ $0.proof?.error }) ?? proof?.error else { return }
        ended(error)
        // The source continues until the keeper closes it.
        keeper.withLock { _ in cut() }
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
            state.proof = nil
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
