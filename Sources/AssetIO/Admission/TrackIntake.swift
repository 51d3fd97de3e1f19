import MediaTypes
import RealTime
import Synchronization

/// Where a track's samples come in: a `TrackAdmission` under one short lock, shared by the source, the encoder and the muxer.
///
/// Locks are taken in one order: the track's, the interleaving's, a watched value's. Tasks are resumed and callbacks are
/// called with none held.
final class TrackIntake: Sendable {
    /// The track, and what was last said of it to those who watch.
    private struct State {
        var track: TrackAdmission
        var readiness = Readiness.notReady
        var phase = PassState.Phase.notStarted
    }

    /// Those who are to be told of a change, once the lock is let go of.
    private struct News {
        var readiness: Watched<Readiness>.WakeUps?
        var phase: Watched<PassState.Phase>.WakeUps?

        func tell() {
            readiness?.run()
            phase?.run()
        }
    }

    let traits: TrackTraits
    /// What those who feed the input wait for.
    let readiness: Watched<Readiness>
    let passes: Watched<PassState.Phase>
    private let state: Locked<State>
    private let gate: InterleavingGate?
    /// For those who ask for every sample, without the lock.
    private let depth = Atomic(0)
    private let unready = Atomic(true)
    private let losses = Atomic<Int64>(0)
    /// Samples in packets that went to somebody else's account, and are not in the ledger yet.
    private let handedOn = Atomic<Int64>(0)
    /// Whether those who take the packets have room, where the source has to care for that.
    let hasRoomBehind: @Sendable () -> Bool
    /// Whether those who take the packets need just this track's to go on.
    private let isAwaited: @Sendable () -> Bool

    var mediaType: MediaType { traits.mediaType }

    /// - Parameters:
    ///   - gate: holds pull sources together; nil for a track alone.
    ///   - readiness: the input's; it lives longer than this.
    ///   - hasRoomBehind: asked for each sample of a track without a queue of its own; any thread, never blocks.
    ///   - isAwaited: asked for each sample that the gate would hold back; in the same way.
    init(
        _ traits: TrackTraits, gate: InterleavingGate? = nil, readiness: Watched<Readiness> = Watched(.notReady),
        passes: Watched<PassState.Phase> = Watched(.notStarted),
        hasRoomBehind: @escaping @Sendable () -> Bool = { true },
        isAwaited: @escaping @Sendable () -> Bool = { false }
    ) {
        self.traits = traits
        self.gate = gate
        self.readiness = readiness
        self.passes = passes
        self.hasRoomBehind = hasRoomBehind
        self.isAwaited = isAwaited
        state = Locked(State(track: TrackAdmission(traits)))
    }

    var ledger: Ledger {
        state.withLock { state in
            settle(&state.track)
            return state.track.ledger
        }
    }
    /// Samples that wait for the encoder. Takes no lock.
    var queueDepth: Int { depth.load(ordering: .relaxed) }
    /// The source was told to wait. Takes no lock.
    var isUnready: Bool { unready.load(ordering: .relaxed) }
    /// Samples that were captured and left out. Takes no lock.
    var dropped: Int64 { losses.load(ordering: .relaxed) }
    /// How hard a live encoder works, where it may work less.
    var effort: EncodingEffort? { state.withLock { $0.track.effort } }
    var gaps: (count: Int, frames: Int64) { state.withLock { $0.track.gaps } }
    var clock: SoundClock { state.withLock { $0.track.clock } }
    /// The time of the newest sample that was taken; nil before the first.
    var newest: MediaTime? { state.withLock { $0.track.newest } }
    var error: MediaError? { state.withLock { $0.track.error } }
    var hasRoom: Bool { state.withLock { $0.track.readiness(isFree: isFree($0, keepsReady: false)) } == .ready }

    /// Whether the source may go on, as far as others have a say in it. A capture thread asks no interleaving.
    ///
    /// - Parameter keepsReady: whoever was told that it is ready stays so until it has appended, though another track may have
    ///   used up the room meanwhile.
    private func isFree(_ state: State, keepsReady: Bool = true) -> Bool {
        (keepsReady && state.readiness == .ready || hasRoomBehind()) && isInTurn
    }

    private var isInTurn: Bool { traits.isRealTime || gate?.isFree(traits.index) ?? true || isAwaited() }

    /// Changes the state and then tells whoever waits for what came of it.
    private func update<Result, Failure: Error>(
        _ body: (inout TrackAdmission) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (result, news) = try state.withLock { state throws(Failure) in
            settle(&state.track)
            let result = try body(&state.track)
            return (result, note(&state))
        }
        news.tell()
        return result
    }

    /// Before anything looks at what is pending.
    private func settle(_ track: inout TrackAdmission) {
        let count = handedOn.exchange(0, ordering: .relaxed)
        guard count > 0 else { return }
        track.notePushed(count)
        track.noteWritten(count)
    }

    /// Watched values have locks of their own, which are taken only for a change.
    private func note(_ state: inout State, keepsReady: Bool = true) -> News {
        publish(state.track)
        var news = News()
        let ready = state.track.readiness(isFree: isFree(state, keepsReady: keepsReady))
        if ready != state.readiness {
            state.readiness = ready
            unready.store(ready == .notReady, ordering: .relaxed)
            news.readiness = readiness.set(ready)
        }
        if state.track.passes.phase != state.phase {
            state.phase = state.track.passes.phase
            news.phase = passes.set(state.phase)
        }
        return news
    }

