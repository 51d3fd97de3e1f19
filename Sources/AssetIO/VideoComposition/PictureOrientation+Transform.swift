import Foundation
import MediaCodecs

extension PictureOrientation {
    /// The way a track's matrix lays its pictures; where it moves them and how large it makes them is not looked at.
    ///
    /// The matrix takes a point of the picture to one of the screen, y downwards (QTFF, "Matrices").
    ///
    /// - Returns: nil when the sides of the picture would not lie level or upright, or one has no length.
    init?(_ transform: AffineTransform) {
        let (a, b, c, d) = (transform.m11, transform.m12, transform.m21, transform.m22)
        let largest = [a, b, c, d].map(\.magnitude).max() ?? 0
        guard largest.isFinite, largest > 0 else { return nil }
        // Matrices in files have sixteen bits behind the point.
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
}
