import Foundation
import MediaCodecs
import MediaTypes

extension FrameGeometry {
    init(_ format: VideoFormat) {
        self.init(
            width: format.width, height: format.height, pixelAspectRatio: format.pixelAspectRatio,
            cleanAperture: format.cleanAperture)
    }

    /// The size of the visible part in square pixels.
    var displaySize: CGSize {
        let (part, ratio) = (visible, pixelAspectRatio)
        let aspect = Double(max(1, ratio.numerator)) / Double(max(1, ratio.denominator))
        return CGSize(width: max(1, (Double(part.width) * aspect).rounded()), height: Double(max(1, part.height)))
    }
}
