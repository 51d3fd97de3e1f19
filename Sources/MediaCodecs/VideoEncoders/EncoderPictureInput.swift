package import MediaTypes

/// Brings the pictures of a track into a layout that its encoder takes as it is: for x264 NV12 or I420 with eight bits, I010
/// with ten; for others the one that they name.
///
/// Full range is brought to limited where the track is limited. One thread at a time calls it.
package struct EncoderPictureInput {
    private let width: Int
    private let height: Int
    private let bitDepth: Int
    private let layout: PixelFormat?
    private let range: PixelConverter.Range
    private let converter = PixelConverter()

    /// - Parameters:
    ///   - bitDepth: of the result, 8 or 10.
    ///   - keepsFullRange: leaves pictures that say they are of full range as they are.
    ///   - layout: of the result; nil: the nearest of x264's.
    package init(
        width: Int, height: Int, bitDepth: Int = 8, keepsFullRange: Bool = true, layout: PixelFormat? = nil
    ) {
        self.layout = layout
        range = keepsFullRange ? .kept : .limited
        self.width = width
        self.height = height
        self.bitDepth = bitDepth
    }

    /// How many times memory was taken from the system: flat once the pipeline runs.
    package var allocationCount: Int { converter.allocationCount }

    /// - Returns: the picture itself when it fits already.
    /// - Throws: `invalidSample` when the picture has another size, or rows too short for it.
    package func convert(_ source: PixelBuffer) throws(MediaError) -> PixelBuffer {
        guard source.width == width, source.height == height else {
            throw MediaError(
                .invalidSample, "cannot convert a picture of \(source.width)×\(source.height)",
                reason: "the track is \(width)×\(height)")
        }
        try converter.requireWhole(source.layout)
        let result = try converter.convert(source, to: layout ?? nearest(to: source.format), range: range)
        // Encoders trust their input. Whatever was converted fits.
        return result.format.hasTenLowBits && result.data === source.data ? converter.cutToTenBits(result) : result
    }

    private func nearest(to format: PixelFormat) -> PixelFormat {
        if bitDepth > 8 { return .i010 }
        return format == .i420 || format == .i010 ? .i420 : .nv12
    }
}
