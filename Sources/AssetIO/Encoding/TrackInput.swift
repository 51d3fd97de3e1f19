import MediaTypes
import RealTime

/// One track from whoever appends to whoever takes its packets: admission, queue, and an encoder on a thread of its own. What a
/// camera feeds in the recorder and what a program feeds through an `AssetWriterInput`.
///
/// Packets that only pass through have neither queue nor thread: they take less time than waking one would. They go to the
/// sink on the thread that appends them, and are refused while that has no room.
final class TrackInput: Sendable {
    /// Whose work is done by one appending thread at a time.
    private struct Turn: @unchecked Sendable {
        // Unchecked: the stage is touched only under the lock that holds this value.
        let stage: EncodingStage
        var isOver = false
        /// Somebody else has the sink yet: what is appended lies in the queue.
        var isHeld = false
    }

    private enum Worker {
        case thread(EncoderThread)
        case appending(Locked<Turn>)
    }

    let intake: TrackIntake
    private let worker: Worker
    private let failed = Locked<(@Sendable (MediaError) -> Void)?>(nil)
    /// Runs the preparation of a track that has no thread otherwise.
    private let preparing = Locked<NamedThread?>(nil)

    /// - Parameters:
    ///   - encoding: used by this track alone from now on.
    ///   - latency: learns how long the encoder takes for a sample.
    init(
        _ intake: TrackIntake, encoding: any TrackEncoding, sink: any PacketSink, latency: LatencyMeter? = nil
    ) {
        self.intake = intake
        let stage = EncodingStage(encoding, track: intake, sink: sink, latency: latency)
        worker =
            intake.traits.isPassthrough
            ? .appending(Locked(Turn(stage: stage))) : .thread(EncoderThread(stage, track: intake))
    }

    /// Begins to encode. Samples are taken from `TrackIntake.open` on.
    ///
    /// - Parameters:
    ///   - preparation: runs first on the encoder's thread, and may wait there; for a track without one, on a thread of its own.
    ///     What is appended meanwhile waits in the queue.
    ///   - failed: called when the track ends for an error, from the thread that met it.
    /// - Throws: `ioFailure` when no thread is to be had.
    func start(
        after preparation: (@Sendable () -> Void)? = nil, failed: @escaping @Sendable (MediaError) -> Void
    ) throws(MediaError) {
        switch worker {
        case .thread(let thread): try thread.start(after: preparation, failed: failed)
        case .appending(let turn):
            self.failed.withLock { $0 = failed }
            // It may have been finished before.
            guard let preparation else { return work() }
            turn.withLock { $0.isHeld = true }
            do {
                let thread = try NamedThread("take-over") {
                    preparation()
                    turn.withLock { $0.isHeld = false }
                    self.work()
                }
                preparing.withLock { $0 = thread }
            } catch {
                throw MediaError(errno: error.errno, "cannot start the \(intake.mediaType) track's thread")
            }
        }
    }

    /// Constant work, and an encoder's only where there is none to wait for.
    ///
    /// - Parameter goesOn: the sample belongs to a run whose first one was taken: other tracks are not waited for.
    /// - Returns: whether the sample was taken; false: refused and counted, before a live source's session, or not ready.
    @discardableResult
    func append(_ sample: SampleBuffer, goesOn: Bool = false) throws(MediaError) -> Bool {
        if case .taken = try admit(sample, mayWait: false, goesOn: goesOn) { true } else { false }
    }

    /// Appends a sample as soon as the input is ready for it.
    ///
    /// - Throws: as `append`, and `cancelled` when the task is.
    func appendWhenReady(_ sample: SampleBuffer) async throws(MediaError) {
        while true {
            let seen = intake.readiness.reading
            guard try admit(sample, mayWait: true) == .notReady else { return }
            guard !Task.isCancelled else {
                throw MediaError(.cancelled, "cannot append a sample", reason: "its task was cancelled")
            }
            await intake.readiness.change(since: seen)
        }
    }

    /// A session begins, the first one or another: samples are taken.
    func open(sessionStart: MediaTime) {
        intake.open(sessionStart: sessionStart)
        work()
    }

    /// No sample is taken until another session begins; what was taken is still encoded.
    func endSession(at end: MediaTime) {
        intake.endSession(at: end)
        work()
    }

    /// Nothing more comes; what was taken is still encoded.
    func markAsFinished() {
        intake.markAsFinished()
        work()
    }

    func markCurrentPassAsFinished() throws(MediaError) {
        try intake.markCurrentPassAsFinished()
        work()
    }

    /// The track ends for a cause that is not its encoder's.
    func close(_ cause: DropCause, error: MediaError, isFileLost: Bool) {
        intake.close(cause, error: error, isFileLost: isFileLost)
        work()
    }

    func cancel() {
        intake.cancel()
        work()
    }

    /// Waits until nothing more comes. Only once the track is at its end, and never from the sink.
    func join() {
        if case .thread(let thread) = worker { return thread.join() }
        preparing.withLock { $0 }?.join()
    }

    // MARK: -

    private func admit(
        _ sample: SampleBuffer, mayWait: Bool, goesOn: Bool = false
    ) throws(MediaError) -> TrackAdmission.Verdict {
        guard case .appending(let turn) = worker else {
            return try intake.admit(sample, mayWait: mayWait, goesOn: goesOn)
        }
        var failure: MediaError?
        // One lock over both, so that packets go on in the order in which they were admitted.
        let verdict = try turn.withLock { turn throws(MediaError) in
            let verdict = try intake.admit(sample, mayWait: mayWait, goesOn: goesOn)
            failure = perform(&turn)
            return verdict
        }
        if let failure { end(failure) }
        if !intake.hasRoomBehind() {
            intake.lookForRoom()
        } else if intake.isUnready {
            // The sample brought more packets than the queue holds, those that decoding needs, and they have gone on since.
            intake.lookAgain()
        }
        return verdict
    }

    private func work() {
        guard case .appending(let turn) = worker, let failure = turn.withLock({ perform(&$0) }) else { return }
        end(failure)
    }

    /// - Returns: what the track fails with.
    private func perform(_ turn: inout Turn) -> MediaError? {
        while !turn.isHeld, !turn.isOver, let work = intake.takeWork() {
            do throws(MediaError) {
                guard try !turn.stage.perform(work, pressure: 0) else { continue }
                turn.isOver = true
                turn.stage.close()
                // It may hold whoever holds this.
                failed.withLock { $0 = nil }
            } catch {
                return error
            }
        }
        return nil
    }

    private func end(_ failure: MediaError) {
        let failed = failed.withLock { $0 }
        close(.encoder, error: failure, isFileLost: false)
        failed?(failure)
    }
}
