package import MediaTypes

/// Converts a track's frames to a layout that its encoder accepts. For x264, these are NV12 and I420 with eight bits,
/// and I010 with ten bits. Other encoders require a certain layout.
///
/// Full range is converted to limited range if the track has limited range. Called by one thread at a time.
package struct EncoderFrameInput {
    private let width: Int
    private let height: Int
    private let bitDepth: Int
    private let layout: PixelFormat?
    private let range: PixelConverter.Range
    private let converter: PixelConverter

    /// - Parameters:
    ///   - bitDepth: the bit depth of the result, 8 or 10.
    ///   - keepsFullRange: true to keep the range of full-range frames.
    ///   - layout: the layout of the result; nil means the nearest layout that x264 accepts.
    ///   - isInterlaced: true if frames consist of two fields.
    package init(
        width: Int, height: Int, bitDepth: Int = 8, keepsFullRange: Bool = true, layout: PixelFormat? = nil,
        isInterlaced: Bool = false
    ) {
        converter = PixelConverter(isInterlaced: isInterlaced)
        self.layout = layout
        range = keepsFullRange ? .kept : .limited
        self.width = width
        self.height = height
        self.bitDepth = bitDepth
    }

    /// The number of allocations from the system. It stays constant once the pipeline runs.
    package var allocationCount: Int { converter.allocationCount }

    /// - Returns: the same frame if the encoder accepts it.
    /// - Throws: `invalidSample` if the frame has a different size, or if its rows are too short.
    package func convert(_ source: PixelBuffer) throws(MediaError) -> PixelBuffer {
        guard source.width == width, source.height == height else {
            throw MediaError(
                .invalidSample, "cannot convert a frame of \(source.width)×\(source.height)",
                reason: "the track is \(width)×\(height)")
        }
        try converter.requireWhole(source.layout)
        let result = try converter.convert(source, to: layout ?? nearest(to: source.format), range: range)
        // Encoders do not check their input, so values above ten bits are limited. A converted frame never has such
        // values.
        return result.format.hasTenLowBits && result.data === source.data ? converter.cutToTenBits(result) : result
    }

    private func nearest(to format: PixelFormat) -> PixelFormat {
        if bitDepth > 8 { return .i010 }
        return format == .i420 || format == .i010 ? .i420 : .nv12
    }
}
