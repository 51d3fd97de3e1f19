public import MediaTypes

/// Feeds a video input with pictures and their times, and lends the memory for them.
public final class PixelBufferAdaptor: Sendable {
    public let input: AssetWriterInput
    /// Where the pictures' memory comes from; it goes back by itself once they are encoded.
    public let pixelBufferPool: PixelBufferPool

    /// - Parameters:
    ///   - input: encodes video; not started, and without an adaptor or receiver.
    ///   - pixelFormat: the layout of the pool's pictures; their size is that of the input's hint or settings.
    /// - Throws: `invalidSettings` for an input of another kind, `invalidState` for one that is bound already.
    public convenience init(input: AssetWriterInput, pixelFormat: PixelFormat = .nv12) throws(MediaError) {
        try self.init(input, pixelFormat: pixelFormat, as: "a pixel buffer adaptor")
    }

    init(_ input: AssetWriterInput, pixelFormat: PixelFormat, as kind: String) throws(MediaError) {
        let action = "cannot make \(kind)"
        guard input.mediaType == .video else {
            throw MediaError(.invalidSettings, action, reason: "the input is for \(input.mediaType), not video")
        }
        guard case .video(let settings) = input.outputSettings else {
            throw MediaError(
                .invalidSettings, action, reason: "the input stores packets as they come",
                wayOut: "give it settings, so that it encodes")
        }
        let hint = input.sourceFormatHint?.video
        guard let width = hint?.width ?? settings.width, let height = hint?.height ?? settings.height,
            (1...32_768).contains(width), (1...32_768).contains(height)
        else { throw MediaError(.invalidSettings, action, reason: "the input has no size that a picture can have") }
        if let expected = hint?.pixelFormat, expected != pixelFormat {
            throw MediaError(
                .invalidSettings, action,
                reason: "its pictures are \(pixelFormat.rawValue), the input's hint says \(expected.rawValue)")
        }
        guard input.track == nil else {
            throw MediaError(.invalidState, action, reason: "writing has started already")
        }
        try input.feed.bind(kind)
        self.input = input
        pixelBufferPool = PixelBufferPool(
            layout: PixelLayout(format: pixelFormat, width: width, height: height, alignment: 64),
            color: hint?.color ?? settings.color ?? ColorDescription())
    }

    /// Appends a picture, from the pool or not, as `AssetWriterInput.append` does.
    ///
    /// - Throws: also `invalidSample` for another size or layout than the pool's.
    @discardableResult
    public func append(_ pixels: PixelBuffer, at time: MediaTime) throws(MediaError) -> Bool {
        try input.append(sample(pixels, at: time))
    }

    func sample(_ pixels: PixelBuffer, at time: MediaTime) throws(MediaError) -> SampleBuffer {
        let layout = pixelBufferPool.layout
        guard pixels.format == layout.format, pixels.width == layout.width, pixels.height == layout.height else {
            let given = "\(pixels.format.rawValue) \(pixels.width)×\(pixels.height)"
            throw MediaError(
                .invalidSample, "cannot append a picture",
                reason: "it is \(given), the pool's are \(layout.format.rawValue) \(layout.width)×\(layout.height)")
        }
        return SampleBuffer(pixels: pixels, presentationTime: time)
    }
}

extension AssetWriterInput {
    /// The modern form of `PixelBufferAdaptor`: `append` suspends. From `AssetWriter.inputPixelBufferReceiver(for:)`.
    public final class PixelBufferReceiver: Sendable {
        private let adaptor: PixelBufferAdaptor
        public var input: AssetWriterInput { adaptor.input }
        /// Where the pictures' memory comes from.
        public var pixelBufferPool: PixelBufferPool { adaptor.pixelBufferPool }

        init(_ input: AssetWriterInput, pixelFormat: PixelFormat) throws(MediaError) {
            adaptor = try PixelBufferAdaptor(input, pixelFormat: pixelFormat, as: "a pixel buffer receiver")
        }

        /// Suspends until the input is ready, then appends.
        ///
        /// - Throws: as `SampleBufferReceiver.append`, and `invalidSample` for another size or layout than the pool's.
        public func append(_ pixels: PixelBuffer, with time: MediaTime) async throws(MediaError) {
            try await input.appendWhenReady(adaptor.sample(pixels, at: time))
        }

        /// Appends at once; false when the input was not ready.
        public func appendImmediately(_ pixels: PixelBuffer, with time: MediaTime) throws(MediaError) -> Bool {
            try adaptor.append(pixels, at: time)
        }

        /// Nothing more comes. Idempotent.
        public func finish() { input.markAsFinished() }
    }
}
