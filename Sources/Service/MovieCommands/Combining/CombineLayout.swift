import AssetIO
import Foundation
import MediaTypes

/// The arrangement of several recordings' frames in one frame.
package enum CombineLayout: String, Sendable, CaseIterable {
    /// All frames side by side, scaled to the height of the first one.
    case sideBySide = "side-by-side"
    /// The first frame in full size; the others are in its lower right corner, each a quarter as wide.
    case pictureInPicture = "picture-in-picture"

    /// Returns the composition.
    ///
    /// - Parameter tracks: One track of each recording, shown for the full duration.
    func composition(of tracks: [AssetTrack], duration: MediaTime) -> VideoComposition? {
        guard let first = tracks.first else { return nil }
        let sizes = tracks.map(\.placement.size)
        let places: [CGRect]
        let frame: CGSize
        switch self {
        case .sideBySide:
            var left = 0.0
            var rectangles: [CGRect] = []
            for size in sizes {
                let width = Self.even(size.width * sizes[0].height / size.height)
                rectangles.append(CGRect(x: left, y: 0, width: width, height: sizes[0].height))
                left += width
            }
            places = rectangles
            frame = CGSize(width: left, height: sizes[0].height)
        case .pictureInPicture:
            frame = sizes[0]
            let width = Self.even(frame.width / 4)
            let gap = Self.even(frame.width / 40)
            var lower = frame.height - gap
            var rectangles = [CGRect(origin: .zero, size: frame)]
            for size in sizes.dropFirst() {
                let height = Self.even(width * size.height / size.width)
                lower -= height
                rectangles.append(CGRect(x: frame.width - gap - width, y: max(0, lower), width: width, height: height))
                lower -= gap
            }
            places = rectangles
        }
        let layers = zip(tracks, zip(sizes, places)).map { track, shown in
            Self.layer(track, size: shown.0, place: shown.1)
        }
        return VideoComposition(
            renderSize: CGSize(width: Self.even(frame.width), height: Self.even(frame.height)),
            frameDuration: Self.frameDuration(of: first),
            instructions: [
                VideoCompositionInstruction(
                    timeRange: TimeRange(start: .zero, duration: duration),
                    // Reversed, because the first layer is drawn on top, and later tracks are to cover earlier ones.
                    layerInstructions: layers.reversed())
            ])
    }

    private static func layer(_ track: AssetTrack, size: CGSize, place: CGRect) -> VideoCompositionLayerInstruction {
        var layer = VideoCompositionLayerInstruction(track: track)
        layer.usesDisplaySize = true
        // Rotate as the file specifies, then scale and move to the target rectangle.
        var transform = track.placement.transform
        transform.append(
            AffineTransform(
                m11: place.width / size.width, m12: 0, m21: 0, m22: place.height / size.height, tX: place.origin.x,
                tY: place.origin.y))
        layer.setTransform(transform, at: .zero)
        return layer
    }

    /// Rounds to an even length, since chroma has half as many rows and columns.
    private static func even(_ length: Double) -> Double { max(2, (length / 2).rounded() * 2) }

    private static func frameDuration(of track: AssetTrack) -> MediaTime {
        let rate = track.nominalFrameRate
        guard rate.isFinite, rate > 0.5 else { return MediaTime(value: 1, timescale: 30) }
        return MediaTime(seconds: 1 / rate, timescale: 90_000)
    }
}
