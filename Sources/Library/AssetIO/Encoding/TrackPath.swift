import MediaTypes
import RealTime

/// The path of one track from its source to its packet sink: admission, queue, and an encoder on its own thread. In the
/// recorder, a device feeds it; other programs feed it through an `AssetWriterInput`.
///
/// Packets that pass through have neither queue nor thread, because waking a thread would take longer than passing a
/// packet on. They are passed to the sink on the appending thread, and are refused while the sink has no room.
final class TrackPath: Sendable {
    /// The encoding stage of a track that has no thread; one appending thread uses it at a time.
    private struct Turn: @unchecked Sendable {
        // Unchecked: the stage is touched only under the lock that holds this value.
        let stage: EncodingStage
        var isOver = false
        /// True until the path has started and all earlier encoders have stopped using the sink. While it is true,
        /// nothing is encoded, and appended samples wait in the queue.
        var isHeld = true
    }

    private enum Worker {
        case thread(EncoderThread)
        case appending(Locked<Turn>)
    }

    let admission: SharedAdmission
    private let worker: Worker
    private let failed = Locked<(@Sendable (MediaError) -> Void)?>(nil)
    /// The thread for the preparation of a track that has no other thread.
    private let preparing = Locked<NamedThread?>(nil)

    /// - Parameters:
    ///   - encoder: the encoder, used by this track alone from now on.
    ///   - latency: a meter for the encoding time of each sample.
    init(
        _ admission: SharedAdmission, encoder: any TrackEncoder, sink: any PacketSink, latency: LatencyMeter? = nil
    ) {
        self.admission = admission
        let stage = EncodingStage(encoder, admission: admission, sink: sink, latency: latency)
        worker =
            admission.traits.hasThread
            ? .thread(EncoderThread(stage, admission: admission)) : .appending(Locked(Turn(stage: stage)))
    }

    /// Starts encoding. Samples are accepted from `SharedAdmission.open` on. The sink receives nothing before the
    /// start, not even the end of the track.
    ///
    /// - Parameters:
    ///   - preparation: runs first on the encoder's thread, and may wait there. For a track without a thread, it runs
    ///     on a separate thread. Samples that are appended meanwhile wait in the queue.
    ///   - failed: called when the track ends because of an error, on the thread where it occurred.
    /// - Throws: `ioFailure` if no thread can be created.
    func start(
        after preparation: (@Sendable () -> Void)? = nil, failed: @escaping @Sendable (MediaError) -> Void
    ) throws(MediaError) {
        switch worker {
        case .thread(let thread): try thread.start(after: preparation, failed: failed)
        case .appending(let turn):
            self.failed.withLock { $0 = failed }
            guard let preparation else { return release(turn) }
            do {
                let thread = try NamedThread("take-over") {
                    preparation()
                    self.release(turn)
                }
                preparing.withLock { $0 = thread }
            } catch {
                throw MediaError(errno: error.errno, "cannot start the \(admission.mediaType) track's thread")
            }
        }
    }

    /// Appends a sample: constant work, plus the encoder's if the track has no thread.
    ///
    /// - Parameter continues: true if the sample belongs to a run whose first sample was accepted; other tracks do not
    ///   hold it back.
    /// - Returns: true if the sample was accepted; false if it was refused and counted, is before a live source's
    ///   session, or the input is not ready.
    @discardableResult
    func append(_ sample: SampleBuffer, continues: Bool = false) throws(MediaError) -> Bool {
        try admit(sample, mayWait: false, continues: continues).isAccepted
    }

    /// Appends a sample as soon as the input is ready for it.
    ///
    /// - Throws: the errors of `append`, and `cancelled` if the task is cancelled.
    func appendWhenReady(_ sample: SampleBuffer) async throws(MediaError) {
        while true {
            let seen = admission.readiness.reading
            guard try admit(sample, mayWait: true) == .notReady else { return }
            guard !Task.isCancelled else {
                throw MediaError(.cancelled, "cannot append a sample", reason: "its task was cancelled")
            }
            await admission.readiness.change(since: seen)
        }
    }

    /// Begins a session, the first one or another. Samples are accepted from now on.
    func open(sessionStart: MediaTime) {
        admission.open(sessionStart: sessionStart)
        work()
    }

    /// Ends the session. No sample is accepted until another one begins; accepted samples are still encoded.
    func endSession(at end: MediaTime) {
        admission.endSession(at: end)
        work()
    }

    /// Ends the input. Accepted samples are still encoded.
    /// - Parameter lastFrameEnd: the earliest time at which the last frame may end; nil if the frame ends after its own
    ///   duration.
    func markAsFinished(lastFrameEnd: MediaTime? = nil) {
        admission.markAsFinished(lastFrameEnd: lastFrameEnd)
        work()
    }

    func markCurrentPassAsFinished() throws(MediaError) {
        try admission.markCurrentPassAsFinished()
        work()
    }

    /// Ends the track for a cause that is not its encoder's failure.
    func fail(_ cause: DropCause, error: MediaError, isFileLost: Bool) {
        admission.fail(cause, error: error, isFileLost: isFileLost)
        work()
    }

    func cancel() {
        admission.cancel()
        work()
    }

    /// Waits for the threads. Called only once the track has ended, and never from the sink.
    func join() {
        if case .thread(let thread) = worker { return thread.join() }
        preparing.withLock { $0 }?.join()
    }

    // MARK: -

    private func admit(
        _ sample: SampleBuffer, mayWait: Bool, continues: Bool = false
    ) throws(MediaError) -> Admission.Verdict {
        guard case .appending(let turn) = worker else {
            return try admission.admit(sample, mayWait: mayWait, continues: continues)
        }
        var failure: MediaError?
        // One lock protects both steps, so that packets are passed on in the order in which they were admitted.
        let verdict = try turn.withLock { turn throws(MediaError) in
            let verdict = try admission.admit(sample, mayWait: mayWait, continues: continues)
            failure = perform(&turn)
            return verdict
        }
        if let failure { end(failure) }
        if !admission.sinkHasRoom() {
            admission.updateReadiness(keepsReady: false)
        } else if admission.isUnready {
            // Earlier packets that decoding needs were queued with the sample, possibly more than the queue's limit.
            // They have been passed on by now, so the input may be ready again.
            admission.updateReadiness()
        }
        return verdict
    }

    /// Performs the work that has waited for the start. The track may have been finished already.
    private func release(_ turn: Locked<Turn>) {
        turn.withLock { $0.isHeld = false }
        work()
        // The queue has room again.
        admission.updateReadiness()
    }

    private func work() {
        guard case .appending(let turn) = worker, let failure = turn.withLock({ perform(&$0) }) else { return }
        end(failure)
    }

    /// - Returns: the error that ends the track; nil if none.
    private func perform(_ turn: inout Turn) -> MediaError? {
        while !turn.isHeld, !turn.isOver, let work = admission.takeWork() {
            do throws(MediaError) {
                guard try !turn.stage.perform(work, pressure: 0) else { continue }
                turn.isOver = true
                turn.stage.endTrack()
                // The closure may own the owner of this object, so the closure is released.
                failed.withLock { $0 = nil }
            } catch {
                return error
            }
        }
        return nil
    }

    private func end(_ failure: MediaError) {
        let failed = failed.withLock { $0 }
        fail(.encoder, error: failure, isFileLost: false)
        failed?(failure)
    }
}
