import Foundation
import MediaCodecs
import MediaTypes

/// What a frame generator keeps from one picture to the next: files, decoders, and the memory of pictures.
final class StillWorker: @unchecked Sendable {
    // Unchecked: used on the generator's queue alone.
    private let track: AssetTrack
    private let finder: PictureFinder
    private let scaler = PictureScaler()
    private let rotator = PictureRotator()
    private let converter = PixelConverter()

    init(asset: Asset, track: AssetTrack) {
        self.track = track
        finder = PictureFinder(asset: asset, track: track)
    }

    func picture(
        at time: MediaTime, _ settings: FrameGenerator.Settings, isCancelled: () -> Bool
    ) throws(MediaError) -> (PixelBuffer, MediaTime) {
        let sample = try finder.picture(
            at: time, toleranceBefore: settings.toleranceBefore, toleranceAfter: settings.toleranceAfter,
            isCancelled: isCancelled)
        guard case .pixels(let decoded) = sample.content else {
            throw MediaError(.codecFailure, "cannot make a picture", reason: "the decoder gave none")
        }
        // A small picture must not be taken for one of another standard than the large one it came from.
        var picture = decoded.withNamedMatrix
        let orientation = settings.appliesPreferredTrackTransform ? orientation : .upright
        let shape = StillShape(
            width: picture.width, height: picture.height,
            pixelAspectRatio: track.formatDescription?.video?.pixelAspectRatio ?? .one,
            swapsSides: orientation.swapsSides, maximumSize: settings.maximumSize)
        picture = try scaler.scale(picture, width: shape.width, height: shape.height)
        picture = try rotator.turn(picture, orientation)
        if let format = settings.pixelFormat { picture = try converter.convert(picture, to: format) }
        return (picture, max(.zero, sample.presentationTime))
    }

    /// Other turns than by quarters are left to a video composition.
    private var orientation: PictureOrientation { PictureOrientation(track.preferredTransform) ?? .upright }
}

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
        func length(_ shown: Double) -> Int { min(max(1, Int(clamping: (shown * factor).rounded())), 32_767) }
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
