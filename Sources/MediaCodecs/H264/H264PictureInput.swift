package import MediaTypes

/// Brings the pictures of a track into a layout that x264 takes as it is: NV12 or I420 for eight bits, I010 for ten.
///
/// Full range is brought to limited where the track is limited. One thread at a time calls it.
package struct H264PictureInput {
    private let width: Int
    private let height: Int
    private let bitDepth: Int
    private let range: PixelConverter.Range
    private let converter = PixelConverter()

    /// - Parameters:
    ///   - bitDepth: of the result, 8 or 10.
    ///   - keepsFullRange: leaves pictures that say they are of full range as they are.
    package init(width: Int, height: Int, bitDepth: Int = 8, keepsFullRange: Bool = true) {
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
        let result = try converter.convert(source, to: layout(for: source.format), range: range)
        // x264 trusts its input. Whatever was converted fits.
        return result.format == .i010 && result.data === source.data ? converter.cutToTenBits(result) : result
    }

    private func layout(for format: PixelFormat) -> PixelFormat {
        if bitDepth > 8 { return .i010 }
        return format == .i420 || format == .i010 ? .i420 : .nv12
    }
}
