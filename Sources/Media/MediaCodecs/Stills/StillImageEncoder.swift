package import MediaTypes

/// Encodes images: PNG with libavcodec and JPEG with TurboJPEG.
///
/// Images are converted to RGB with the matrix and the range in their color tags, because such files contain RGB.
/// Transparency is kept only if requested. Samples of more than eight bits are rounded to eight. Called by one thread
/// at a time.
package final class StillImageEncoder {
    private let converter = PixelConverter()
    private var png: StillImagePNG?
    private var jpeg: StillImageJPEG?

    package init() {}

    /// - Parameters:
    ///   - quality: the JPEG quality, 1 to 100; a value outside this range is replaced by the nearest one inside.
    ///   - keepsAlpha: true to store the image's alpha in a PNG. The image must have straight (not premultiplied)
    ///     alpha.
    /// - Returns: the complete file.
    /// - Throws: `invalidSample` for planes too small for the image, `codecFailure` for a size beyond the format's
    ///   limit.
    package func encode(
        _ image: PixelBuffer, as format: StillImageFormat, quality: Int = 90, keepsAlpha: Bool = false
    ) throws(MediaError) -> MediaData {
        let rgb = try converter.convert(image, to: .bgra)
        guard rgb.layout.holdsWholeFrame else {
            throw MediaError(
                .invalidSample, "cannot write an image", reason: "its plane is too small for its size")
        }
        switch format {
        case .png:
            let encoder: StillImagePNG
            if let png, png.width == rgb.width, png.height == rgb.height, png.hasAlpha == keepsAlpha {
                encoder = png
            } else {
                encoder = try StillImagePNG(width: rgb.width, height: rgb.height, hasAlpha: keepsAlpha)
                png = encoder
            }
            return try encoder.encode(rgb)
        case .jpeg:
            let encoder: StillImageJPEG
            if let jpeg { encoder = jpeg } else { encoder = try StillImageJPEG() }
            jpeg = encoder
            return try encoder.encode(rgb, quality: min(max(1, quality), 100), sampling: .init(image.format))
        }
    }
}
