public import MediaTypes

extension AssetWriterInput {
    /// Feeds an input from a task: the modern form of `append` and `requestMediaDataWhenReady`. Created by
    /// `AssetWriter.inputReceiver(for:)`.
    ///
    /// Samples of one receiver should come from one task at a time; the order of several that wait at once is
    /// undefined.
    public final class SampleBufferReceiver: Sendable {
        /// The input that it feeds.
        public let input: AssetWriterInput

        init(_ input: AssetWriterInput) throws(MediaError) {
            try input.feed.bind("a sample buffer receiver")
            self.input = input
        }

        /// Suspends until the input is ready, then appends. It also waits if the input's source is live. Samples that
        /// such an input refuses for any reason but lack of room are counted in its ledger.
        ///
        /// - Throws: `cancelled` if the task or the writer is cancelled; `invalidState` outside the session and after
        ///   the end; `invalidSample`; or the cause of the track's failure.
        public func append(_ sample: SampleBuffer) async throws(MediaError) { try await input.appendWhenReady(sample) }

        /// Appends at once.
        ///
        /// - Returns: false if the input was not ready; nothing happened then, except that a live input has counted a
        ///   refusal.
        /// - Throws: the errors of `append`, except that of a cancelled task.
        public func appendImmediately(_ sample: SampleBuffer) throws(MediaError) -> Bool { try input.append(sample) }

        /// Ends the input. Idempotent; a suspended `append` throws.
        public func finish() { input.markAsFinished() }
    }
}
