import Foundation
import MediaTypes

/// The size to which a stored picture is scaled, before it is turned.
struct StillShape: Equatable {
    let width: Int
    let height: Int

    /// - Parameters:
    ///   - pixelAspectRatio: of the stored pixels; those of the result are square.
    ///   - swapsSides: the picture will be laid on its side.
    ///   - maximumSize: of the turned picture; a side that is not above 0 sets no limit.
    init(width: Int, height: Int, pixelAspectRatio: Ratio, swapsSides: Bool, maximumSize: CGSize) {
        let aspect = Double(max(1, pixelAspectRatio.numerator)) / Double(max(1, pixelAspectRatio.denominator))
        // As `AssetTrack.presentationDimensions` has it.
        let (shownWidth, shownHeight) = (Double(width) * aspect, Double(height))
        let limits = swapsSides ? (maximumSize.height, maximumSize.width) : (maximumSize.width, maximumSize.height)
        var factor = 1.0
        if limits.0 > 0, limits.0.isFinite { factor = min(factor, Double(limits.0) / shownWidth) }
        if limits.1 > 0, limits.1.isFinite { factor = min(factor, Double(limits.1) / shownHeight) }
        func length(_ shown: Double) -> Int { min(max(1, Int((shown * factor).rounded())), 32_767) }
        (self.width, self.height) = (length(shownWidth), length(shownHeight))
    }
}

extension PixelBuffer {
    /// The same picture with the matrix that players take for one that names none: BT.709 from 720 rows on, else BT.601.
    var withNamedMatrix: PixelBuffer {
        guard color.matrix == 2 else { return self }
        var named = color
        named.matrix = height >= 720 ? 1 : 6
        return PixelBuffer(layout: layout, color: named, data: data)
    }
}
