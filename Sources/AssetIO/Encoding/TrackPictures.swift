import MediaCodecs
import MediaTypes

/// The pictures of a track in its size and its colours, for its encoder: JPEG is decoded, and what is unlike the track is made
/// like it.
///
/// The usual picture is so already and passes at no cost. One thread at a time calls it.
final class TrackPictures {
    private let fitter: PictureFitter
    private let hint: VideoFormat?
    private var decoder: (jpeg: JPEGDecoder, size: FrameSize)?

    /// - Parameters:
    ///   - width, height: of the stored pictures.
    ///   - color: what their numbers mean.
    ///   - bitDepth: of the stored pictures.
    init(
        _ settings: VideoSettings, hint: VideoFormat?, width: Int, height: Int, color: ColorDescription, bitDepth: Int
    ) {
        self.hint = hint
        fitter = PictureFitter(
            PictureGeometry(width: width, height: height, pixelAspectRatio: settings.pixelAspectRatio),
            mode: settings.scalingMode ?? .resize, color: color, bitDepth: bitDepth)
    }

    /// How many times memory for pictures was taken from the system, but for JPEG: flat once the pipeline runs.
    var allocationCount: Int { fitter.allocationCount }

    /// - Throws: `corruptData`, `invalidSample`, and `unsupported` for a compressed picture other than JPEG.
    func picture(of sample: SampleBuffer) throws(MediaError) -> PixelBuffer {
        let format = sample.format.video
        let picture: PixelBuffer
        switch sample.content {
        case .pixels(let buffer): picture = buffer
        case .data(let data): picture = try decode(data, format)
        }
        // A buffer of pixels alone says nothing of its shape.
        let says = format.map { $0.pixelAspectRatio != .one || $0.cleanAperture != nil } ?? false
        let isAsHinted = hint.map { $0.width == picture.width && $0.height == picture.height } ?? false
        let shape = says ? format : isAsHinted ? hint : nil
        return try fitter.fit(
            picture, pixelAspectRatio: shape?.pixelAspectRatio ?? .one, cleanAperture: shape?.cleanAperture)
    }

    private func decode(_ data: MediaData, _ format: VideoFormat?) throws(MediaError) -> PixelBuffer {
        guard let format, format.codec == .mjpeg else {
            throw MediaError(
                .unsupported, "cannot encode a compressed picture",
                reason: "it is \(format?.codec.rawValue ?? "no picture"), and only JPEG is decoded here")
        }
        let size = FrameSize(format.width, format.height)
        if let decoder, decoder.size == size { return try decoder.jpeg.decode(data.bytes) }
        let jpeg = try JPEGDecoder(width: size.width, height: size.height)
        decoder = (jpeg, size)
        return try jpeg.decode(data.bytes)
    }
}

extension TrackPictures {
    /// The size to store pictures in; nil for what neither settings nor hint say.
    static func size(_ settings: VideoSettings, hint: VideoFormat?) -> (width: Int?, height: Int?) {
        let (width, height) = (settings.width ?? hint?.width, settings.height ?? hint?.height)
        guard settings.scalingMode == .fit, let hint, let width, let height, width > 0, height > 0 else {
            return (width, height)
        }
        let source = PictureGeometry(
            width: hint.width, height: hint.height, pixelAspectRatio: hint.pixelAspectRatio,
            cleanAperture: hint.cleanAperture)
        let size = source.size(
            fitting: PictureGeometry(width: width, height: height, pixelAspectRatio: settings.pixelAspectRatio))
        return (size.width, size.height)
    }

    /// What the stored numbers mean, not what they were made of.
    static func color(_ settings: VideoSettings, hint: VideoFormat?) -> ColorDescription {
        if let color = settings.color { return color }
        guard let hint else { return ColorDescription() }
        if hint.codec == .mjpeg { return JPEGDecoder.color }
        if hint.pixelFormat?.isRGB == true || hint.color.matrix == 0 { return hint.color.ofConvertedRGB }
        var color = hint.color
        // Players would take the smaller picture for one of another standard than its source.
        if color.matrix == 2, let height = size(settings, hint: hint).height, (hint.height >= 720) != (height >= 720) {
            color.matrix = hint.height >= 720 ? 1 : 6
        }
        return color
    }
}
