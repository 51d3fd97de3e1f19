import AVFoundation

/// The settings that keep the size and the shape of a track's frames, of listing 15.
struct SourceFormat {
    private let size: CGSize
    private var shape: [String: Any] = [:]

    init(_ track: AVAssetTrack) {
        guard let first = track.formatDescriptions.first else {
            size = track.naturalSize
            return
        }
        let description = first as! CMFormatDescription
        size = CMVideoFormatDescriptionGetPresentationDimensions(
            description, usePixelAspectRatio: false, useCleanAperture: false)
        let aperture = CMFormatDescriptionGetExtension(
            description, extensionKey: kCMFormatDescriptionExtension_CleanAperture)
        if let aperture = aperture as? [String: Any] {
            shape[AVVideoCleanApertureKey] = Self.settings(
                aperture,
                [
                    AVVideoCleanApertureWidthKey: kCMFormatDescriptionKey_CleanApertureWidth as String,
                    AVVideoCleanApertureHeightKey: kCMFormatDescriptionKey_CleanApertureHeight as String,
                    AVVideoCleanApertureHorizontalOffsetKey:
                        kCMFormatDescriptionKey_CleanApertureHorizontalOffset as String,
                    AVVideoCleanApertureVerticalOffsetKey:
                        kCMFormatDescriptionKey_CleanApertureVerticalOffset as String,
                ])
        }
        let ratio = CMFormatDescriptionGetExtension(
            description, extensionKey: kCMFormatDescriptionExtension_PixelAspectRatio)
        if let ratio = ratio as? [String: Any] {
            shape[AVVideoPixelAspectRatioKey] = Self.settings(
                ratio,
                [
                    AVVideoPixelAspectRatioHorizontalSpacingKey:
                        kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing as String,
                    AVVideoPixelAspectRatioVerticalSpacingKey:
                        kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing as String,
                ])
        }
    }

    /// The values of a description under the keys of settings.
    private static func settings(_ values: [String: Any], _ names: [String: String]) -> [String: Any] {
        names.compactMapValues { values[$0] }
    }

    var videoSettings: [String: Any] {
        var settings: [String: Any] = [
            AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: NSNumber(value: Double(size.width)),
            AVVideoHeightKey: NSNumber(value: Double(size.height)),
        ]
        // Many programs, this one included, put the shape among the properties of the encoder.
        if !shape.isEmpty { settings[AVVideoCompressionPropertiesKey] = shape }
        return settings
    }
}
