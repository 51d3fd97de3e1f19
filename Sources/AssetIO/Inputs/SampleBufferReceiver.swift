public import MediaTypes

extension AssetWriterInput {
    /// Feeds an input from a task: the modern form of `append` and `requestMediaDataWhenReady`. From
    /// `AssetWriter.inputReceiver(for:)`.
    ///
    /// Samples of one receiver come from one task at a time; several that wait at once are taken in no certain order.
    public final class SampleBufferReceiver: Sendable {
        /// The input that it feeds.
        public let input: AssetWriterInput

        init(_ input: AssetWriterInput) throws(MediaError) {
            try input.feed.bind("a sample buffer receiver")
            self.input = input
        }

        /// Suspends until the input is ready, then appends. An input of a live source is waited for as well; what it
        /// refuses for another reason than room is counted in its ledger.
        ///
        /// - Throws: `cancelled` when the task or the writer is cancelled, `invalidState` outside the session and after the
        ///   end, `invalidSample`, or the cause of the track's failure.
        public func append(_ sample: SampleBuffer) async throws(MediaError) { try await input.appendWhenReady(sample) }

        /// Appends at once.
        ///
        /// - Returns: false when the input was not ready; nothing happened then, but that a live input has counted a refusal.
        /// - Throws: as `append`, but for a cancelled task.
        public func appendImmediately(_ sample: SampleBuffer) throws(MediaError) -> Bool { try input.append(sample) }

        /// Nothing more comes. Idempotent; a suspended `append` throws.
        public func finish() { input.markAsFinished() }
    }
}

extension AssetWriter {
    /// Adds an input and gives the receiver that feeds it.
    ///
    /// - Throws: as `add`; `invalidState` when the input has a receiver or an adaptor.
    public func inputReceiver(
        for input: AssetWriterInput
    ) throws(MediaError) -> AssetWriterInput.SampleBufferReceiver {
        let receiver = try AssetWriterInput.SampleBufferReceiver(input)
        try add(bound: input)
        return receiver
    }

    /// Adds a video input and gives the receiver that feeds it pictures from its own pool.
    ///
    /// - Parameter pixelFormat: the layout of the pool's pictures.
    /// - Throws: as `add` and `PixelBufferAdaptor`.
    public func inputPixelBufferReceiver(
        for input: AssetWriterInput, pixelFormat: PixelFormat = .nv12
    ) throws(MediaError) -> AssetWriterInput.PixelBufferReceiver {
        try inputPixelBufferReceiver(for: input, attributes: .init(pixelFormat: pixelFormat))
    }

    /// Adds a video input and gives the receiver that feeds it pictures from its own pool.
    ///
    /// - Parameter attributes: of the pool's pictures.
    /// - Throws: as `add` and `PixelBufferAdaptor`.
    public func inputPixelBufferReceiver(
        for input: AssetWriterInput, attributes: PixelBufferAdaptor.Attributes
    ) throws(MediaError) -> AssetWriterInput.PixelBufferReceiver {
        let receiver = try AssetWriterInput.PixelBufferReceiver(input, attributes)
        try add(bound: input)
        return receiver
    }

    /// An input that is not taken is free for another try.
    private func add(bound input: AssetWriterInput) throws(MediaError) {
        do throws(MediaError) {
            try add(input)
        } catch {
            input.feed.unbind()
            throw error
        }
    }
}
