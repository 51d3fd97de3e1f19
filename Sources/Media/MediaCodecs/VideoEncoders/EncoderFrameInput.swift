package import MediaTypes

/// Converts a track's frames to a layout that its encoder accepts. For x264 that is NV12 or I420 with eight bits, or
/// I010 with ten; other encoders require one layout.
///
/// Full range is converted to limited if the track is limited. Called by one thread at a time.
package struct EncoderFrameInput {
    private let width: Int
    private let height: Int
    private let bitDepth: Int
    private let layout: PixelFormat?
    private let range: PixelConverter.Range
    private let converter = PixelConverter()

    /// - Parameters:
    ///   - bitDepth: the bit depth of the result, 8 or 10.
    ///   - keepsFullRange: leaves full-range frames unchanged.
    ///   - layout: the layout of the result; nil means the nearest one that x264 accepts.
    package init(
        width: Int, height: Int, bitDepth: Int = 8, keepsFullRange: Bool = true, layout: PixelFormat? = nil
    ) {
        self.layout = layout
        range = keepsFullRange ? .kept : .limited
        self.width = width
        self.height = height
        self.bitDepth = bitDepth
    }

    /// The number of allocations from the system: constant once the pipeline runs.
    package var allocationCount: Int { converter.allocationCount }

    /// - Returns: the same frame if it fits already.
    /// - Throws: `invalidSample` if the frame has a different size, or rows too short for it.
    package func convert(_ source: PixelBuffer) throws(MediaError) -> PixelBuffer {
        guard source.width == width, source.height == height else {
            throw MediaError(
                .invalidSample, "cannot convert a frame of \(source.width)×\(source.height)",
                reason: "the track is \(width)×\(height)")
        }
        try converter.requireWhole(source.layout)
        let result = try converter.convert(source, to: layout ?? nearest(to: source.format), range: range)
        // Encoders do not check their input. A converted frame always fits.
        return result.format.hasTenLowBits && result.data === source.data ? converter.cutToTenBits(result) : result
    }

    private func nearest(to format: PixelFormat) -> PixelFormat {
        if bitDepth > 8 { return .i010 }
        return format == .i420 || format == .i010 ? .i420 : .nv12
    }
}
