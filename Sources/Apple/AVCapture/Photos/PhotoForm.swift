import AVFoundation
import MediaCodecs
import MediaTypes

/// The form of a photo, which is read from the dictionary of its settings. A plain value.
struct PhotoForm: Sendable, Equatable {
    /// The quality of a JPEG file, 1 to 100; nil for a frame in a pixel format.
    let jpegQuality: Int?
    let frames: FrameSettings

    /// The pixel formats of photos that are not JPEG.
    static let pixelFormats: [OSType] = [
        kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr8Planar,
        kCVPixelFormatType_422YpCbCr8, kCVPixelFormatType_32BGRA,
    ]

    /// - Throws: `invalidSettings` for a codec other than JPEG, an invalid quality, or an unsupported pixel format.
    init(_ format: [String: Any]?) throws(MediaError) {
        var words = format ?? [:]
        let codec = words.removeValue(forKey: AVVideoCodecKey)
        if let codec {
            let name = (codec as? AVVideoCodecType)?.rawValue ?? codec as? String
            guard name == AVVideoCodecType.jpeg.rawValue else {
                throw Self.fault("the codec can only be JPEG", wayOut: "use AVVideoCodecType.jpeg, or a pixel format")
            }
        }
        let compression = words.removeValue(forKey: AVVideoCompressionPropertiesKey) as? [String: Any]
        let quality = words.removeValue(forKey: AVVideoQualityKey) ?? compression?[AVVideoQualityKey]
        jpegQuality = try codec != nil || words.isEmpty ? Self.percent(quality) : nil
        // Frames are always raw here: a camera's own JPEG may lack the tables that a file needs (ITU-T T.81, B.5).
        frames = try FrameSettings(words.isEmpty ? nil : words)
    }

    /// Returns the quality as a percentage; 90 if none was set.
    private static func percent(_ quality: Any?) throws(MediaError) -> Int {
        guard let quality else { return 90 }
        guard let number = settingsNumber(quality)?.double, (0...1).contains(number) else {
            throw fault("the quality is not between 0 and 1", wayOut: "set \(AVVideoQualityKey) to 0.9, for example")
        }
        // in range: 0 to 100
        return max(1, Int((number * 100).rounded()))
    }

    private static func fault(_ reason: String, wayOut: String) -> MediaError {
        MediaError(.invalidSettings, "cannot capture a photo", reason: reason, wayOut: wayOut)
    }

    /// Returns a camera's frame as the raw frame of a photo, in an orientation.
    ///
    /// - Throws: `unsupported` for H.264, and the errors of `FramePreparer`.
    func prepare(_ frame: SampleBuffer, _ orientation: FrameOrientation) throws(MediaError) -> SampleBuffer {
        let photo = try FramePreparer(frames).prepare(frame, orientation)
        guard case .pixels = photo.content else {
            throw MediaError(
                .unsupported, "cannot capture a photo", reason: "the camera delivers H.264",
                wayOut: "set an active format with raw frames or JPEG")
        }
        return photo
    }

    /// Returns a JPEG file of a prepared frame; nil for a photo in a pixel format.
    func file(of photo: SampleBuffer) throws(MediaError) -> MediaData? {
        guard let jpegQuality, case .pixels(let pixels) = photo.content else { return nil }
        return try StillImageEncoder().encode(pixels, as: .jpeg, quality: jpegQuality)
    }
}
