import MediaTypes
import RealTime
import Synchronization

/// The `Admission` of a track, protected by one short lock and shared by the source, the encoder and the muxer.
///
/// Locks are taken in one order: the track's, the interleaving's, a watched value's. Tasks are resumed and callbacks
/// are called with no lock held.
final class SharedAdmission: Sendable {
    /// The admission, the encoder's facts, and the values last published to observers.
    private struct State {
        var admission: Admission
        var facts = EncoderFacts()
        var damage: DamagedSamples?
        var readiness = Readiness.notReady
        var phase = PassState.Phase.notStarted
    }

    /// The observers to notify of a change, once the lock is released.
    private struct Changes {
        var readiness: Watched<Readiness>.WakeUps?
        var phase: Watched<PassState.Phase>.WakeUps?

        func notify() {
            readiness?.run()
            phase?.run()
        }
    }

    let traits: TrackTraits
    /// The input's readiness, which its feeders wait for.
    let readiness: Watched<Readiness>
    let passes: Watched<PassState.Phase>
    private let state: Locked<State>
    private let gate: InterleavingGate?
    /// The published number of waiting samples. Like the values below, it is read for every sample without the lock.
    private let depth = Atomic(0)
    private let unready = Atomic(true)
    private let losses = Atomic<Int64>(0)
    /// The number of samples that a sink has received and counted, but that this ledger does not include yet.
    private let handedOn = Atomic<Int64>(0)
    /// Returns true if the packet sink has room. Only used for tracks without their own queue.
    let sinkHasRoom: @Sendable () -> Bool
    /// Returns true if the packet sink cannot continue without packets of this track.
    private let isAwaited: @Sendable () -> Bool

    var mediaType: MediaType { traits.mediaType }

    /// - Parameters:
    ///   - gate: holds back pull sources that are ahead of the others; nil for a single track.
    ///   - readiness: the input's readiness, which lives longer than this object.
    ///   - sinkHasRoom: called for each sample of a track without a queue of its own, on any thread; never blocks.
    ///   - isAwaited: called in the same way, for each sample that must not be appended yet because of the gate.
    init(
        _ traits: TrackTraits, gate: InterleavingGate? = nil, readiness: Watched<Readiness> = Watched(.notReady),
        passes: Watched<PassState.Phase> = Watched(.notStarted),
        sinkHasRoom: @escaping @Sendable () -> Bool = { true },
        isAwaited: @escaping @Sendable () -> Bool = { false }
    ) {
        self.traits = traits
        self.gate = gate
        self.readiness = readiness
        self.passes = passes
        self.sinkHasRoom = sinkHasRoom
        self.isAwaited = isAwaited
        state = Locked(State(admission: Admission(traits)))
    }

    var ledger: Ledger {
        state.withLock { state in
            countHandedOn(&state.admission)
            return state.admission.ledger
        }
    }
    /// The number of samples that wait for the encoder. Takes no lock.
    var queueDepth: Int { depth.load(ordering: .relaxed) }
    /// True if the source has to wait. Takes no lock.
    var isUnready: Bool { unready.load(ordering: .relaxed) }
    /// The number of captured samples that were dropped. Takes no lock.
    var dropped: Int64 { losses.load(ordering: .relaxed) }
    /// The latest facts that the encoder has reported.
    var facts: EncoderFacts {
        state.withLock { state in
            var facts = state.facts
            facts.damage = state.damage
            return facts
        }
    }
    /// The time of the newest accepted sample; nil before the first.
    var newest: MediaTime? { state.withLock { $0.admission.newest } }
    var error: MediaError? { state.withLock { $0.admission.error } }
    /// The earliest time at which the last frame may end. nil until the track has ended, and if the frame ends after
    /// its own duration.
    var lastFrameEnd: MediaTime? { state.withLock { $0.admission.lastFrameEnd } }

    /// Returns true if nothing outside the track stops the source. The interleaving never stops a live source.
    ///
    /// - Parameter keepsReady: true if a source that was reported as ready stays ready until it has appended, even if
    ///   another track has used up the room meanwhile, or the sink no longer awaits this track.
    private func mayContinue(_ state: State, keepsReady: Bool = true) -> Bool {
        keepsReady && state.readiness == .ready || sinkHasRoom() && isInTurn
    }

    private var isInTurn: Bool { traits.isRealTime || gate?.mayContinue(traits.index) ?? true || isAwaited() }

    /// Changes the state and then notifies its observers.
    private func update<Result, Failure: Error>(
        _ body: (inout Admission) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (result, changes) = try state.withLock { state throws(Failure) in
            countHandedOn(&state.admission)
            let result = try body(&state.admission)
            return (result, publishChanges(&state))
        }
        changes.notify()
        return result
    }

    /// Moves the counts of handed-on samples into the ledger. Called before any use of the pending count.
    private func countHandedOn(_ admission: inout Admission) {
        let count = handedOn.exchange(0, ordering: .relaxed)
        guard count > 0 else { return }
        admission.recordPushed(count)
        admission.recordWritten(count)
    }

    /// Publishes the state. Watched values have locks of their own, which are taken only for a change.
    private func publishChanges(_ state: inout State, keepsReady: Bool = true) -> Changes {
        publishCounts(state.admission)
        var changes = Changes()
        let ready = state.admission.readiness(mayContinue: mayContinue(state, keepsReady: keepsReady))
        if ready != state.readiness {
            state.readiness = ready
            unready.store(ready == .notReady, ordering: .relaxed)
            changes.readiness = readiness.set(ready)
        }
        if state.admission.passes.phase != state.phase {
            state.phase = state.admission.passes.phase
            changes.phase = passes.set(state.phase)
        }
        return changes
    }

