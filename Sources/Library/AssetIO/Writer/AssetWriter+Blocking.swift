import Dispatch
public import MediaTypes

/// Variants for threads that are not tasks.
extension AssetWriter {
    /// Variant of `finishWriting` with a callback, which is called exactly once, on one of the system's threads and
    /// never from within this call. It may block. No sample is accepted once this returns.
    public func finishWriting(completionHandler: @escaping @Sendable (Result<Void, MediaError>) -> Void) {
        let callbacks = DispatchQueue(label: "recorder.finished")
        let refusal = beginFinishing()
        guard refusal == nil || status == .failed else {
            return callbacks.async { completionHandler(refusal.map { .failure($0) } ?? .success(())) }
        }
        // The closure keeps the writer alive until its movie is finalized. The latch is opened on the movie's thread.
        core.completion.whenOpen { [self] in
            callbacks.async { completionHandler(self.outcome(refusal)) }
        }
    }

    /// Variant of `finishWriting` that blocks the calling thread until the movie is finalized, synced and has its final
    /// name.
    ///
    /// It waits for encoders and the movie's own thread, but never for a thread of Swift's pool nor for the queue of a
    /// `requestMediaDataWhenReady`. Any thread may call it, except one that reads this writer's `segments`.
    ///
    /// - Throws: the errors of `finishWriting`.
    @available(*, noasync, message: "use finishWriting")
    public func finishWritingNow() throws(MediaError) { try finishWritingBlocking() }

    func finishWritingBlocking() throws(MediaError) {
        let refusal = beginFinishing()
        if refusal == nil || status == .failed { core.completion.waitBlocking() }
        try outcome(refusal).get()
    }

    private func beginFinishing() -> MediaError? {
        do throws(MediaError) {
            try core.beginFinishing()
            return nil
        } catch { return error }
    }

    /// Returns the result once the writer has ended, or has refused to.
    private func outcome(_ refusal: MediaError?) -> Result<Void, MediaError> {
        if let failure = refusal ?? error { .failure(failure) } else { .success(()) }
    }
}
