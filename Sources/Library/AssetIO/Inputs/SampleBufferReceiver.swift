public import MediaTypes

extension AssetWriterInput {
    /// Feeds an input from a task: the modern form of `append` and `requestMediaDataWhenReady`. Created by
    /// `AssetWriter.inputReceiver(for:)`.
    ///
    /// Only one task at a time should append. If several tasks wait at the same time, the order of their samples is
    /// undefined.
    public final class SampleBufferReceiver: Sendable {
        /// The input that the receiver feeds.
        public let input: AssetWriterInput

        init(_ input: AssetWriterInput) throws(MediaError) {
            try input.feed.bind("a sample buffer receiver")
            self.input = input
        }

        /// Suspends until the input is ready, then appends. It also waits if the input's source is live. If a live
        /// input refuses a sample for a reason other than lack of room, the sample is counted in the input's ledger.
        ///
        /// - Throws: `cancelled` if the task or the writer is cancelled; `invalidState` outside the session and after
        ///   the end; `invalidSample`; or the cause of the track's failure.
        public func append(_ sample: SampleBuffer) async throws(MediaError) { try await input.appendWhenReady(sample) }

        /// Appends without waiting.
        ///
        /// - Returns: false if the input was not ready. In that case nothing has happened, except that a live input has
        ///   counted the sample as refused.
        /// - Throws: the errors of `append`, except that of a cancelled task.
        public func appendImmediately(_ sample: SampleBuffer) throws(MediaError) -> Bool { try input.append(sample) }

        /// Ends the input. Idempotent; a suspended `append` throws.
        public func finish() { input.markAsFinished() }
    }
}
