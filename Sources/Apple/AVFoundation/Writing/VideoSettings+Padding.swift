import Foundation
import MediaTypes

extension VideoSettings {
    /// Returns the settings for frames with an odd width or height. If the codec stores only even sizes, the track gets
    /// one more column or row, and its clean aperture is the requested size.
    ///
    /// - Parameter hint: a format that provides the size if the settings do not contain it.
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
    /// The size of the clean aperture with square pixels.
    var shownSize: CGSize? {
        cleanAperture.map { aperture in
            let shape = Double(pixelAspectRatio.numerator) / Double(max(1, pixelAspectRatio.denominator))
            return CGSize(width: Double(aperture.width) * shape, height: Double(aperture.height))
        }
    }
}
