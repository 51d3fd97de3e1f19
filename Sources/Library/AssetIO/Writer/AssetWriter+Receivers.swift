public import MediaTypes

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

    /// Adds an input that is bound to a receiver. If the writer refuses it, the input is unbound and can be tried
    /// again.
    private func add(bound input: AssetWriterInput) throws(MediaError) {
        do throws(MediaError) {
            try add(input)
        } catch {
            input.feed.unbind()
            throw error
        }
    }
}
