package import Foundation

extension CGAffineTransform {
    /// Creates the equivalent of a Foundation transform. The library itself uses Foundation's transforms.
    package init(_ other: AffineTransform) {
        self.init(a: other.m11, b: other.m12, c: other.m21, d: other.m22, tx: other.tX, ty: other.tY)
    }

    package var media: AffineTransform { AffineTransform(m11: a, m12: b, m21: c, m22: d, tX: tx, tY: ty) }
}
