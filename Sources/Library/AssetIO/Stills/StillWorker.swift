import Foundation
import MediaCodecs
import MediaTypes

/// The objects that a frame generator keeps from one image to the next: files, decoders, and the memory of frames.
final class StillWorker: @unchecked Sendable {
    // Unchecked: used only on the generator's queue.
    private let track: AssetTrack
    private let finder: FrameFinder
    private let scaler = FrameScaler()
    private let rotator = FrameRotator()
    private let converter = PixelConverter()

    init(asset: Asset, track: AssetTrack) {
        self.track = track
        finder = FrameFinder(asset: asset, track: track)
    }

    func frame(
        at time: MediaTime, _ settings: FrameGenerator.Settings, isCancelled: () -> Bool
    ) throws(MediaError) -> (PixelBuffer, MediaTime) {
        let sample = try finder.frame(
            at: time, toleranceBefore: settings.toleranceBefore, toleranceAfter: settings.toleranceAfter,
            isCancelled: isCancelled)
        guard case .pixels(let decoded) = sample.content else {
            throw MediaError(.codecFailure, "cannot extract a frame", reason: "the decoder returned no frame")
        }
        // Names the matrix before scaling. Players guess a missing matrix from the height, and would guess a different
        // one for a small image than for the full frame.
        var frame = decoded.withNamedMatrix
        let orientation = settings.appliesPreferredTrackTransform ? orientation : .upright
        let shape = StillShape(
            width: frame.width, height: frame.height,
            pixelAspectRatio: track.formatDescription?.video?.pixelAspectRatio ?? .one,
            swapsSides: orientation.swapsSides, maximumSize: settings.maximumSize)
        frame = try scaler.scale(frame, width: shape.width, height: shape.height)
        frame = try rotator.turn(frame, orientation)
        if let format = settings.pixelFormat { frame = try converter.convert(frame, to: format) }
        return (frame, max(.zero, sample.presentationTime))
    }

    /// The track's orientation. Only quarter turns are applied; other rotations need a video composition.
    private var orientation: FrameOrientation { FrameOrientation(track.preferredTransform) ?? .upright }
}

/// The size to which a stored frame is scaled, before it is rotated.
struct StillShape: Equatable {
    let width: Int
    let height: Int

    /// - Parameters:
    ///   - pixelAspectRatio: the pixel aspect ratio of the stored frame; the result has square pixels.
    ///   - swapsSides: true if the frame will be rotated by a quarter turn.
    ///   - maximumSize: the maximum size of the rotated frame; a side that is not above 0 sets no limit.
    init(width: Int, height: Int, pixelAspectRatio: Ratio, swapsSides: Bool, maximumSize: CGSize) {
        let aspect = Double(max(1, pixelAspectRatio.numerator)) / Double(max(1, pixelAspectRatio.denominator))
        // The same computation as for `AssetTrack.presentationDimensions`.
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
    /// The same frame with a named matrix. If it names none, it gets the one that players assume: BT.709 from 720 rows
    /// on, else BT.601.
    var withNamedMatrix: PixelBuffer {
        guard color.matrix == 2 else { return self }
        var named = color
        named.matrix = height >= 720 ? 1 : 6
        return PixelBuffer(layout: layout, color: named, data: data)
    }
}
