import MediaCodecs
import MediaTypes

/// Converts a camera's frames to the form that the delegate wants, on the delegate's queue.
///
/// A frame that already has this form is returned unchanged, in the driver's memory. Called by one thread at a time.
final class FramePreparer {
    private let settings: FrameSettings
    private let converter = PixelConverter()
    private let scaler = FrameScaler()
    private let rotator = FrameRotator()
    private var decoder: JPEGDecoder?
    private var decodedSize: FrameSize?

    init(_ settings: FrameSettings) { self.settings = settings }

    /// - Parameter orientation: The orientation of the result. The size in the settings is that of the result. Packets
    ///   that are not decoded are returned unchanged.
    /// - Throws: `corruptData` for a JPEG that cannot be decoded, `invalidSample` for a frame that cannot be converted.
    func prepare(
        _ sample: SampleBuffer, _ orientation: FrameOrientation = .upright
    ) throws(MediaError) -> SampleBuffer {
        let source: PixelBuffer
        switch sample.content {
        case .pixels(let pixels): source = pixels
        case .data(let data):
            // An H.264 packet needs the frames before it, so it is not decoded here.
            guard !settings.isNative, let video = sample.format.video, video.codec == .mjpeg else { return sample }
            source = try decode(data, FrameSize(video.width, video.height))
        }
        var frame = source
        if let size = settings.size {
            let (width, height) = orientation.swapsSides ? (size.height, size.width) : (size.width, size.height)
            frame = try scaler.scale(frame, width: width, height: height)
        }
        if let format = settings.format {
            frame = try converter.convert(frame, to: format, range: settings.isLimited ? .limited : .kept)
        }
        // The rotation comes last: most formats that a delegate wants can be rotated directly, but a camera's 4:2:2
        // cannot.
        frame = try rotator.turn(frame, orientation)
        if case .pixels = sample.content, frame.data === source.data { return sample }
        return SampleBuffer(
            pixels: frame, presentationTime: sample.presentationTime, duration: sample.duration)
    }

    private func decode(_ data: MediaData, _ size: FrameSize) throws(MediaError) -> PixelBuffer {
        if let decoder, decodedSize == size { return try decoder.decode(data.bytes) }
        let fresh = try JPEGDecoder(width: size.width, height: size.height)
        (decoder, decodedSize) = (fresh, size)
        return try fresh.decode(data.bytes)
    }
}
