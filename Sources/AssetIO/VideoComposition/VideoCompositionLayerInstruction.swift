public import Foundation
public import MediaTypes

/// How one track's pictures are laid on the composed one: where, which part, how opaque. The model is AVFoundation's
/// `AVVideoCompositionLayerInstruction`.
///
/// What is set at a time holds until something else is set. Before the first time a transform is the identity, opacity 1,
/// and nothing is cropped.
public struct VideoCompositionLayerInstruction: Sendable, Hashable {
    /// The track's `id`.
    public let trackID: Int
    private(set) var transforms: [Ramp<AffineTransform>] = []
    private(set) var opacities: [Ramp<Double>] = []
    private(set) var crops: [Ramp<CGRect>] = []

    public init(track: AssetTrack) { trackID = track.id }
    public init(trackID: Int) { self.trackID = trackID }

    /// Where pictures go from a time on: from pixels of the track to pixels of the composed picture, y downwards.
    ///
    /// Moving, enlarging, quarter turns and mirror images; other turns are refused when the composition is used.
    public mutating func setTransform(_ transform: AffineTransform, at time: MediaTime) {
        transforms.set(Ramp(start: transform, end: transform, timeRange: TimeRange(start: time, duration: .zero)))
    }

    /// Moves and enlarges evenly over a stretch of time. Both transforms must turn in the same way.
    public mutating func setTransformRamp(
        from start: AffineTransform, to end: AffineTransform, timeRange: TimeRange
    ) {
        transforms.set(Ramp(start: start, end: end, timeRange: timeRange))
    }

    /// - Parameter opacity: 0, not seen, to 1.
    public mutating func setOpacity(_ opacity: Double, at time: MediaTime) {
        opacities.set(Ramp(start: opacity, end: opacity, timeRange: TimeRange(start: time, duration: .zero)))
    }

    public mutating func setOpacityRamp(from start: Double, to end: Double, timeRange: TimeRange) {
        opacities.set(Ramp(start: start, end: end, timeRange: timeRange))
    }

    /// Shows a part of the track's pictures only, in their pixels. It stays where the transform puts it.
    public mutating func setCropRectangle(_ rectangle: CGRect, at time: MediaTime) {
        crops.set(Ramp(start: rectangle, end: rectangle, timeRange: TimeRange(start: time, duration: .zero)))
    }

    public mutating func setCropRectangleRamp(from start: CGRect, to end: CGRect, timeRange: TimeRange) {
        crops.set(Ramp(start: start, end: end, timeRange: timeRange))
    }

    // MARK: At a time

    /// A mix of two numbers.
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

    /// nil: all of the picture.
    func crop(at time: MediaTime) -> CGRect? {
        guard let ramp = crops.ruling(at: time) else { return nil }
        let (start, end, fraction) = (ramp.start, ramp.end, ramp.fraction(at: time))
        return CGRect(
            x: Self.mix(start.origin.x, end.origin.x, fraction), y: Self.mix(start.origin.y, end.origin.y, fraction),
            width: Self.mix(start.size.width, end.size.width, fraction),
            height: Self.mix(start.size.height, end.size.height, fraction))
    }
}