    /// Changes the ledger without notifying observers, because they do not depend on the ledger.
    private func updateLedger(_ body: (inout Admission) -> Void) {
        state.withLock { state in
            countHandedOn(&state.admission)
            body(&state.admission)
            publishCounts(state.admission)
        }
    }

    private func publishCounts(_ admission: Admission) {
        depth.store(admission.queue.count, ordering: .relaxed)
        losses.store(admission.ledger.leftOut, ordering: .relaxed)
    }

    // MARK: The source's side

    func open(sessionStart: MediaTime) {
        update { $0.open(sessionStart: sessionStart) }
        // The encoder may have to start again, so its thread is woken.
        state.signal()
    }

    func endSession(at end: MediaTime) {
        update { $0.endSession(at: end) }
        // The last samples of the session are in the queue, so the encoder's thread is woken.
        state.signal()
    }

    /// Appends a sample: constant work, no waiting.
    ///
    /// - Parameters:
    ///   - mayWait: true if the caller can try again although the source is live.
    ///   - continues: true if the sample belongs to a run whose first sample was accepted; the interleaving is not
    ///     checked again.
    func admit(
        _ sample: SampleBuffer, mayWait: Bool, continues: Bool = false
    ) throws(MediaError) -> Admission.Verdict {
        var freesOthers = false
        let (verdict, changes) = try state.withLock { state throws(MediaError) in
            let mayContinue = state.readiness == .ready || (continues ? sinkHasRoom() : mayContinue(state))
            let verdict = try state.admission.append(sample, mayContinue: mayContinue, mayWait: mayWait)
            if let gate, case .accepted(_, let progress?) = verdict {
                freesOthers = gate.advance(traits.index, to: progress)
            }
            return (verdict, publishChanges(&state, keepsReady: !verdict.isAccepted))
        }
        changes.notify()
        switch verdict {
        case .accepted(true, _), .refused(true), .notReady: state.signal()
        case .accepted, .refused: break
        }
        if freesOthers { gate?.wakeAll() }
        return verdict
    }

    /// Checks again if this track may continue. Called after another track has advanced or ended, and when the packet
    /// sink has room again.
    ///
    /// - Parameter keepsReady: false to check for room even if the source was reported as ready, because an append may
    ///   have used the room up.
    func updateReadiness(keepsReady: Bool = true) {
        state.withLock { publishChanges(&$0, keepsReady: keepsReady) }.notify()
    }

    func recordLoss(_ count: Int64, cause: DropCause) { updateLedger { $0.recordLoss(count, cause: cause) } }

    func markAsFinished(lastFrameEnd: MediaTime? = nil) {
        end { $0.markAsFinished(lastFrameEnd: lastFrameEnd) }
    }

    func markCurrentPassAsFinished() throws(MediaError) {
        try update { admission throws(MediaError) in try admission.markCurrentPassAsFinished() }
        state.signal()
    }

    /// Applies a change after which the track no longer holds back other tracks.
    private func end(_ body: (inout Admission) -> Void) {
        update { body(&$0) }
        state.broadcast()
        if let gate, gate.release(traits.index) { gate.wakeAll() }
    }

    // MARK: The encoder's side

    /// Blocks until there is something to do. Only the track's encoder thread calls it.
    ///
    /// - Returns: the work, and the part of the queue's budget that is in use after the work was taken.
    func waitForWork() -> (work: Admission.Work, pressure: Double) {
        let (work, pressure, changes) = state.waiting { state -> (Admission.Work, Double, Changes)? in
            guard let work = state.admission.nextWork() else { return nil }
            // The queue has room again.
            return (work, state.admission.queue.fill, publishChanges(&state))
        }
        changes.notify()
        return (work, pressure)
    }

    /// Returns the next work, or nil if there is none yet. Used for tracks without a thread.
    func takeWork() -> Admission.Work? {
        state.withLock { state in
            defer { publishCounts(state.admission) }
            return state.admission.nextWork()
        }
    }

    /// True if the packets of the current pass are stored.
    var isInLastPass: Bool { traits.passCount == 1 || state.withLock { $0.admission.passes.isLast } }

    /// True if the current pass has sent samples to the encoder.
    var hasSamplesInPass: Bool { state.withLock { $0.admission.passes.hasSamples } }

    func beginNextPass() { update { $0.beginNextPass() } }
    func setWaitingForDisk(_ isWaiting: Bool) { state.withLock { $0.admission.isEncoderWaitingForDisk = isWaiting } }
    func recordDropped(_ count: Int64, cause: DropCause) { updateLedger { $0.recordDropped(count, cause: cause) } }
    func recordAbsorbed(_ count: Int64) { updateLedger { $0.recordAbsorbed(count) } }
    func recordFacts(_ facts: EncoderFacts) { state.withLock { $0.facts = facts } }
    /// Records the damaged samples since the last intact one; nil if the newest sample is intact.
    func recordDamage(_ damage: DamagedSamples?) { state.withLock { $0.damage = damage } }
    /// Records that a packet is on its way to the file.
    func recordPushed(_ count: Int64) { state.withLock { $0.admission.recordPushed(count) } }
    /// Records that a packet was handed to a sink that counts it from here on. Takes no lock.
    func recordHandedOn(_ count: Int64) { handedOn.wrappingAdd(count, ordering: .relaxed) }

    // MARK: The file's side

    func recordWritten(_ count: Int64) { state.withLock { $0.admission.recordWritten(count) } }
    func recordLeftOut(_ count: Int64, cause: DropCause) { updateLedger { $0.recordLeftOut(count, cause: cause) } }

    func fail(_ cause: DropCause, error: MediaError, isFileLost: Bool) {
        end { $0.fail(cause, error: error, isFileLost: isFileLost) }
    }

    func cancel() { end { $0.cancel() } }
}
