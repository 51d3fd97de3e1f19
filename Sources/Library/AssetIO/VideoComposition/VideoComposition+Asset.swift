package import Foundation
import MediaCodecs
public import MediaTypes

extension VideoComposition {
    /// Creates a composition that shows an asset unchanged. It has the size of the first video track, after the track's
    /// transform, and the frame duration of this track. Every enabled video track is placed by its own transform, with
    /// the first one on top.
    ///
    /// - Throws: the errors of loading; `unsupported` for an asset without video.
    public init(propertiesOf asset: Asset) async throws(MediaError) {
        let (all, duration) = try await asset.load(.tracks, .duration)
        try self.init(asset, all, duration)
    }

    /// Variant for threads that are not tasks. Blocks the calling thread as `Asset.loadNow` does.
    @available(*, noasync, message: "use init(propertiesOf:)")
    public init(propertiesNowOf asset: Asset) throws(MediaError) {
        try self.init(asset, try asset.loadNow(.tracks), try asset.loadNow(.duration))
    }

    /// Returns the end of the composed frames of an asset: the end of the last instruction, but at most the asset's
    /// end. An instruction only has to reach the asset's end, and many programs set a longer one. Blocks as
    /// `Asset.loadNow` does.
    ///
    /// - Returns: the end; an estimate if the asset's duration is one.
    package func end(in asset: Asset) throws(MediaError) -> MediaTime {
        var end = try asset.loadNow(.duration)
        for track in try asset.loadNow(.tracks) where track.mediaType == .video || track.mediaType == .audio {
            end = max(end, track.timeRange.end)
        }
        // An asset of one frame may have no duration.
        return min(duration, max(end, frameDuration))
    }

    private init(_ asset: Asset, _ all: [AssetTrack], _ duration: MediaTime) throws(MediaError) {
        let video = all.filter { $0.mediaType == .video && $0.formatDescription != nil }
        let enabled = video.filter(\.isEnabled)
        let tracks = enabled.isEmpty ? video : enabled
        guard let first = tracks.first else {
            throw MediaError(
                .unsupported, "cannot compose the frames of \(asset.origin.name)", reason: "it has no video track")
        }
        let size = first.placement.size
        let layers = tracks.map { track in
            var layer = VideoCompositionLayerInstruction(track: track)
            layer.usesDisplaySize = true
            layer.setTransform(track.placement.transform, at: .zero)
            return layer
        }
        self.init(
            renderSize: size, frameDuration: first.frameDuration,
            instructions: [
                VideoCompositionInstruction(
                    timeRange: TimeRange(start: .zero, duration: max(duration, first.frameDuration)),
                    layerInstructions: layers)
            ])
    }
}

extension AssetTrack {
    /// The size in which the track is displayed if it is alone, and the transform to that size for a layer that uses the
    /// display size. The transform is the track's preferred one, moved into view. The size encloses the result.
    package var placement: (size: CGSize, transform: AffineTransform) {
        let format = formatDescription?.video
        let frame =
            format.map { FrameGeometry($0).displaySize }
            ?? CGSize(width: max(1, presentationDimensions.width), height: max(1, presentationDimensions.height))
        var transform = preferredTransform
        let box = transform.box(CGRect(origin: .zero, size: frame))
        // Many files rotate their frames without moving them back into view.
        transform.append(AffineTransform(translationByX: -box.origin.x, byY: -box.origin.y))
        return (
            CGSize(width: max(1, box.size.width.rounded()), height: max(1, box.size.height.rounded())), transform
        )
    }

    /// The shortest time between two frames, else the mean, else a thirtieth of a second.
    fileprivate var frameDuration: MediaTime {
        if minFrameDuration.isNumeric, minFrameDuration > .zero { return minFrameDuration }
        guard nominalFrameRate.isFinite, nominalFrameRate > 0.001 else { return MediaTime(value: 1, timescale: 30) }
        return MediaTime(seconds: 1 / nominalFrameRate, timescale: 90_000)
    }
}

extension AffineTransform {
    /// Returns the bounding rectangle of a transformed rectangle.
    func box(_ rectangle: CGRect) -> CGRect {
        let (left, upper) = (rectangle.origin.x, rectangle.origin.y)
        let (right, lower) = (left + rectangle.size.width, upper + rectangle.size.height)
        let corners = [(left, upper), (right, upper), (left, lower), (right, lower)].map { corner in
            (x: m11 * corner.0 + m21 * corner.1 + tX, y: m12 * corner.0 + m22 * corner.1 + tY)
        }
        let (columns, rows) = (corners.map(\.x), corners.map(\.y))
        guard let x = columns.min(), let y = rows.min(), let right = columns.max(), let lower = rows.max() else {
            return .zero
        }
        return CGRect(x: x, y: y, width: right - x, height: lower - y)
    }
}
