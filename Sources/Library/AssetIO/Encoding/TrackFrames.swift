import MediaCodecs
import MediaTypes

/// Converts a track's frames to the track's size and colors, for its encoder. JPEG is decoded first.
///
/// Usually a frame matches already, and is returned unchanged at no cost. Only one thread at a time may call.
final class TrackFrames {
    private let fitter: FrameFitter
    private let hint: VideoFormat?
    private var decoder: (jpeg: JPEGDecoder, size: FrameSize)?

    /// - Parameters:
    ///   - width, height: the size of the stored frames.
    ///   - color: the color tags of the stored frames.
    ///   - bitDepth: the bit depth of the stored frames.
    init(
        _ settings: VideoSettings, hint: VideoFormat?, width: Int, height: Int, color: ColorDescription, bitDepth: Int
    ) {
        self.hint = hint
        fitter = FrameFitter(
            FrameGeometry(width: width, height: height, pixelAspectRatio: settings.pixelAspectRatio),
            mode: settings.scalingMode ?? .resize, color: color, bitDepth: bitDepth)
    }

    /// The number of times that memory for frames was allocated from the system, not counting JPEG. It is constant once
    /// the pipeline runs.
    var allocationCount: Int { fitter.allocationCount }

    /// Returns the frame for the encoder.
    ///
    /// - Throws: `corruptData`, `invalidSample`, and `unsupported` for a compressed frame other than JPEG.
    func frame(of sample: SampleBuffer) throws(MediaError) -> PixelBuffer {
        let format = sample.format.video
        let frame: PixelBuffer
        switch sample.content {
        case .pixels(let buffer): frame = buffer
        case .data(let data): frame = try decode(data, format)
        }
        // A pixel buffer alone states neither pixel aspect ratio nor clean aperture.
        let says = format.map { $0.pixelAspectRatio != .one || $0.cleanAperture != nil } ?? false
        let isAsHinted = hint.map { $0.width == frame.width && $0.height == frame.height } ?? false
        let shape = says ? format : isAsHinted ? hint : nil
        return try fitter.fit(
            frame, pixelAspectRatio: shape?.pixelAspectRatio ?? .one, cleanAperture: shape?.cleanAperture)
    }

    private func decode(_ data: MediaData, _ format: VideoFormat?) throws(MediaError) -> PixelBuffer {
        guard let format, format.codec == .mjpeg else {
            throw MediaError(
                .unsupported, "cannot encode a compressed frame",
                reason: "its codec is \(format?.codec.rawValue ?? "unknown"), and only JPEG is decoded here")
        }
        let size = FrameSize(format.width, format.height)
        if let decoder, decoder.size == size { return try decoder.jpeg.decode(data.bytes) }
        let jpeg = try JPEGDecoder(width: size.width, height: size.height)
        decoder = (jpeg, size)
        return try jpeg.decode(data.bytes)
    }
}

extension TrackFrames {
    /// Returns the size of the stored frames; nil if neither settings nor hint specify it.
    static func size(_ settings: VideoSettings, hint: VideoFormat?) -> (width: Int?, height: Int?) {
        let (width, height) = (settings.width ?? hint?.width, settings.height ?? hint?.height)
        guard settings.scalingMode == .fit, let hint, let width, let height, width > 0, height > 0 else {
            return (width, height)
        }
        let source = FrameGeometry(
            width: hint.width, height: hint.height, pixelAspectRatio: hint.pixelAspectRatio,
            cleanAperture: hint.cleanAperture)
        let size = source.size(
            fitting: FrameGeometry(width: width, height: height, pixelAspectRatio: settings.pixelAspectRatio))
        return (size.width, size.height)
    }

    /// Returns the color tags of the stored values, which may differ from those of the source.
    static func color(_ settings: VideoSettings, hint: VideoFormat?) -> ColorDescription {
        if let color = settings.color { return color }
        guard let hint else { return ColorDescription() }
        if hint.codec == .mjpeg { return JPEGDecoder.color }
        if hint.pixelFormat?.isRGB == true || hint.color.matrix == 0 { return hint.color.ofConvertedRGB }
        var color = hint.color
        // Players would assume that the smaller frame has a different color standard than its source.
        if color.matrix == 2, let height = size(settings, hint: hint).height, (hint.height >= 720) != (height >= 720) {
            color.matrix = hint.height >= 720 ? 1 : 6
        }
        return color
    }
}
