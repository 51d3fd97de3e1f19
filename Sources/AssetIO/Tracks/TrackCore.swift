import MediaTypes
import RealTime

/// What an input, its encoder thread and the file's thread share: a `TrackState` under one short lock.
///
/// Locks are taken in one order: the track's, the interleaving's, a watched value's. Tasks are resumed and callbacks are
/// called with none held.
final class TrackCore: Sendable {
    let traits: TrackTraits
    /// What those who feed the input wait for.
    let readiness: Watched<Readiness>
    let passes: Watched<PassState.Phase>
    private let state: Locked<TrackState>
    private let gate: InterleavingGate?
    /// Takes what is appended at once, where no thread waits for it.
    private let direct = Locked<(any TrackDelivery)?>(nil)

    var mediaType: MediaType { traits.mediaType }

    /// - Parameters:
    ///   - gate: holds pull sources together; nil for a track alone.
    ///   - readiness: the input's; it lives longer than this.
    init(
        _ traits: TrackTraits, gate: InterleavingGate? = nil, readiness: Watched<Readiness> = Watched(.notReady),
        passes: Watched<PassState.Phase> = Watched(.notStarted)
    ) {
        self.traits = traits
        self.gate = gate
        self.readiness = readiness
        self.passes = passes
        state = Locked(TrackState(traits))
    }

    var ledger: Ledger { state.withLock { $0.ledger } }
    var queueDepth: Int { state.withLock { $0.queue.count } }
    /// How much of the queue's budget is used up.
    var queueFill: Double { state.withLock { $0.queue.fill } }
    /// How hard a live encoder works, where it may work less.
    var effort: EncodingEffort? { state.withLock { $0.effort } }
    var gaps: (count: Int, frames: Int64) { state.withLock { $0.gaps } }
    var clock: SoundClock { state.withLock { $0.clock } }
    var error: MediaError? { state.withLock { $0.error } }
    /// Nothing more of it is encoded.
    var isGivenUp: Bool { state.withLock { $0.isGivenUp } }
    var hasRoom: Bool { state.withLock { $0.readiness(isFree: isFree) } == .ready }

    /// A capture thread does not even ask.
    private var isFree: Bool { traits.isRealTime || gate?.isFree(traits.index) ?? true }

    /// Changes the state and then tells whoever waits for what came of it.
    private func update<Result, Failure: Error>(
        _ body: (inout TrackState) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var readers: Watched<Readiness>.WakeUps?
        var passReaders: Watched<PassState.Phase>.WakeUps?
        let result = try state.withLock { state throws(Failure) in
            let result = try body(&state)
            readers = readiness.set(state.readiness(isFree: isFree))
            passReaders = passes.set(state.passes.phase)
            return result
        }
        readers?.run()
        passReaders?.run()
        return result
    }

    // MARK: The source's side

    func open(sessionStart: MediaTime) { update { $0.open(sessionStart: sessionStart) } }

    /// The door: constant work, no waiting.
    ///
    /// - Returns: whether the sample was taken; false: refused and counted, before a live source's session, or not ready.
    func append(_ sample: SampleBuffer) throws(MediaError) -> Bool {
        if case .taken = try admit(sample, mayWait: false) { true } else { false }
    }

    /// Appends a sample as soon as the input is ready for it.
    ///
    /// - Throws: as `append`, and `cancelled` when the task is.
    func appendWhenReady(_ sample: SampleBuffer) async throws(MediaError) {
        while true {
            let seen = readiness.reading
            guard try admit(sample, mayWait: true) == .notReady else { return }
            guard !Task.isCancelled else {
                throw MediaError(.cancelled, "cannot append a sample", reason: "its task was cancelled")
            }
            await readiness.change(since: seen)
        }
    }

    private func admit(_ sample: SampleBuffer, mayWait: Bool) throws(MediaError) -> TrackState.Admission {
        var freesOthers = false
        let admission = try update { state throws(MediaError) in
            let admission = try state.append(sample, isFree: isFree, mayWait: mayWait)
            if let gate, case .taken(_, let progress?) = admission {
                freesOthers = gate.advance(traits.index, to: progress)
            }
            return admission
        }
        if let delivery = direct.withLock({ $0 }) {
            delivery.lookAgain()
        } else {
            switch admission {
            case .taken(true, _), .refused(true), .notReady: state.signal()
            case .taken, .refused: break
            }
        }
        if freesOthers { gate?.wakeAll() }
        return admission
    }

    /// Another track has moved on or ended: this one may be free.
    func lookAgain() { update { _ in } }

    func noteLoss(_ count: Int64, cause: DropCause) { state.withLock { $0.noteLoss(count, cause: cause) } }

    func markAsFinished() { end { $0.markAsFinished() } }

    func markCurrentPassAsFinished() throws(MediaError) {
        try update { state throws(MediaError) in try state.markCurrentPassAsFinished() }
        state.signal()
    }

    /// A change after which the track holds back nobody.
    private func end(_ body: (inout TrackState) -> Void) {
        update { body(&$0) }
        state.broadcast()
        direct.withLock { $0 }?.lookAgain()
        if let gate, gate.release(traits.index) { gate.wakeAll() }
    }

    // MARK: The encoder's side

    /// Blocks until there is something to do. Only the track's encoder thread calls it.
    func nextWork() -> TrackState.Work {
        let work = state.waiting { $0.nextWork() }
        // There is room again.
        lookAgain()
        return work
    }

    /// What there is to do now; nil: nothing yet. For a track without a thread, one call at a time.
    /// Whoever took some calls `lookAgain` afterwards.
    func takeWork() -> TrackState.Work? { state.withLock { $0.nextWork() } }

    /// From now on that one is told of every change, in place of a thread that waits; nil ends it.
    func deliver(by delivery: (any TrackDelivery)?) { direct.withLock { $0 = delivery } }

    /// Whether what is encoded now is stored.
    var isInLastPass: Bool { state.withLock { $0.passes.isLast } }

    /// Whether the current pass has given the encoder anything.
    var hasSamplesInPass: Bool { state.withLock { $0.passes.hasSamples } }

    func beginNextPass() { update { $0.beginNextPass() } }
    func setWaitingForDisk(_ isWaiting: Bool) { state.withLock { $0.isEncoderWaitingForDisk = isWaiting } }
    func noteDropped(_ count: Int64, cause: DropCause) { state.withLock { $0.noteDropped(count, cause: cause) } }
    func noteAbsorbed(_ count: Int64) { state.withLock { $0.noteAbsorbed(count) } }
    func noteSound(gaps: (count: Int, frames: Int64), clock: SoundClock) {
        state.withLock { ($0.gaps, $0.clock) = (gaps, clock) }
    }
    func noteEffort(_ effort: EncodingEffort?) { state.withLock { $0.effort = effort } }
    func notePushed(_ count: Int64) { state.withLock { $0.notePushed(count) } }

    // MARK: The file's side

    func noteWritten(_ count: Int64) { state.withLock { $0.noteWritten(count) } }
    func noteLeftOut(_ count: Int64, cause: DropCause) { state.withLock { $0.noteLeftOut(count, cause: cause) } }

    func close(_ cause: DropCause, error: MediaError, isFileLost: Bool) {
        end { $0.close(cause, error: error, isFileLost: isFileLost) }
    }

    func cancel() { end { $0.cancel() } }
}
