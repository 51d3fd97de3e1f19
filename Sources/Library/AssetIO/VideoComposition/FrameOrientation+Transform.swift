package import Foundation
package import MediaCodecs

extension FrameOrientation {
    /// Creates the orientation of a track's matrix. Its translation and scale are ignored.
    ///
    /// The matrix maps a point of the frame to a point of the screen, with y downwards (QTFF, "Matrices").
    ///
    /// - Returns: nil if the sides of the frame would not be horizontal or vertical, or if one has no length.
    init?(_ transform: AffineTransform) {
        let (a, b, c, d) = (transform.m11, transform.m12, transform.m21, transform.m22)
        let largest = [a, b, c, d].map(\.magnitude).max() ?? 0
        guard largest.isFinite, largest > 0 else { return nil }
        // Matrices in files have sixteen fractional bits.
        func isNothing(_ value: Double) -> Bool { value.magnitude <= largest * 1e-3 }
        let isMirrored = a * d - b * c < 0
        let turns: Int
        if isNothing(b), isNothing(c), a != 0, d != 0 {
            turns = d > 0 ? 0 : 2
        } else if isNothing(a), isNothing(d), b != 0, c != 0 {
            turns = c < 0 ? 1 : 3
        } else {
            return nil
        }
        self.init(isMirrored: isMirrored, quarterTurns: turns)
    }

    /// Returns the matrix that shows frames of this size in the orientation, with their corner at the origin.
    package func transform(of size: CGSize) -> AffineTransform {
        let turns: [(cosine: CGFloat, sine: CGFloat)] = [(1, 0), (0, 1), (-1, 0), (0, -1)]
        let (cosine, sine) = turns[quarterTurns]
        let (a, b) = isMirrored ? (-cosine, -sine) : (cosine, sine)
        // A negative factor moves the frame out of view by the length of a side. The translation moves it back.
        return AffineTransform(
            m11: a, m12: b, m21: -sine, m22: cosine, tX: max(0, -a * size.width) + max(0, sine * size.height),
            tY: max(0, -b * size.width) + max(0, -cosine * size.height))
    }
}
