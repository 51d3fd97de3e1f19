import Dispatch
public import MediaTypes

/// Finishing for tasks, for threads that are not tasks, and with a callback.
extension AssetWriter {
    /// Finishes every input, and returns once the movie is finalized, synced and has its final name.
    ///
    /// - Throws: the error that made the writer fail; the written data remains under the temporary name and can be
    ///   repaired. `invalidSample` for a track whose format was unknown when the header was written, and now needs more
    ///   space than was reserved. All other tracks remain and can be repaired. `invalidState` without a session, and
    ///   for a second call; a second call also waits for the movie's end, but does not affect it.
    public func finishWriting() async throws(MediaError) {
        let refusal = beginFinishing()
        if ends(after: refusal) { await core.completion.wait() }
        try outcome(refusal).get()
    }

    /// Variant of `finishWriting` with a callback. The callback is called exactly once, on one of the system's threads,
    /// and never by this function itself. It may block. No sample is accepted once this function has returned.
    public func finishWriting(completionHandler: @escaping @Sendable (Result<Void, MediaError>) -> Void) {
        let callbacks = DispatchQueue(label: "recorder.finished")
        let refusal = beginFinishing()
        // The closure keeps the writer alive until its movie is finalized.
        let report: @Sendable () -> Void = { [self] in
            callbacks.async { completionHandler(self.outcome(refusal)) }
        }
        // The latch is opened on the movie's thread.
        if ends(after: refusal) { core.completion.whenOpen(report) } else { report() }
    }

    /// Variant of `finishWriting` that blocks the calling thread until the movie is finalized, synced and has its final
    /// name.
    ///
    /// It waits for encoders and the movie's own thread, but never for a thread of Swift's pool nor for the queue of a
    /// `requestMediaDataWhenReady`. Any thread may call it, except one that reads this writer's `segments`.
    ///
    /// - Throws: the errors of `finishWriting`.
    @available(*, noasync, message: "use finishWriting")
    public func finishWritingNow() throws(MediaError) {
        let refusal = beginFinishing()
        if ends(after: refusal) { core.completion.waitBlocking() }
        try outcome(refusal).get()
    }

    private func beginFinishing() -> MediaError? {
        do throws(MediaError) {
            try core.beginFinishing()
            return nil
        } catch { return error }
    }

    /// Returns true if the writer ends without a further call. If `finishWriting` was refused, that is so only if the
    /// writer has failed, or is finishing because of an earlier call.
    private func ends(after refusal: MediaError?) -> Bool {
        guard refusal != nil else { return true }
        let state = core.state
        return state.isFinishing || state.status == .failed
    }

    /// Returns the result of finishing: the refusal, or the writer's error, or success.
    private func outcome(_ refusal: MediaError?) -> Result<Void, MediaError> {
        if let failure = refusal ?? error { .failure(failure) } else { .success(()) }
    }
}
