import MediaCodecs
public import MediaTypes

/// Feeds a video input with frames and their timestamps, and lends the memory for them.
public final class PixelBufferAdaptor: Sendable {
    /// The properties of the pool's frames. Modeled on AVFoundation's `sourcePixelBufferAttributes`.
    public struct Attributes: Sendable, Hashable {
        public var pixelFormat: PixelFormat
        /// The width in pixels; nil for the width in the input's hint or settings. Frames are scaled if the settings
        /// state a different size.
        public var width: Int?
        public var height: Int?
        /// The alignment of rows in bytes: a power of two up to 4096.
        public var bytesPerRowAlignment: Int

        public init(
            pixelFormat: PixelFormat = .nv12, width: Int? = nil, height: Int? = nil, bytesPerRowAlignment: Int = 64
        ) {
            self.pixelFormat = pixelFormat
            self.width = width
            self.height = height
            self.bytesPerRowAlignment = bytesPerRowAlignment
        }
    }

    public let input: AssetWriterInput
    /// The pool that provides the memory for frames. A frame's memory returns to the pool once the frame is encoded.
    public let pixelBufferPool: PixelBufferPool

    /// Creates an adaptor for a pixel format.
    ///
    /// - Parameters:
    ///   - input: an input that encodes video. It must not have started, and must have no adaptor or receiver.
    ///   - pixelFormat: the layout of the pool's frames; their size is that of the input's hint or settings.
    /// - Throws: `invalidSettings` for an input of a different kind, `invalidState` for one that is bound already.
    public convenience init(input: AssetWriterInput, pixelFormat: PixelFormat = .nv12) throws(MediaError) {
        try self.init(input, Attributes(pixelFormat: pixelFormat), as: "a pixel buffer adaptor")
    }

    /// Creates an adaptor for the given attributes.
    ///
    /// - Parameters:
    ///   - input: an input that encodes video. It must not have started, and must have no adaptor or receiver.
    ///   - attributes: the attributes of the pool's frames.
    /// - Throws: `invalidSettings` for an input of a different kind and for impossible attributes, `invalidState` for
    ///   an input that is bound already.
    public convenience init(input: AssetWriterInput, attributes: Attributes) throws(MediaError) {
        try self.init(input, attributes, as: "a pixel buffer adaptor")
    }

    init(_ input: AssetWriterInput, _ attributes: Attributes, as kind: String) throws(MediaError) {
        let action = "cannot create \(kind)"
        guard input.mediaType == .video else {
            throw MediaError(.invalidSettings, action, reason: "the input is for \(input.mediaType), not video")
        }
        let hint = input.sourceFormatHint?.video
        var settings = VideoSettings()
        if case .video(let given) = input.outputSettings {
            settings = given
        } else if hint?.pixelFormat != attributes.pixelFormat {
            throw MediaError(
                .invalidSettings, action, reason: "the input stores samples unchanged",
                wayOut: "give it outputSettings, or a sourceFormatHint of raw frames in the pool's pixel format")
        }
        guard let width = attributes.width ?? hint?.width ?? settings.width,
            let height = attributes.height ?? hint?.height ?? settings.height
        else { throw MediaError(.invalidSettings, action, reason: "no frame size was given") }
        let lengths = 1...FrameScaler.greatestLength
        guard lengths.contains(width), lengths.contains(height) else {
            throw MediaError(
                .invalidSettings, action,
                reason: "width and height of \(width)×\(height) are not between 1 and \(lengths.upperBound)")
        }
        let alignment = attributes.bytesPerRowAlignment
        guard (1...4096).contains(alignment), alignment.nonzeroBitCount == 1 else {
            throw MediaError(
                .invalidSettings, action,
                reason: "bytesPerRowAlignment of \(alignment) is not a power of two from 1 to 4096")
        }
        guard input.path == nil else {
            throw MediaError(.invalidState, action, reason: "writing has started already")
        }
        try input.feed.bind(kind)
        self.input = input
        pixelBufferPool = PixelBufferPool(
            layout: PixelLayout(
                format: attributes.pixelFormat, width: width, height: height, alignment: alignment),
            color: Self.color(attributes.pixelFormat, hint?.color ?? settings.color ?? ColorDescription()))
    }

    /// Returns color tags that fit the format: RGB has the identity matrix, and luma and chroma never have it.
    private static func color(_ format: PixelFormat, _ color: ColorDescription) -> ColorDescription {
        var color = color
        if format.isRGB { (color.matrix, color.isFullRange) = (0, true) } else if color.matrix == 0 { color.matrix = 2 }
        return color
    }

    /// Appends a frame as `AssetWriterInput.append` does. The frame need not come from the pool, and may have any size
    /// and layout. A frame that differs from the stored form is converted, and scaled as `VideoSettings.scalingMode`
    /// states.
    @discardableResult
    public func append(_ pixels: PixelBuffer, at time: MediaTime) throws(MediaError) -> Bool {
        try input.append(sample(pixels, at: time))
    }

    func sample(_ pixels: PixelBuffer, at time: MediaTime) -> SampleBuffer {
        SampleBuffer(pixels: pixels, presentationTime: time)
    }
}

extension AssetWriterInput {
    /// The modern form of `PixelBufferAdaptor`: `append` suspends. Created by
    /// `AssetWriter.inputPixelBufferReceiver(for:)`.
    public final class PixelBufferReceiver: Sendable {
        private let adaptor: PixelBufferAdaptor
        public var input: AssetWriterInput { adaptor.input }
        /// The pool that provides the memory for frames.
        public var pixelBufferPool: PixelBufferPool { adaptor.pixelBufferPool }

        init(_ input: AssetWriterInput, _ attributes: PixelBufferAdaptor.Attributes) throws(MediaError) {
            adaptor = try PixelBufferAdaptor(input, attributes, as: "a pixel buffer receiver")
        }

        /// Suspends until the input is ready, then appends as `PixelBufferAdaptor.append` does.
        ///
        /// - Throws: the errors of `SampleBufferReceiver.append`.
        public func append(_ pixels: PixelBuffer, with time: MediaTime) async throws(MediaError) {
            try await input.appendWhenReady(adaptor.sample(pixels, at: time))
        }

        /// Appends without waiting. Returns false if the input was not ready.
        public func appendImmediately(_ pixels: PixelBuffer, with time: MediaTime) throws(MediaError) -> Bool {
            try adaptor.append(pixels, at: time)
        }

        /// Ends the input. Idempotent.
        public func finish() { input.markAsFinished() }
    }
}
