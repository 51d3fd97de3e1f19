import Foundation
import MediaTypes

extension VideoSettings {
    /// The settings for frames of an odd size: the track has one more column or row where its codec stores even ones, and its
    /// clean aperture is what was asked for.
    ///
    /// - Parameter hint: says the size where the settings do not.
    func padded(hint: VideoFormat?) -> VideoSettings {
        guard let width = width ?? hint?.width, let height = height ?? hint?.height, width > 0, height > 0 else {
            return self
        }
        var padded = self
        if codec != .mjpeg { padded.width = width + width % 2 }
        if codec != .mjpeg, !isProRes { padded.height = height + height % 2 }
        guard padded.width ?? width != width || padded.height ?? height != height else { return self }
        if cleanAperture == nil { padded.cleanAperture = CleanAperture(width: Int32(width), height: Int32(height)) }
        return padded
    }
    /// Width and height of the clean aperture, its pixels made square.
    var shownSize: CGSize? {
        cleanAperture.map { aperture in
            let shape = Double(pixelAspectRatio.numerator) / Double(max(1, pixelAspectRatio.denominator))
            return CGSize(width: Double(aperture.width) * shape, height: Double(aperture.height))
        }
    }
}
