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
    private let converter = PixelFormatConverter()

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
