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

        /// Suspends until the input is ready, then appends. It also waits for an input of a live source. Samples that
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

extension AssetWriter {
    /// Adds an input and returns the receiver that feeds it.
    ///
    /// - Throws: the errors of `add`; `invalidState` if the input has a receiver or an adaptor.
    public func inputReceiver(
        for input: AssetWriterInput
    ) throws(MediaError) -> AssetWriterInput.SampleBufferReceiver {
        let receiver = try AssetWriterInput.SampleBufferReceiver(input)
        try add(bound: input)
        return receiver
    }

    /// Adds a video input and returns the receiver that feeds it frames from its own pool.
    ///
    /// - Parameter pixelFormat: the layout of the pool's frames.
    /// - Throws: the errors of `add` and `PixelBufferAdaptor`.
    public func inputPixelBufferReceiver(
        for input: AssetWriterInput, pixelFormat: PixelFormat = .nv12
    ) throws(MediaError) -> AssetWriterInput.PixelBufferReceiver {
        try inputPixelBufferReceiver(for: input, attributes: .init(pixelFormat: pixelFormat))
    }

    /// Adds a video input and returns the receiver that feeds it frames from its own pool.
    ///
    /// - Parameter attributes: the attributes of the pool's frames.
    /// - Throws: the errors of `add` and `PixelBufferAdaptor`.
    public func inputPixelBufferReceiver(
        for input: AssetWriterInput, attributes: PixelBufferAdaptor.Attributes
    ) throws(MediaError) -> AssetWriterInput.PixelBufferReceiver {
        let receiver = try AssetWriterInput.PixelBufferReceiver(input, attributes)
        try add(bound: input)
        return receiver
    }

    /// Adds a bound input. If the writer refuses it, the input is unbound and can be tried again.
    private func add(bound input: AssetWriterInput) throws(MediaError) {
        do throws(MediaError) {
            try add(input)
        } catch {
            input.feed.unbind()
            throw error
        }
    }
}
