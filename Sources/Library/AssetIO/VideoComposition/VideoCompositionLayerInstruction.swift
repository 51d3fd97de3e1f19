public import Foundation
public import MediaTypes

/// The placement of one track's frames on the composed frame: position, crop and opacity. Modeled on AVFoundation's
/// `AVVideoCompositionLayerInstruction`.
///
/// A value that is set at a time applies until another is set. Before the first time the transform is the identity, the
/// opacity is 1, and there is no crop.
public struct VideoCompositionLayerInstruction: Sendable, Hashable {
    /// The track's `id`.
    public let trackID: Int
    private(set) var transforms: [Ramp<AffineTransform>] = []
    private(set) var opacities: [Ramp<Double>] = []
    private(set) var crops: [Ramp<CGRect>] = []
    /// True if transforms apply to frames as they are displayed: with square pixels, and cropped to the clean aperture.
    /// The origin is the corner of the clean aperture, also for crop rectangles, which are in stored pixels. If false,
    /// both apply to the stored frame. AVFoundation does the former (AVVideoComposition.h).
    package var usesDisplaySize = false

    public init(track: AssetTrack) { trackID = track.id }
    public init(trackID: Int) { self.trackID = trackID }

    /// Sets the transform from a time on. It maps pixels of the track to pixels of the composed frame, with y
    /// downwards.
    ///
    /// It may move, scale, mirror and rotate by quarter turns. Other rotations are refused when the composition is
    /// used.
    public mutating func setTransform(_ transform: AffineTransform, at time: MediaTime) {
        transforms.set(Ramp(start: transform, end: transform, timeRange: TimeRange(start: time, duration: .zero)))
    }

    /// Moves and scales linearly over a time range. Both transforms must have the same rotation.
    public mutating func setTransformRamp(
        from start: AffineTransform, to end: AffineTransform, timeRange: TimeRange
    ) {
        transforms.set(Ramp(start: start, end: end, timeRange: timeRange))
    }

    /// Sets the opacity from a time on.
    ///
    /// - Parameter opacity: the opacity, from 0 (invisible) to 1.
    public mutating func setOpacity(_ opacity: Double, at time: MediaTime) {
        opacities.set(Ramp(start: opacity, end: opacity, timeRange: TimeRange(start: time, duration: .zero)))
    }

    public mutating func setOpacityRamp(from start: Double, to end: Double, timeRange: TimeRange) {
        opacities.set(Ramp(start: start, end: end, timeRange: timeRange))
    }

    /// Crops the track's frames to a rectangle in their pixels. The remaining part keeps its position. If the rectangle
    /// is empty, the layer is invisible.
    public mutating func setCropRectangle(_ rectangle: CGRect, at time: MediaTime) {
        crops.set(Ramp(start: rectangle, end: rectangle, timeRange: TimeRange(start: time, duration: .zero)))
    }

    public mutating func setCropRectangleRamp(from start: CGRect, to end: CGRect, timeRange: TimeRange) {
        crops.set(Ramp(start: start, end: end, timeRange: timeRange))
    }

    // MARK: Values at a time

    /// Interpolates between two numbers.
    private static func mix(_ start: Double, _ end: Double, _ fraction: Double) -> Double {
        fraction >= 1 ? end : start + (end - start) * fraction
    }

    func transform(at time: MediaTime) -> AffineTransform {
        guard let ramp = transforms.ruling(at: time) else { return .identity }
        let (start, end, fraction) = (ramp.start, ramp.end, ramp.fraction(at: time))
        return AffineTransform(
            m11: Self.mix(start.m11, end.m11, fraction), m12: Self.mix(start.m12, end.m12, fraction),
            m21: Self.mix(start.m21, end.m21, fraction), m22: Self.mix(start.m22, end.m22, fraction),
            tX: Self.mix(start.tX, end.tX, fraction), tY: Self.mix(start.tY, end.tY, fraction))
    }

    func opacity(at time: MediaTime) -> Double {
        guard let ramp = opacities.ruling(at: time) else { return 1 }
        return Self.mix(ramp.start, ramp.end, ramp.fraction(at: time))
    }

    /// Returns the crop rectangle; nil for the full frame.
    func crop(at time: MediaTime) -> CGRect? {
        guard let ramp = crops.ruling(at: time) else { return nil }
        let (start, end, fraction) = (ramp.start, ramp.end, ramp.fraction(at: time))
        return CGRect(
            x: Self.mix(start.origin.x, end.origin.x, fraction), y: Self.mix(start.origin.y, end.origin.y, fraction),
            width: Self.mix(start.size.width, end.size.width, fraction),
            height: Self.mix(start.size.height, end.size.height, fraction))
    }
}