    /// Changes what nobody watches.
    private func enter(_ body: (inout TrackAdmission) -> Void) {
        state.withLock { state in
            settle(&state.track)
            body(&state.track)
            publish(state.track)
        }
    }

    private func publish(_ track: TrackAdmission) {
        depth.store(track.queue.count, ordering: .relaxed)
        losses.store(track.ledger.leftOut, ordering: .relaxed)
    }

    // MARK: The source's side

    func open(sessionStart: MediaTime) {
        update { $0.open(sessionStart: sessionStart) }
        // An encoder may have to begin anew.
        state.signal()
    }

    func endSession(at end: MediaTime) {
        update { $0.endSession(at: end) }
        // What the session still had to give is there.
        state.signal()
    }

    /// Constant work, no waiting.
    ///
    /// - Parameters:
    ///   - mayWait: the caller can try again, though the source is a live one.
    ///   - goesOn: the sample belongs to a run whose first one was taken: the interleaving is not asked again.
    func admit(
        _ sample: SampleBuffer, mayWait: Bool, goesOn: Bool = false
    ) throws(MediaError) -> TrackAdmission.Verdict {
        var freesOthers = false
        let (verdict, news) = try state.withLock { state throws(MediaError) in
            let isFree = state.readiness == .ready || (goesOn ? hasRoomBehind() : isFree(state))
            let verdict = try state.track.append(sample, isFree: isFree, mayWait: mayWait)
            if let gate, case .taken(_, let progress?) = verdict {
                freesOthers = gate.advance(traits.index, to: progress)
            }
            return (verdict, note(&state))
        }
        news.tell()
        switch verdict {
        case .taken(true, _), .refused(true), .notReady: state.signal()
        case .taken, .refused: break
        }
        if freesOthers { gate?.wakeAll() }
        return verdict
    }

    /// Another track has moved on or ended, or there is room behind: this one may be free.
    func lookAgain() { update { _ in } }

    /// This one has appended, and may have used up the room.
    func lookForRoom() { state.withLock { note(&$0, keepsReady: false) }.tell() }

    func noteLoss(_ count: Int64, cause: DropCause) { enter { $0.noteLoss(count, cause: cause) } }

    func markAsFinished() { end { $0.markAsFinished() } }

    func markCurrentPassAsFinished() throws(MediaError) {
        try update { track throws(MediaError) in try track.markCurrentPassAsFinished() }
        state.signal()
    }

    /// A change after which the track holds back nobody.
    private func end(_ body: (inout TrackAdmission) -> Void) {
        update { body(&$0) }
        state.broadcast()
        if let gate, gate.release(traits.index) { gate.wakeAll() }
    }

    // MARK: The encoder's side

    /// Blocks until there is something to do. Only the track's encoder thread calls it.
    ///
    /// - Returns: with how much of the queue's budget is used up behind it.
    func nextWork() -> (work: TrackAdmission.Work, pressure: Double) {
        let (work, pressure, news) = state.waiting { state -> (TrackAdmission.Work, Double, News)? in
            guard let work = state.track.nextWork() else { return nil }
            // There is room again.
            return (work, state.track.queue.fill, note(&state))
        }
        news.tell()
        return (work, pressure)
    }

    /// What there is to do now; nil: nothing yet. For a track without a thread.
    func takeWork() -> TrackAdmission.Work? {
        state.withLock { state in
            defer { publish(state.track) }
            return state.track.nextWork()
        }
    }

    /// Whether what is encoded now is stored.
    var isInLastPass: Bool { traits.passCount == 1 || state.withLock { $0.track.passes.isLast } }

    /// Whether the current pass has given the encoder anything.
    var hasSamplesInPass: Bool { state.withLock { $0.track.passes.hasSamples } }

    func beginNextPass() { update { $0.beginNextPass() } }
    func setWaitingForDisk(_ isWaiting: Bool) { state.withLock { $0.track.isEncoderWaitingForDisk = isWaiting } }
    func noteDropped(_ count: Int64, cause: DropCause) { enter { $0.noteDropped(count, cause: cause) } }
    func noteAbsorbed(_ count: Int64) { enter { $0.noteAbsorbed(count) } }
    func noteSound(gaps: (count: Int, frames: Int64), clock: SoundClock) {
        state.withLock { ($0.track.gaps, $0.track.clock) = (gaps, clock) }
    }
    func noteEffort(_ effort: EncodingEffort?) { state.withLock { $0.track.effort = effort } }
    /// A packet goes to the file.
    func notePushed(_ count: Int64) { state.withLock { $0.track.notePushed(count) } }
    /// A packet went to somebody who keeps an account of it from here on. Takes no lock.
    func noteHandedOn(_ count: Int64) { handedOn.wrappingAdd(count, ordering: .relaxed) }

    // MARK: The file's side

    func noteWritten(_ count: Int64) { state.withLock { $0.track.noteWritten(count) } }
    func noteLeftOut(_ count: Int64, cause: DropCause) { enter { $0.noteLeftOut(count, cause: cause) } }

    func close(_ cause: DropCause, error: MediaError, isFileLost: Bool) {
        end { $0.close(cause, error: error, isFileLost: isFileLost) }
    }

    func cancel() { end { $0.cancel() } }
}

/// Whether an input takes samples, and whether it ever will again.
enum Readiness: Sendable, Equatable {
    case notReady, ready
    /// The track failed: whoever feeds it has to learn of it.
    case failed
    /// The client itself ended it: `markAsFinished`, `finishWriting`, `cancelWriting`.
    case over

    var isOver: Bool { self == .failed || self == .over }
}
