import Dispatch
public import MediaTypes

/// The forms for threads that are no tasks.
extension AssetWriter {
    /// As `finishWriting`, with a callback, which is called exactly once, from a thread of the system's and never from within
    /// this call: it may block. No sample is taken once this returns.
    public func finishWriting(completionHandler: @escaping @Sendable (Result<Void, MediaError>) -> Void) {
        let callbacks = DispatchQueue(label: "recorder.finished")
        let refusal = beginFinishing()
        guard refusal == nil || status == .failed else {
            return callbacks.async { completionHandler(refusal.map { .failure($0) } ?? .success(())) }
        }
        // The closure keeps the writer alive until its movie is whole. Whoever opens the latch is the movie's thread.
        core.completion.whenOpen { [self] in
            callbacks.async { completionHandler(self.outcome(refusal)) }
        }
    }

    /// As `finishWriting`: blocks the calling thread until the movie is whole, synced and has its name.
    ///
    /// It waits for encoders and the movie's own thread, never for a thread of Swift's pool nor for the queue of a
    /// `requestMediaDataWhenReady`; so any thread may call that does not itself take this writer's `segments`.
    ///
    /// - Throws: as `finishWriting`.
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

    /// Once the writer has ended, or refused to.
    private func outcome(_ refusal: MediaError?) -> Result<Void, MediaError> {
        if let failure = refusal ?? error { .failure(failure) } else { .success(()) }
    }
}
